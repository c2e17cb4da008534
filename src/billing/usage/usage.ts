/**
 * The history of requests: one row per request id, opened in the transaction that holds its units. A finished row never
 * changes, except that a retry reopens the row of a failed request. Sums per day are kept beside it. A row holds no
 * text, only a digest that tells whether two requests are the same.
 *
 * Every function that writes must run inside a transaction (`transact`).
 */
import type { Database } from '../../db/database'
import { prepare } from '../../db/statements'
import { assert } from '../../errors'

/** How a request came: an endpoint of `/api/v1` or `/v1`, a protocol, or the console. */
export const surfaces = ['api', 'v1', 'stream', 'ws', 'wyoming', 'console'] as const
export type Surface = (typeof surfaces)[number]

export type UsageStart = {
  readonly requestId: string
  readonly kind: 'tts' | 'clone'
  readonly surface: Surface
  readonly accountId: string
  readonly keyId: string
  readonly createdAtMs: number
  readonly voiceId: string
  readonly characters: number
  readonly speed: number | null
  readonly format: string | null
  /** Digest of the request's fields. */
  readonly digest: Uint8Array | null
}

export type UsageRow = Omit<UsageStart, 'digest'> & {
  readonly id: number
  /** Units charged. */
  readonly units: number
  readonly fileName: string | null
  /** Length of the audio. */
  readonly audioMs: number | null
  /** How long the work took. */
  readonly processingMs: number | null
  /** The account's balance after the charge. */
  readonly remaining: number | null
  /** partial: a stream that ended early; a part of its characters was charged. */
  readonly status: 'running' | 'charged' | 'partial' | 'uncharged' | 'failed'
  /** The public code of a failure; null otherwise. A partial request may have one. */
  readonly errorCode: string | null
}

export type UsageFilter = {
  /** undefined: all accounts. */
  readonly accountId?: string
  readonly keyId?: string
  /** Inclusive. */
  readonly fromMs?: number
  /** Exclusive. */
  readonly toMs?: number
}

export type UsageDay = {
  readonly day: number
  readonly requests: number
  readonly units: number
  readonly audioMs: number
}

const columns = `id, request_id AS requestId, kind, account_id AS accountId, key_id AS keyId,
  created_at_ms AS createdAtMs, voice_id AS voiceId, characters, units, speed, format, file_name AS fileName,
  audio_ms AS audioMs, processing_ms AS processingMs, remaining, status, error_code AS errorCode, surface`

/** Opens the row of a request. The request id must be new or belong to a failed request of the same account. */
export function startUsage(db: Database, start: UsageStart): void {
  const { requestId, kind, accountId, keyId, createdAtMs, voiceId, characters, speed, format, digest, surface } = start
  const values = [kind, keyId, createdAtMs, voiceId, characters, speed, format, digest, surface] as const
  const inserted = prepare(
    db,
    `INSERT INTO usage (kind, key_id, created_at_ms, voice_id, characters, speed, format, digest, surface,
       request_id, account_id, status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running') ON CONFLICT (request_id) DO NOTHING`,
  ).run(...values, requestId, accountId)
  if (inserted.changes === 1) return
  const earlier = findUsage(db, requestId)!
  assert(earlier.status === 'failed' && earlier.accountId === accountId, 'a request id is used once')
  addToDay(db, earlier, { requests: -1, units: 0, audioMs: 0 })
  prepare(
    db,
    `UPDATE usage SET kind = ?, key_id = ?, created_at_ms = ?, voice_id = ?, characters = ?, speed = ?, format = ?,
       digest = ?, surface = ?, status = 'running', error_code = NULL WHERE request_id = ?`,
  ).run(...values, requestId)
}

type Result = {
  readonly fileName: string | null
  readonly audioMs: number | null
  readonly processingMs: number
}

export type Outcome =
  | (Result & { readonly status: 'charged'; readonly units: number; readonly remaining: number })
  /** `units`: 1 to the characters. `errorCode` is the public code of a failure in the middle. */
  | (Result & {
      readonly status: 'partial'
      readonly units: number
      readonly remaining: number
      readonly errorCode: string | null
    })
  | (Result & { readonly status: 'uncharged' })
  /** `errorCode` is the public code. */
  | { readonly status: 'failed'; readonly errorCode: string }

