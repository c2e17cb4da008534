/** Accounts: their owner's name and address, role, status and voice plan. */
import type { Database } from '../db/database'
import { prepare } from '../db/statements'

export type Role = 'user' | 'admin'

export type Account = {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly role: Role
  readonly status: 'enabled' | 'disabled'
  /** The voice plan. null: the account has the public voices. */
  readonly planId: string | null
  /** 16 digits. */
  readonly accountNumber: string
  readonly createdAtMs: number
  /** null: not erased. An erased account is disabled for ever. */
  readonly erasedAtMs: number | null
}

export type NewAccount = Pick<Account, 'name' | 'email' | 'role' | 'planId'> & { readonly nowMs: number }

const columns = `id, name, email, role, status, plan_id AS planId, account_number AS accountNumber,
  created_at_ms AS createdAtMs, erased_at_ms AS erasedAtMs`

export function createAccount(db: Database, { name, email, role, planId, nowMs }: NewAccount): Account {
  const id = Bun.randomUUIDv7()
  prepare(
    db,
    `INSERT INTO accounts (id, name, email, role, status, plan_id, account_number, created_at_ms)
     VALUES (?, ?, ?, ?, 'enabled', ?, ?, ?)`,
  ).run(id, name, email, role, planId, generateAccountNumber(), nowMs)
  return findAccount(db, id)!
}

/** Finds an account by its id or its account number. */
export function findAccount(db: Database, idOrNumber: string): Account | undefined {
  const sql = `SELECT ${columns} FROM accounts WHERE id = ? OR account_number = ?`
  return prepare<[string, string], Account>(db, sql).get(idOrNumber, idOrNumber)
}

/**
 * Lists accounts, newest first, down to and including `last`. `search` matches a part of the name, email or account
 * number. It ignores the case of A to Z only, because SQLite folds no other letters. A search reads all other rows of
 * the range.
 */
export function listAccounts(
  db: Database,
  { search, limit, before, last }: ListOptions & { search: string | undefined; last?: ListOptions['before'] },
): Account[] {
  const conditions = ['(created_at_ms, id) < (@createdAtMs, @id)']
  if (last) conditions.push('(created_at_ms, id) >= (@lastMs, @lastId)')
  if (search !== undefined)
    conditions.push(
      `(instr(lower(name), lower(@search)) OR instr(lower(email), lower(@search)) OR instr(account_number, @search))`,
    )
  return prepare<Record<string, unknown>, Account>(
    db,
    `SELECT ${columns} FROM accounts WHERE ${conditions.join(' AND ')} ORDER BY created_at_ms DESC, id DESC LIMIT @limit`,
  ).all({ ...newest, ...before, lastMs: last?.createdAtMs, lastId: last?.id, limit, search })
}

const newest = { createdAtMs: Number.MAX_SAFE_INTEGER, id: '' } as const

/** The place of the account that is `rows` accounts behind `before`. undefined: there are fewer. */
export function findAccountPlace(db: Database, before: ListOptions['before'], rows: number): ListOptions['before'] {
  return prepare<Record<string, unknown>, NonNullable<ListOptions['before']>>(
    db,
    `SELECT created_at_ms AS createdAtMs, id FROM accounts WHERE (created_at_ms, id) < (@createdAtMs, @id)
     ORDER BY created_at_ms DESC, id DESC LIMIT 1 OFFSET @rows - 1`,
  ).get({ ...newest, ...before, rows })
}

export type ListOptions = {
  readonly limit: number
  /** The last item of the page before. */
  readonly before: { createdAtMs: number; id: string } | undefined
}

/** Writes name, email, role, status and plan. The other fields of an account never change. */
export function updateAccount(db: Database, { id, name, email, role, status, planId }: Account): void {
  const sql = 'UPDATE accounts SET name = ?, email = ?, role = ?, status = ?, plan_id = ? WHERE id = ?'
  prepare(db, sql).run(name, email, role, status, planId, id)
}

/** Finds the oldest account of an enabled administrator. */
export function findFirstAdministrator(db: Database): Account | undefined {
  const sql = `SELECT ${columns} FROM accounts WHERE role = 'admin' AND status = 'enabled'
    ORDER BY created_at_ms, id LIMIT 1`
  return prepare<[], Account>(db, sql).get()
}

/** Whether an enabled administrator other than `id` exists. */
export function hasOtherAdministrator(db: Database, id: string): boolean {
  const sql = "SELECT 1 FROM accounts WHERE role = 'admin' AND status = 'enabled' AND id <> ? LIMIT 1"
  return prepare(db, sql).get(id) !== undefined
}

export function hasAccounts(db: Database): boolean {
  return prepare(db, 'SELECT 1 FROM accounts LIMIT 1').get() !== undefined
}

/** The names of accounts that use the plan, at most `max` of them, oldest first. */
export function findPlanUsers(db: Database, planId: string, max: number): string[] {
  const sql = 'SELECT name FROM accounts WHERE plan_id = ? ORDER BY created_at_ms, id LIMIT ?'
  return prepare<[string, number], { name: string }>(db, sql)
    .all(planId, max)
    .map(({ name }) => name)
}

/** Masks all but the last four digits. Only administrators see the whole number. */
export function maskAccountNumber(accountNumber: string): string {
  return accountNumber.slice(-4).padStart(accountNumber.length, '*')
}

function generateAccountNumber(): string {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2)) as unknown as [number, number]
  return String((BigInt(high) << 32n) | BigInt(low))
    .padStart(16, '0')
    .slice(-16)
}
