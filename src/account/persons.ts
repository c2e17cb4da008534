/** Persons: people who sign in to an account with an e-mail address and a password. The account's role is theirs. */
import type { Database } from '../db/database'
import { prepare } from '../db/statements'
import { AppError } from '../errors'
import { foldEmail } from './email'

export type Person = {
  readonly id: string
  readonly accountId: string
  readonly email: string
  readonly name: string
  readonly createdAtMs: number
}

export type NewPerson = Pick<Person, 'accountId' | 'email' | 'name'> & {
  readonly passwordHash: string
  readonly nowMs: number
}

const columns = 'id, account_id AS accountId, email, name, created_at_ms AS createdAtMs'

/** Throws `conflict` when another person has the e-mail address. */
export function createPerson(db: Database, { accountId, email, name, passwordHash, nowMs }: NewPerson): Person {
  const id = Bun.randomUUIDv7()
  const inserted = prepare(
    db,
    `INSERT INTO persons (id, account_id, email, email_folded, name, password_hash, created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (email_folded) DO NOTHING`,
  ).run(id, accountId, email, foldEmail(email), name, passwordHash, nowMs)
  if (inserted.changes === 0) throw emailTaken()
  return findPerson(db, id)!
}

/** Writes name and e-mail address of an existing person. Throws `conflict` when another person has the address. */
export function updatePerson(db: Database, { id, name, email }: Pick<Person, 'id' | 'name' | 'email'>): void {
  const sql = 'UPDATE OR IGNORE persons SET name = ?, email = ?, email_folded = ? WHERE id = ?'
  if (prepare(db, sql).run(name, email, foldEmail(email), id).changes === 0) throw emailTaken()
}

function emailTaken(): AppError {
  return new AppError('conflict', 'email: a person with this e-mail address exists already.', { param: 'email' })
}

/** Finds a person by id or e-mail address. */
export function findPerson(db: Database, idOrEmail: string): Person | undefined {
  const sql = `SELECT ${columns} FROM persons WHERE id = ? OR email_folded = ?`
  return prepare<[string, string], Person>(db, sql).get(idOrEmail, foldEmail(idOrEmail))
}

/** Lists the persons of an account, oldest first. */
export function listPersons(db: Database, accountId: string): Person[] {
  const sql = `SELECT ${columns} FROM persons WHERE account_id = ? ORDER BY created_at_ms, id`
  return prepare<[string], Person>(db, sql).all(accountId)
}

export function countPersons(db: Database, accountId: string): number {
  const sql = 'SELECT count(*) AS count FROM persons WHERE account_id = ?'
  return prepare<[string], { count: number }>(db, sql).get(accountId)!.count
}

/** Whether an enabled administrator account has a person. */
export function hasAdministratorPerson(db: Database): boolean {
  const sql = `SELECT 1 FROM persons JOIN accounts ON accounts.id = account_id
    WHERE role = 'admin' AND status = 'enabled' LIMIT 1`
  return prepare(db, sql).get() !== undefined
}

export function readPasswordHash(db: Database, personId: string): string | undefined {
  const sql = 'SELECT password_hash AS hash FROM persons WHERE id = ?'
  return prepare<[string], { hash: string }>(db, sql).get(personId)?.hash
}

export function setPasswordHash(db: Database, personId: string, hash: string): void {
  prepare(db, 'UPDATE persons SET password_hash = ? WHERE id = ?').run(hash, personId)
}

/** Deletes the person and, by the foreign key, the person's sessions. */
export function deletePerson(db: Database, personId: string): void {
  prepare(db, 'DELETE FROM persons WHERE id = ?').run(personId)
}
