/**
 * Invitations: links with a secret token, by which one person joins an account. Only the token's SHA-256 is stored. The
 * setup link is for the first person of the administrator's account.
 */
import { limits } from '../config'
import type { Database } from '../db/database'
import { prepare } from '../db/statements'
import { AppError } from '../errors'
import { sha256 } from '../hash'
import { hasAdministratorPerson } from './persons'
import { generateSecret } from './secrets'

export type Invitation = { readonly id: string; readonly accountId: string }

type NewInvitation = { readonly accountId: string; readonly nowMs: number }

/** Throws `conflict` when too many invitations of the account are open. Removes those that have ended. */
export function createInvitation(
  db: Database,
  { accountId, nowMs }: NewInvitation,
): Invitation & { readonly token: string; readonly expiresAtMs: number } {
  prepare(
    db,
    "DELETE FROM invitations WHERE account_id = ? AND kind = 'invitation' AND (used_at_ms IS NOT NULL OR expires_at_ms <= ?)",
  ).run(accountId, nowMs)
  const count = "SELECT count(*) AS count FROM invitations WHERE account_id = ? AND kind = 'invitation'"
  if (prepare<[string], { count: number }>(db, count).get(accountId)!.count >= limits.openInvitationsMax)
    throw new AppError(
      'conflict',
      `The account has ${limits.openInvitationsMax} open invitations; wait until one expires.`,
    )
  const id = Bun.randomUUIDv7()
  const token = generateSecret()
  const expiresAtMs = nowMs + limits.invitationLifetimeMs
  prepare(
    db,
    `INSERT INTO invitations (id, kind, account_id, secret_sha256, created_at_ms, expires_at_ms)
     VALUES (?, 'invitation', ?, ?, ?, ?)`,
  ).run(id, accountId, sha256(token), nowMs, expiresAtMs)
  return { id, accountId, token, expiresAtMs }
}

type OpenInvitation = Invitation & {
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** As in the audit log. */
  readonly invitedBy: string
}

/** Lists the unused invitations of an account, oldest first. */
export function listInvitations(db: Database, accountId: string, nowMs: number): OpenInvitation[] {
  return prepare<[string, number], OpenInvitation>(
    db,
    `SELECT id, account_id AS accountId, created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs,
       (SELECT actor FROM audit_log WHERE audit_log.created_at_ms = invitations.created_at_ms
          AND act = 'account invite' AND after ->> 'id' = invitations.id) AS invitedBy
     FROM invitations
     WHERE account_id = ? AND kind = 'invitation' AND used_at_ms IS NULL AND expires_at_ms > ?
     ORDER BY created_at_ms, id`,
  ).all(accountId, nowMs)
}

/** Ends an open invitation, and returns its account; undefined: there was none. */
export function cancelInvitation(db: Database, id: string, nowMs: number): string | undefined {
  const sql = `DELETE FROM invitations WHERE id = ? AND kind = 'invitation' AND used_at_ms IS NULL AND expires_at_ms > ?
    RETURNING account_id AS accountId`
  return prepare<[string, number], Pick<Invitation, 'accountId'>>(db, sql).get(id, nowMs)?.accountId
}

/** Makes the setup link of the account. Links from before end. */
export function createSetup(db: Database, { accountId, nowMs }: NewInvitation): { token: string; expiresAtMs: number } {
  prepare(db, "DELETE FROM invitations WHERE kind = 'setup'").run()
  const token = generateSecret()
  prepare(
    db,
    "INSERT INTO invitations (id, kind, account_id, secret_sha256, created_at_ms) VALUES (?, 'setup', ?, ?, ?)",
  ).run(Bun.randomUUIDv7(), accountId, sha256(token), nowMs)
  return { token, expiresAtMs: nowMs + limits.setupLifetimeMs }
}

/** Finds an open invitation. Throws `invalid_params` with one wording for every other token. */
export function requireInvitation(db: Database, token: string, nowMs: number): Invitation {
  const found = findOpen(db, 'invitation', token, nowMs)
  if (found) return found
  throw refuseToken('the invitation is unknown, was used or has expired; ask for a new one')
}

/** Finds the open setup link. It ends when an administrator has a person. Throws as `requireInvitation`. */
export function requireSetup(db: Database, token: string, nowMs: number): Invitation {
  const found = findOpen(db, 'setup', token, nowMs)
  if (found && !hasAdministratorPerson(db)) return found
  throw refuseToken('the setup link is unknown, was used or has expired; `sonant account invite` makes a new link')
}

export function useInvitation(db: Database, id: string, nowMs: number): void {
  prepare(db, 'UPDATE invitations SET used_at_ms = ? WHERE id = ?').run(nowMs, id)
}

/** The table has no time of expiry for setup links. */
function findOpen(db: Database, kind: 'setup' | 'invitation', token: string, nowMs: number): Invitation | undefined {
  const sql = `SELECT id, account_id AS accountId FROM invitations WHERE secret_sha256 = ? AND kind = ?
    AND used_at_ms IS NULL AND coalesce(expires_at_ms, created_at_ms + ?) > ?`
  return prepare<[Buffer, string, number, number], Invitation>(db, sql).get(
    sha256(token),
    kind,
    limits.setupLifetimeMs,
    nowMs,
  )
}

function refuseToken(reason: string): AppError {
  return new AppError('invalid_params', `token: ${reason}.`, { param: 'token' })
}