/** Closes the row of a running request. */
export function finishUsage(db: Database, requestId: string, outcome: Outcome): void {
  const { status } = outcome
  const made = outcome.status === 'failed' ? { fileName: null, audioMs: null, processingMs: null } : outcome
  const { units, remaining } = 'units' in outcome ? outcome : { units: 0, remaining: null }
  const errorCode = 'errorCode' in outcome ? outcome.errorCode : null
  const row = prepare<unknown[], { accountId: string; createdAtMs: number }>(
    db,
    `UPDATE usage SET status = ?, units = ?, remaining = ?, file_name = ?, audio_ms = ?, processing_ms = ?, error_code = ?
     WHERE request_id = ? AND status = 'running' RETURNING account_id AS accountId, created_at_ms AS createdAtMs`,
  ).get(status, units, remaining, made.fileName, made.audioMs, made.processingMs, errorCode, requestId)
  assert(row, 'a running request is finished once')
  addToDay(db, row, { requests: 1, units, audioMs: made.audioMs ?? 0 })
}

const dayMs = 86_400_000

function addToDay(
  db: Database,
  { accountId, createdAtMs }: { accountId: string; createdAtMs: number },
  { requests, units, audioMs }: { requests: number; units: number; audioMs: number },
): void {
  const day = Math.floor(createdAtMs / dayMs)
  const sums = [requests, units, audioMs]
  const updated = prepare(
    db,
    `UPDATE usage_days SET requests = requests + ?, units = units + ?, audio_ms = audio_ms + ?
     WHERE account_id = ? AND day = ?`,
  ).run(...sums, accountId, day)
  if (updated.changes === 0)
    prepare(db, 'INSERT INTO usage_days (requests, units, audio_ms, account_id, day) VALUES (?, ?, ?, ?, ?)').run(
      ...sums,
      accountId,
      day,
    )
}

export function findUsage(db: Database, requestId: string): UsageRow | undefined {
  return prepare<[string], UsageRow>(db, `SELECT ${columns} FROM usage WHERE request_id = ?`).get(requestId)
}

/** Whether `digest` equals the digest of the request. */
export function hasDigest(db: Database, requestId: string, digest: Uint8Array): boolean {
  const row = prepare<[string], { digest: Buffer | null }>(db, 'SELECT digest FROM usage WHERE request_id = ?')
  return row.get(requestId)?.digest?.equals(digest) ?? false
}

/** Lists finished requests older than `before`, newest first by (time, row). */
export function listUsage(
  db: Database,
  { accountId, keyId, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER }: UsageFilter,
  { limit, before }: { limit: number; before: { createdAtMs: number; id: number } | undefined },
): UsageRow[] {
  if (accountId !== undefined && keyId !== undefined && !isKeyOf(db, keyId, accountId)) return []
  const start = before && before.createdAtMs < toMs ? before : { createdAtMs: toMs, id: 0 }
  const index = keyId !== undefined ? 'usage_by_key' : accountId !== undefined ? 'usage_by_account' : 'usage_by_age'
  const conditions = [
    ...(keyId !== undefined ? ['key_id = @keyId'] : []),
    ...(accountId !== undefined && keyId === undefined ? ['account_id = @accountId'] : []),
    'created_at_ms >= @fromMs',
    '(created_at_ms, id) < (@startMs, @startId)',
    "status <> 'running'",
  ]
  return prepare<Record<string, unknown>, UsageRow>(
    db,
    `SELECT ${columns} FROM usage INDEXED BY ${index} WHERE ${conditions.join(' AND ')}
     ORDER BY created_at_ms DESC, id DESC LIMIT @limit`,
  ).all({ keyId, accountId, fromMs, startMs: start.createdAtMs, startId: start.id, limit })
}

/** Checked first; otherwise the query would scan every row of another account's key. */
function isKeyOf(db: Database, keyId: string, accountId: string): boolean {
  const sql = 'SELECT 1 FROM api_keys WHERE id = ? AND account_id = ?'
  return prepare(db, sql).get(keyId, accountId) !== undefined
}

/** Lists the sums of the days with requests, oldest first, from `fromDay` (days since 1970, UTC). */
export function listUsageDays(db: Database, accountId: string, fromDay: number): UsageDay[] {
  return prepare<[string, number], UsageDay>(
    db,
    `SELECT day, requests, units, audio_ms AS audioMs FROM usage_days WHERE account_id = ? AND day >= ? ORDER BY day`,
  ).all(accountId, fromDay)
}

/** The day of a time: days since 1970, UTC. */
export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / dayMs)
}
