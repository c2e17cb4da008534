/** Words of the pages for administrators. */
import { accounts } from './administration/accounts'
import { clones, erasure, people } from './administration/belongings'
import { catalogue } from './administration/catalogue'
import { codes } from './administration/codes'
import { plans } from './administration/plans'
import { system } from './administration/system'

export const administration = { accounts, catalogue, clones, codes, erasure, people, plans, system }
