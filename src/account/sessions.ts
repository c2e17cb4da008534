/**
 * Sessions of persons: 256 random bits in a cookie, of which only the SHA-256 is stored. A session ends 7 days after its
 * last use and 30 days after its start. Its secret is replaced daily; the previous one works until the new one is in use,
 * so that neither parallel requests nor a lost answer end the session. A session belongs to the database file in which
 * it began: in a restored backup all sessions have ended.
 */
import { statSync } from 'node:fs'
import { limits } from '../config'
import type { Database } from '../db/database'
import { prepare, transact } from '../db/statements'
import { AppError } from '../errors'
import { sha256 } from '../hash'
import type { Role } from './accounts'
import type { Caller } from './keys'
import { generateSecret, secretDigits } from './secrets'

export type Session = {
  readonly id: string
  readonly personId: string
  /** A browser and a system, as `Firefox on Linux`; null: unknown. */
  readonly device: string | null
  readonly createdAtMs: number
  readonly lastUsedAtMs: number
}

/** A session that was found by its secret, with the rights of its person. */
export type FoundSession = Session & {
  readonly caller: Caller & Required<Pick<Caller, 'session'>>
  /** Whether it was found by the secret before the present one. */
  readonly isPrevious: boolean
  readonly hasPrevious: boolean
  readonly rotatedAtMs: number
}

type SessionRow = Session & {
  secret: Buffer
  previous: Buffer | null
  rotatedAtMs: number
  accountId: string
  role: Role
  planId: string | null
  keyId: string
}

const columns = `sessions.id, person_id AS personId, device, sessions.created_at_ms AS createdAtMs,
  sessions.last_used_at_ms AS lastUsedAtMs`

const secretPattern = new RegExp(`^[0-9A-Za-z]{${secretDigits}}$`)
const files = new WeakMap<Database, string>()

