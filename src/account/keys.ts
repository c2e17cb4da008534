/**
 * API keys: 256 random bits, shown once. Only the SHA-256 is stored; with that much entropy a slow hash would add
 * nothing. A key is found by its hash, so no comparison can leak its timing.
 */
import type { Database } from '../db/database'
import { prepare } from '../db/statements'
import { AppError, assert } from '../errors'
import { sha256 } from '../hash'
import type { Role } from './accounts'
import { generateSecret } from './secrets'

/** The account that a key authenticates, and the key's rights. */
export type Caller = {
  readonly accountId: string
  readonly keyId: string
  readonly role: Role
  readonly planId: string | null
  readonly limits: KeyLimits
  /** From this time on the key is refused. null: it never expires. */
  readonly expiresAtMs: number | null
  /** The session of a person, who draws on the account through its console key. Absent for an API key. */
  readonly session?: { readonly id: string; readonly personId: string }
}

/** Calls per minute. null: the server's setting applies. */
export type KeyLimits = { readonly tts: number | null; readonly clone: number | null }

export type Key = {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** `sk-` and the first four digits: enough to recognise the key, not to use it. */
  readonly prefix: string
  readonly status: 'active' | 'revoked' | 'deleted'
  readonly limits: KeyLimits
  readonly expiresAtMs: number | null
  /** From this time on the key is revoked: another one has replaced it. null: none has. */
  readonly revokesAtMs: number | null
  readonly createdAtMs: number
  readonly lastUsedAtMs: number | null
}

export type NewKey = Pick<Key, 'accountId' | 'name' | 'limits' | 'expiresAtMs'> & {
  readonly nowMs: number
  /** A key chosen by a test or by the operator. Without it the key is random. */
  readonly apiKey?: string
}

type KeyRow = Omit<Key, 'limits'> & { limitTts: number | null; limitClone: number | null }

const columns = `id, account_id AS accountId, name, prefix, status, limit_tts AS limitTts, limit_clone AS limitClone,
  expires_at_ms AS expiresAtMs, revokes_at_ms AS revokesAtMs, created_at_ms AS createdAtMs,
  last_used_at_ms AS lastUsedAtMs`

const prefixLength = 'sk-'.length + 4

/** Creates a key. `apiKey` is the only copy of the secret. Throws `conflict` when a given key exists already. */
export function createKey(db: Database, request: NewKey): { key: Key; apiKey: string } {
  const { accountId, name, limits, expiresAtMs, nowMs, apiKey = `sk-${generateSecret()}` } = request
  const id = Bun.randomUUIDv7()
  const inserted = prepare(
    db,
    `INSERT INTO api_keys (id, account_id, name, prefix, secret_sha256, status, expires_at_ms, limit_tts, limit_clone, created_at_ms)
     VALUES (?, ?, ?, ?, ?, 'active', ?, ?, ?, ?) ON CONFLICT (secret_sha256) DO NOTHING`,
  ).run(
    id,
    accountId,
    name,
    apiKey.slice(0, prefixLength),
    sha256(apiKey),
    expiresAtMs,
    limits.tts,
    limits.clone,
    nowMs,
  )
  if (inserted.changes === 0) throw new AppError('conflict', 'This API key exists already.')
  return { key: findKey(db, id)!, apiKey }
}

/**
 * Returns the id of the account's hidden key of the console, and whether this call created it. It has no secret, is
 * never listed and cannot be revoked. Must run in a transaction, in which the caller opens its spending.
 */
export function ensureConsoleKey(db: Database, accountId: string, nowMs: number): { id: string; isNew: boolean } {
  const found = prepare<[string], { id: string }>(
    db,
    "SELECT id FROM api_keys WHERE account_id = ? AND kind = 'console'",
  ).get(accountId)
  if (found) return { ...found, isNew: false }
  const id = Bun.randomUUIDv7()
  prepare(
    db,
    `INSERT INTO api_keys (id, account_id, kind, name, status, created_at_ms) VALUES (?, ?, 'console', 'console', 'active', ?)`,
  ).run(id, accountId, nowMs)
  return { id, isNew: true }
}

/** Finds a key, also one that is revoked or deleted. The hidden key of the console is not found. */
export function findKey(db: Database, id: string): Key | undefined {
  const row = prepare<[string], KeyRow>(db, `SELECT ${columns} FROM api_keys WHERE id = ? AND kind = 'api'`).get(id)
  return row && asKey(row)
}

/** Lists an account's keys, oldest first, without the deleted ones and the hidden key of the console. */
export function listKeys(db: Database, accountId: string): Key[] {
  const sql = `SELECT ${columns} FROM api_keys WHERE account_id = ? AND status <> 'deleted' AND kind = 'api'
    ORDER BY created_at_ms, id`
  return prepare<[string], KeyRow>(db, sql).all(accountId).map(asKey)
}

