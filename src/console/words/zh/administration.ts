/** Words of the pages for administrators. */
import { accounts } from './administration/accounts'
import { clones, erasure, people } from './administration/belongings'

export const administration = { accounts, clones, erasure, people }
