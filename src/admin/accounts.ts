/** Administrative operations on accounts. */
import {
  createAccount as insertAccount,
  findAccount,
  findAccountPlace,
  hasOtherAdministrator,
  listAccounts as readAccounts,
  updateAccount as writeAccount,
  type Account,
} from '../account/accounts'
import { endSessionsOfAccount } from '../account/sessions'
import type { Database } from '../db/database'
import { readPageInSteps } from '../db/scan'
import { AppError } from '../errors'
import { refuse, type Fields } from '../fields'
import { adjust, openBalance, readBalance, settledUnits } from '../billing/ledger/ledger'
import { accountChanges, accountSearch, adjustment, newAccount } from '../operations/fields'
import { checkEmail, readFields } from '../operations/read-fields'
import { cursorAt, instant, readPage as readPageFields, type Page } from '../paging'
import { findPlan, listPlans } from '../voice/plans'
import { found, runOperation, type Administration } from './administration'

export function createAccount(administration: Administration, fields: Fields) {
  const { db } = administration
  const { name, email = null, role = 'user', group = null, balance: units = 0 } = readFields(fields, newAccount)
  checkEmail(email)
  return runOperation(administration, 'account create', (nowMs) => {
    const account = insertAccount(db, { name, email, role, planId: planOf(db, group), nowMs })
    openBalance(db, account.id)
    if (units > 0) adjust(db, { accountId: account.id, units, nowMs }, 'opening balance')
    const result = describeAccount(db, account)
    return { subject: account.id, before: null, after: result, result }
  })
}

/** Returns one page, newest first. */
export async function listAccounts({ db }: Administration, fields: Fields) {
  const page = readPageFields(fields)
  const isBlank = typeof fields.q === 'string' && fields.q.trim() === ''
  const { q: search } = isBlank ? {} : readFields(fields, { q: accountSearch })
  const { rows, next } = await readPage(db, search, page)
  return { items: rows.map((account) => describeAccount(db, account)), next_cursor: next ? cursorAt(next) : null }
}

/** No index serves a search. */
async function readPage(db: Database, search: string | undefined, page: Page) {
  if (search === undefined) {
    const rows = readAccounts(db, { search, ...page })
    return { rows, next: rows[page.limit - 1] }
  }
  return readPageInSteps<string, Account>(
    {
      findPlace: (before, rows) => findAccountPlace(db, before, rows),
      list: (range) => readAccounts(db, { search, ...range }),
    },
    page,
  )
}

export function showAccount({ db }: Administration, id: string) {
  return describeAccount(db, requireAccount(db, id))
}

/** Changes the given fields. `group: null` and `email: null` clear them. */
export function updateAccount(administration: Administration, id: string, fields: Fields) {
  const { db } = administration
  return change(administration, 'account update', id, (account) => {
    const {
      name = account.name,
      email = account.email,
      role = account.role,
      group,
    } = readFields(fields, accountChanges)
    checkEmail(email)
    return { ...account, name, email, role, planId: group === undefined ? account.planId : planOf(db, group) }
  })
}

/** Also ends the sessions of its persons. */
export function disableAccount(administration: Administration, id: string) {
  return change(administration, 'account disable', id, (account) => {
    endSessionsOfAccount(administration.db, account.id)
    return { ...account, status: 'disabled' }
  })
}

export function enableAccount(administration: Administration, id: string) {
  return change(administration, 'account enable', id, (account) => ({ ...account, status: 'enabled' }))
}

/** Adds units, or subtracts negative ones. Throws `conflict` when the available units do not suffice. */
export function adjustBalance(administration: Administration, id: string, fields: Fields) {
  const { db } = administration
  const { units, reason } = readFields(fields, adjustment)
  return runOperation(administration, 'account adjust', (nowMs) => {
    const { id: accountId } = requireAccount(db, id)
    const before = { balance: settledUnits(readBalance(db, accountId)) }
    adjust(db, { accountId, units, nowMs }, reason)
    const result = { balance: settledUnits(readBalance(db, accountId)) }
    return { subject: accountId, before, after: { ...result, units, reason }, result }
  })
}

export function requireAccount(db: Database, id: string): Account {
  return found(findAccount(db, id), 'account', id)
}

/** As `requireAccount`. Throws `conflict` for an erased account. */
export function requireUnerased(db: Database, id: string): Account {
  const account = requireAccount(db, id)
  if (account.erasedAtMs !== null) throw new AppError('conflict', 'The account was erased; make a new one.')
  return account
}

/** Throws `conflict` when the account is the only enabled administrator. */
export function ensureOtherAdministrator(db: Database, account: Account): void {
  if (administrates(account) && !hasOtherAdministrator(db, account.id))
    throw new AppError('conflict', 'This is the only enabled administrator; make another one first.')
}

const administrates = ({ role, status }: Account) => role === 'admin' && status === 'enabled'

/** Describes an account for administrators. */
export function describeAccount(db: Database, account: Account) {
  const { id, name, email, role, status, planId, accountNumber, createdAtMs, erasedAtMs } = account
  return {
    id,
    name,
    email,
    role,
    status,
    balance: settledUnits(readBalance(db, id)),
    account_number: accountNumber,
    group: planId,
    created_at: instant(createdAtMs),
    ...(erasedAtMs !== null && { erased_at: instant(erasedAtMs) }),
  }
}

function change(administration: Administration, name: string, id: string, edit: (account: Account) => Account) {
  const { db } = administration
  return runOperation(administration, name, () => {
    const account = requireUnerased(db, id)
    const edited = edit(account)
    if (!administrates(edited)) ensureOtherAdministrator(db, account)
    writeAccount(db, edited)
    const result = describeAccount(db, edited)
    return { subject: account.id, before: describeAccount(db, account), after: result, result }
  })
}

/** The id of the plan with this id or name. */
function planOf(db: Database, group: string | null): string | null {
  if (group === null) return null
  const id = findPlan(db, group)?.id ?? listPlans(db).find(({ name }) => name === group)?.id
  if (!id) throw refuse('group', group, 'the id or the name of a group is allowed')
  return id
}
