/** Administrative operations on accounts. */
import {
  createAccount as insertAccount,
  findAccount,
  hasOtherAdministrator,
  listAccounts as readAccounts,
  updateAccount as writeAccount,
  type Account,
} from '../account/accounts'
import { unitsMax } from '../config'
import type { Database } from '../db/database'
import { AppError } from '../errors'
import {
  nullableText,
  optionalInteger,
  optionalOneOf,
  optionalText,
  readInteger,
  readText,
  refuse,
  type Fields,
} from '../fields'
import { adjust, openBalance, readBalance, settledUnits } from '../billing/ledger/ledger'
import { cursorBehind, instant, readPage } from '../paging'
import { findPlan, listPlans } from '../voice/plans'
import { found, nameRules, runOperation, type Administration } from './administration'

const roles = ['user', 'admin'] as const
const emailRules = { charactersMax: 254 }
const reasonRules = { charactersMax: 500 }

export function createAccount(administration: Administration, fields: Fields) {
  const { db } = administration
  const name = readText(fields, 'name', nameRules)
  const email = readEmail(fields) ?? null
  const role = optionalOneOf(fields, 'role', roles) ?? 'user'
  const units = optionalInteger(fields, 'balance', { min: 0, max: unitsMax }) ?? 0
  return runOperation(administration, 'account create', (nowMs) => {
    const planId = readPlan(db, fields) ?? null
    const account = insertAccount(db, { name, email, role, planId, nowMs })
    openBalance(db, account.id)
    if (units > 0) adjust(db, { accountId: account.id, units, nowMs }, 'opening balance')
    const result = describeAccount(db, account)
    return { subject: account.id, before: null, after: result, result }
  })
}

export function listAccounts({ db }: Administration, fields: Fields) {
  const page = readPage(fields)
  const isBlank = typeof fields.q === 'string' && fields.q.trim() === ''
  const search = isBlank ? undefined : optionalText(fields, 'q', { charactersMax: 100 })
  const accounts = readAccounts(db, { search, ...page })
  return {
    items: accounts.map((account) => describeAccount(db, account)),
    next_cursor: cursorBehind(accounts, page.limit),
  }
}

export function showAccount({ db }: Administration, id: string) {
  return describeAccount(db, requireAccount(db, id))
}

/** Changes the given fields. `group: null` and `email: null` clear them. */
export function updateAccount(administration: Administration, id: string, fields: Fields) {
  const { db } = administration
  return change(administration, 'account update', id, (account) => ({
    ...account,
    name: optionalText(fields, 'name', nameRules) ?? account.name,
    email: given(readEmail(fields), account.email),
    planId: given(readPlan(db, fields), account.planId),
    role: optionalOneOf(fields, 'role', roles) ?? account.role,
  }))
}

export function disableAccount(administration: Administration, id: string) {
  return change(administration, 'account disable', id, (account) => ({ ...account, status: 'disabled' }))
}

export function enableAccount(administration: Administration, id: string) {
  return change(administration, 'account enable', id, (account) => ({ ...account, status: 'enabled' }))
}

/** Adds units, or subtracts negative ones. Throws `conflict` when the available units do not suffice. */
export function adjustBalance(administration: Administration, id: string, fields: Fields) {
  const { db } = administration
  const units = readInteger(fields, 'units', { min: -unitsMax, max: unitsMax })
  if (units === 0) throw refuse('units', units, 'a whole number other than 0 is required')
  const reason = readText(fields, 'reason', reasonRules)
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

/** Describes an account for administrators. */
export function describeAccount(db: Database, account: Account) {
  const { id, name, email, role, status, planId, accountNumber, createdAtMs } = account
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
  }
}

function change(administration: Administration, name: string, id: string, edit: (account: Account) => Account) {
  const { db } = administration
  return runOperation(administration, name, () => {
    const account = requireAccount(db, id)
    const edited = edit(account)
    const administrates = edited.role === 'admin' && edited.status === 'enabled'
    const didAdministrate = account.role === 'admin' && account.status === 'enabled'
    if (didAdministrate && !administrates && !hasOtherAdministrator(db, account.id))
      throw new AppError('conflict', 'This is the only enabled administrator; make another one first.')
    writeAccount(db, edited)
    const result = describeAccount(db, edited)
    return { subject: account.id, before: describeAccount(db, account), after: result, result }
  })
}

function given<T>(value: T | undefined, otherwise: T): T {
  return value === undefined ? otherwise : value
}

function readEmail(fields: Fields): string | null | undefined {
  const email = nullableText(fields, 'email', emailRules)
  if (email && !/^[^\s@]+@[^\s@]+$/.test(email)) throw refuse('email', email, 'an e-mail address is allowed')
  return email
}

/** Reads the field `group`, an id or a name, and returns the plan's id. */
function readPlan(db: Database, fields: Fields): string | null | undefined {
  const group = nullableText(fields, 'group', nameRules)
  if (group === null || group === undefined) return group
  const id = findPlan(db, group)?.id ?? listPlans(db).find(({ name }) => name === group)?.id
  if (!id) throw refuse('group', group, 'the id or the name of a group is allowed')
  return id
}
