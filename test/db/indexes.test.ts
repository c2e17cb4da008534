/** Lists are read in the order of an index: the statements that the code runs, as SQLite plans them. */
import { expect, it } from 'bun:test'
import { listAccounts } from '../../src/account/accounts'
import { listOperations } from '../../src/account/audit-log'
import { eraseNamesInLog, listUnfinishedErasures } from '../../src/account/erasure'
import { listKeys } from '../../src/account/keys'
import { audit } from '../../src/billing/audit'
import { listCodes } from '../../src/billing/ledger/codes'
import { listMovements } from '../../src/billing/ledger/movements'
import { openDatabase, type Database } from '../../src/db/database'
import { countClones, findFirstClone, listClones } from '../../src/voice/clones'
import { detailsOf, plansOf } from '../query-plans'

const before = { createdAtMs: 5, id: '7' }
const page = { limit: 10, before }
const search = undefined
const times = { fromMs: 1, toMs: 9 }

const lists: [what: string, plan: string, work: (db: Database) => unknown][] = [
  [
    'accounts by age',
    'SEARCH accounts USING INDEX accounts_by_age ((created_at_ms,id)<(?,?))',
    (db) => listAccounts(db, { search, ...page }),
  ],
  [
    'the accounts that match a search',
    'SEARCH accounts USING INDEX accounts_by_age ((created_at_ms,id)<(?,?))',
    (db) => listAccounts(db, { ...page, search: 'x' }),
  ],
  [
    'codes by age',
    'SEARCH activation_codes USING INDEX activation_codes_by_age ((created_at_ms,id)<(?,?))',
    (db) => listCodes(db, page),
  ],
  [
    'the keys of an account by age',
    'SEARCH api_keys USING INDEX api_keys_by_account (account_id=?)',
    (db) => listKeys(db, 'a'),
  ],
  [
    'the clones of an account by age',
    'SEARCH clones USING INDEX clones_by_account (account_id=?)',
    (db) => listClones(db, 'a'),
  ],
  [
    'the oldest clone of an account',
    'SEARCH clones USING INDEX clones_by_account (account_id=?)',
    (db) => findFirstClone(db, 'a'),
  ],
  [
    'the number of clones of an account',
    'SEARCH clones USING COVERING INDEX clones_by_account (account_id=?)',
    (db) => countClones(db, 'a'),
  ],
  [
    'the erased accounts with files',
    'SCAN accounts USING COVERING INDEX accounts_with_files_left',
    (db) => listUnfinishedErasures(db),
  ],
  [
    'the audit log of a subject',
    'SEARCH audit_log USING COVERING INDEX audit_log_by_subject (subject=?)',
    (db) => eraseNamesInLog(db, ['a']),
  ],
  [
    'the audit log by time',
    'SEARCH audit_log USING INDEX audit_log_by_age (created_at_ms>? AND created_at_ms<?)',
    (db) => listOperations(db, { limit: 10, before: { createdAtMs: 5, id: 7 }, ...times }),
  ],
]

it.each(lists)('%s: no sort, only "%s"', (_what, detail, work) => {
  const db = openDatabase(':memory:')
  const plans = plansOf(db, () => work(db))
  expect(plans.map(detailsOf)).toEqual([[detail]])
  db.close()
})

it('the movements of an account are read in the order of their index, each with its hold by key', () => {
  const db = openDatabase(':memory:')
  const [plan, ...others] = plansOf(db, () => listMovements(db, 'a', page))
  expect(others).toEqual([])
  expect(detailsOf(plan!)).toEqual([
    'SEARCH entry USING INDEX ledger_entries_by_account (account=? AND (created_at_ms,movement_id)<(?,?))',
    'SEARCH holds USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
    'SCALAR SUBQUERY 1',
    'SEARCH balances USING PRIMARY KEY (account_id=?)',
  ])
  db.close()
})

it('the entries of an account, which the audit sums up, are read from an index alone', () => {
  const db = openDatabase(':memory:')
  const plan = plansOf(db, () => audit(db)).find(({ sql }) => sql.includes(', entries '))!
  const entries = detailsOf(plan).filter((detail) => detail.includes('ledger_entries'))
  const detail = 'SEARCH ledger_entries USING COVERING INDEX ledger_entries_by_account (account=?)'
  expect(new Set(entries)).toEqual(new Set([detail]))
  expect(detailsOf(plan)).toContain('SCAN balances')
  db.close()
})