/** How many keys `listKeys` lists. */
export function countKeys(db: Database, accountId: string): number {
  const sql = "SELECT count(*) AS count FROM api_keys WHERE account_id = ? AND status <> 'deleted' AND kind = 'api'"
  return prepare<[string], { count: number }>(db, sql).get(accountId)!.count
}

/** Writes name, status, limits, expiry and time of revocation. The other fields of a key never change. */
export function updateKey(db: Database, { id, name, status, limits, expiresAtMs, revokesAtMs }: Key): void {
  const sql = `UPDATE api_keys SET name = ?, status = ?, limit_tts = ?, limit_clone = ?, expires_at_ms = ?,
    revokes_at_ms = ? WHERE id = ?`
  prepare(db, sql).run(name, status, limits.tts, limits.clone, expiresAtMs, revokesAtMs, id)
}

/** Whether requests with the key are refused as revoked. */
export function isRevoked({ status, revokesAtMs }: Pick<Key, 'status' | 'revokesAtMs'>, nowMs: number): boolean {
  return status === 'revoked' || (revokesAtMs !== null && revokesAtMs <= nowMs)
}

/** Whether an enabled administrator has a working key other than `exceptId`. */
export function hasAdministratorKey(
  db: Database,
  { nowMs, exceptId = '' }: { readonly nowMs: number; readonly exceptId?: string },
): boolean {
  const sql = `SELECT 1 FROM api_keys JOIN accounts ON accounts.id = account_id
    WHERE role = 'admin' AND accounts.status = 'enabled' AND api_keys.status = 'active' AND kind = 'api'
      AND (expires_at_ms IS NULL OR expires_at_ms > ?) AND (revokes_at_ms IS NULL OR revokes_at_ms > ?)
      AND api_keys.id <> ? LIMIT 1`
  return prepare(db, sql).get(nowMs, nowMs, exceptId) !== undefined
}

type SecretRow = Pick<KeyRow, 'id' | 'accountId' | 'status' | 'limitTts' | 'limitClone' | 'expiresAtMs' | 'revokesAtMs'>
type OwnerRow = { role: Role; planId: string | null; status: 'enabled' | 'disabled' }

/**
 * Returns the owner of the key. Throws `invalid_api_key`, `api_key_revoked`, `account_disabled`, in this order. Two
 * look-ups are much faster than a join.
 */
export function authenticate(db: Database, apiKey: string, nowMs: number): Caller {
  const key = prepare<[Buffer], SecretRow>(
    db,
    `SELECT id, account_id AS accountId, status, limit_tts AS limitTts, limit_clone AS limitClone,
       expires_at_ms AS expiresAtMs, revokes_at_ms AS revokesAtMs FROM api_keys WHERE secret_sha256 = ?`,
  ).get(sha256(apiKey))
  if (!key || key.status === 'deleted')
    throw new AppError('invalid_api_key', 'The API key does not exist or was deleted.')
  if (isRevoked(key, nowMs)) throw new AppError('api_key_revoked', 'The API key was revoked.')
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs)
    throw new AppError('invalid_api_key', 'The API key has expired.')
  const { id: keyId, accountId, limitTts, limitClone } = key
  const expiresAtMs = earlier(key.expiresAtMs, key.revokesAtMs)
  const sql = 'SELECT role, plan_id AS planId, status FROM accounts WHERE id = ?'
  const owner = prepare<[string], OwnerRow>(db, sql).get(accountId)
  assert(owner, 'every key has its account')
  if (owner.status === 'disabled') throw new AppError('account_disabled', 'The account is disabled.')
  const { role, planId } = owner
  const limits = { tts: limitTts, clone: limitClone }
  return { accountId, keyId, role, planId, limits, expiresAtMs }
}

/** null: never. */
function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

/**
 * The times at which keys were last used. They are kept in memory and written at intervals: a durable write per request
 * would cost more than most requests.
 */
export function createKeyUse(db: Database) {
  const lastUsed = new Map<string, number>()
  return {
    note(keyId: string, nowMs: number): void {
      lastUsed.set(keyId, nowMs)
    },
    /** Must run inside a transaction. */
    write(): void {
      const update = prepare(db, 'UPDATE api_keys SET last_used_at_ms = ? WHERE id = ?')
      for (const [keyId, nowMs] of lastUsed) update.run(nowMs, keyId)
      lastUsed.clear()
    },
    get isEmpty() {
      return lastUsed.size === 0
    },
  }
}

function asKey({ limitTts, limitClone, ...row }: KeyRow): Key {
  return { ...row, limits: { tts: limitTts, clone: limitClone } }
}