/** Begins a session and returns its secret. Ends the person's sessions beyond the limit, those longest unused first. */
export function createSession(
  db: Database,
  { personId, device, nowMs }: { personId: string; device: string | null; nowMs: number },
): { id: string; secret: string } {
  const id = Bun.randomUUIDv7()
  const secret = generateSecret()
  prepare(
    db,
    `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE person_id = ?
       ORDER BY last_used_at_ms DESC, id DESC LIMIT -1 OFFSET ?)`,
  ).run(personId, limits.sessionsPerPersonMax - 1)
  prepare(
    db,
    `INSERT INTO sessions (id, person_id, secret_sha256, rotated_at_ms, device, database_file, created_at_ms,
       last_used_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(id, personId, sha256(secret), nowMs, device, databaseFile(db), nowMs, nowMs)
  return { id, secret }
}

/** Finds a session of an enabled account. Throws `invalid_session`. The caller checks the times with `ensureLasting`. */
export function findSession(db: Database, secret: string): FoundSession {
  const digest = sha256(secret)
  const row =
    secretPattern.test(secret) &&
    prepare<[Buffer, Buffer, string], SessionRow>(
      db,
      `SELECT ${columns}, sessions.secret_sha256 AS secret, previous_sha256 AS previous, rotated_at_ms AS rotatedAtMs,
         accounts.id AS accountId, role, plan_id AS planId, api_keys.id AS keyId
       FROM sessions JOIN persons ON persons.id = person_id JOIN accounts ON accounts.id = persons.account_id
         JOIN api_keys ON api_keys.account_id = accounts.id AND kind = 'console'
       WHERE (sessions.secret_sha256 = ? OR previous_sha256 = ?) AND database_file = ? AND accounts.status = 'enabled'`,
    ).get(digest, digest, databaseFile(db))
  if (!row) throw sessionEnded()
  const { id, personId, device, createdAtMs, lastUsedAtMs, rotatedAtMs, accountId, keyId, role, planId } = row
  const session = { id, personId }
  return {
    ...{ id, personId, device, createdAtMs, lastUsedAtMs, rotatedAtMs },
    isPrevious: !row.secret.equals(digest),
    hasPrevious: row.previous !== null,
    caller: { accountId, keyId, role, planId, limits: { tts: null, clone: null }, expiresAtMs: null, session },
  }
}

/** Throws `invalid_session` when the session has ended. A clock that was put back prolongs it at most by that time. */
export function ensureLasting(session: Pick<Session, 'createdAtMs' | 'lastUsedAtMs'>, nowMs: number): void {
  if (nowMs >= endOf(session)) throw sessionEnded()
}

/** When the session ends if it is not used again. */
export function endOf({ createdAtMs, lastUsedAtMs }: Pick<Session, 'createdAtMs' | 'lastUsedAtMs'>): number {
  return Math.min(createdAtMs + limits.sessionLifetimeMs, lastUsedAtMs + limits.sessionIdleMs)
}

export function sessionEnded(): AppError {
  return new AppError('invalid_session', 'The session has ended; sign in again.', { param: 'Cookie' })
}

/** Replaces the secret when it is due, and returns the new one. */
export function rotateSession(db: Database, secret: string, session: FoundSession, nowMs: number): string | undefined {
  const { id, isPrevious, hasPrevious, rotatedAtMs } = session
  const ageMs = nowMs - rotatedAtMs
  // The answer with the new secret may have been lost: then only the previous one is in use.
  if (isPrevious ? ageMs >= limits.sessionOverlapMs : ageMs >= limits.sessionRotationMs) {
    const next = generateSecret()
    const sql = 'UPDATE sessions SET secret_sha256 = ?, previous_sha256 = ?, rotated_at_ms = ? WHERE id = ?'
    transact(db, () => prepare(db, sql).run(sha256(next), sha256(secret), nowMs, id))
    return next
  }
  if (!isPrevious && hasPrevious && ageMs >= limits.sessionOverlapMs)
    transact(db, () => prepare(db, 'UPDATE sessions SET previous_sha256 = NULL WHERE id = ?').run(id))
  return undefined
}

/** Replaces the secret at once, and returns the new one: no copy of an old one works any more. */
export function replaceSecret(db: Database, id: string, nowMs: number): string {
  const secret = generateSecret()
  const sql = 'UPDATE sessions SET secret_sha256 = ?, previous_sha256 = NULL, rotated_at_ms = ? WHERE id = ?'
  prepare(db, sql).run(sha256(secret), nowMs, id)
  return secret
}

/** Lists a person's sessions that have not ended, newest first. */
export function listSessions(db: Database, personId: string, nowMs: number): Session[] {
  const sql = `SELECT ${columns} FROM sessions WHERE person_id = ? AND database_file = ? ORDER BY created_at_ms DESC, id DESC`
  const rows = prepare<[string, string], Session>(db, sql).all(personId, databaseFile(db))
  return rows.filter((session) => nowMs < endOf(session))
}

/** Whether the person had this session. */
export function endSession(db: Database, personId: string, id: string): boolean {
  return prepare(db, 'DELETE FROM sessions WHERE id = ? AND person_id = ?').run(id, personId).changes > 0
}

/** Ends the sessions of a person, except one. Returns how many. */
export function endSessions(db: Database, personId: string, exceptId = ''): number {
  return prepare(db, 'DELETE FROM sessions WHERE person_id = ? AND id <> ?').run(personId, exceptId).changes
}

export function endSessionsOfAccount(db: Database, accountId: string): void {
  prepare(db, 'DELETE FROM sessions WHERE person_id IN (SELECT id FROM persons WHERE account_id = ?)').run(accountId)
}

/** Removes the rows of sessions that have ended. */
export function removeEndedSessions(db: Database, nowMs: number): void {
  const values = [nowMs - limits.sessionLifetimeMs, nowMs - limits.sessionIdleMs, databaseFile(db)] as const
  const ended = 'created_at_ms <= ? OR last_used_at_ms <= ? OR database_file <> ?'
  // Without ended sessions nothing is written.
  if (prepare(db, `SELECT 1 FROM sessions WHERE ${ended} LIMIT 1`).get(...values))
    transact(db, () => prepare(db, `DELETE FROM sessions WHERE ${ended}`).run(...values))
}

/** The times at which sessions were last used, kept in memory and written at intervals, as for keys. */
export function createSessionUse(db: Database) {
  const lastUsed = new Map<string, number>()
  return {
    note(sessionId: string, nowMs: number): void {
      lastUsed.set(sessionId, nowMs)
    },
    /** The session with its last use that is not written yet. */
    update<S extends Session>(session: S): S {
      const lastUsedAtMs = Math.max(session.lastUsedAtMs, lastUsed.get(session.id) ?? 0)
      return { ...session, lastUsedAtMs }
    },
    /** Must run inside a transaction. */
    write(): void {
      const update = prepare(db, 'UPDATE sessions SET last_used_at_ms = max(last_used_at_ms, ?) WHERE id = ?')
      for (const [sessionId, nowMs] of lastUsed) update.run(nowMs, sessionId)
      lastUsed.clear()
    },
    get isEmpty() {
      return lastUsed.size === 0
    },
  }
}

/** Identifies the file of the database: a copy has another number or another time of creation. */
function databaseFile(db: Database): string {
  let file = files.get(db)
  if (file === undefined) files.set(db, (file = identify(db)))
  return file
}

function identify(db: Database): string {
  if (db.memory) return 'memory'
  const { ino, birthtimeMs } = statSync(db.name, { bigint: true })
  return `${ino}.${birthtimeMs}`
}
