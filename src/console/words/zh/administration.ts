/** Words of the pages for administrators. */
import { accounts } from './administration/accounts'
import { clones, erasure, people } from './administration/belongings'
import { catalogue } from './administration/catalogue'
import { codes } from './administration/codes'
import { packs } from './administration/packs'
import { plans } from './administration/plans'
import { system } from './administration/system'

export const administration = { accounts, catalogue, clones, codes, erasure, packs, people, plans, system }
