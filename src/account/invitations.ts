/** Invitations: links with a secret token, by which one person joins an account. Only the token's SHA-256 is stored. */
import { limits } from '../config'
import type { Database } from '../db/database'
import { prepare } from '../db/statements'
import { AppError } from '../errors'
import { sha256 } from '../hash'
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
  const count = 'SELECT count(*) AS count FROM invitations WHERE account_id = ?'
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

/** Finds an open invitation. Throws `invalid_params` with one wording for every other token. */
export function requireInvitation(db: Database, token: string, nowMs: number): Invitation {
  const found = prepare<[Buffer, number], Invitation>(
    db,
    `SELECT id, account_id AS accountId FROM invitations
     WHERE secret_sha256 = ? AND used_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?)`,
  ).get(sha256(token), nowMs)
  if (found) return found
  const message = 'token: the invitation is unknown, was used or has expired; ask for a new one.'
  throw new AppError('invalid_params', message, { param: 'token' })
}

export function useInvitation(db: Database, id: string, nowMs: number): void {
  prepare(db, 'UPDATE invitations SET used_at_ms = ? WHERE id = ?').run(nowMs, id)
}
