/**
 * Erasing an account by pseudonym, as far as this room's tables go: names, addresses, persons, invitations and secrets
 * of keys go. The rows of the account and its keys stay, because ledger and history refer to them.
 *
 * Every function that writes must run inside a transaction (`transact`).
 */
import type { Database } from '../db/database'
import { prepare } from '../db/statements'

const pseudonym = 'erased'

/** Erases the rows of the account. Its clones and audio are left until `noteSoundErased`. Returns the ids of its keys. */
export function eraseAccountRows(db: Database, accountId: string, nowMs: number): string[] {
  prepare(db, 'DELETE FROM invitations WHERE account_id = ?').run(accountId)
  prepare(db, 'DELETE FROM persons WHERE account_id = ?').run(accountId)
  prepare(
    db,
    `UPDATE accounts SET name = ?, email = NULL, role = 'user', status = 'disabled', plan_id = NULL, erased_at_ms = ?,
       files_left = 1 WHERE id = ?`,
  ).run(pseudonym, nowMs, accountId)
  const keys = prepare<[string, string], { id: string }>(
    db,
    `UPDATE api_keys SET name = ?, status = 'deleted', prefix = iif(kind = 'api', 'sk-', NULL),
       secret_sha256 = iif(kind = 'api', randomblob(32), NULL) WHERE account_id = ? RETURNING id`,
  ).all(pseudonym, accountId)
  const keyIds = keys.map(({ id }) => id)
  eraseNamesInLog(db, [accountId, ...keyIds])
  return keyIds
}

/** Replaces the names and addresses of the subjects in the audit log. The database allows no other change of it. */
export function eraseNamesInLog(db: Database, subjects: readonly string[]): void {
  const erased = (column: string) =>
    `json_replace(${column}, '$.name', 'erased', '$.email', NULL, '$.display_name', 'erased', '$.prefix', 'sk-')`
  const sql = `UPDATE audit_log SET before = ${erased('before')}, after = ${erased('after')} WHERE subject = ?`
  for (const subject of subjects) prepare(db, sql).run(subject)
}

/** The erased accounts whose clones and audio may not be deleted yet, because a crash came between. */
export function listUnfinishedErasures(db: Database): string[] {
  const rows = prepare<[], { id: string }>(db, 'SELECT id FROM accounts WHERE files_left = 1').all()
  return rows.map(({ id }) => id)
}

export function noteSoundErased(db: Database, accountId: string): void {
  prepare(db, 'UPDATE accounts SET files_left = 0 WHERE id = ?').run(accountId)
}
