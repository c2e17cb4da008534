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
  readonly status: 'running' | FinishedStatus
  /** The public code of a failure; null otherwise. A partial request may have one. */
  readonly errorCode: string | null
}

export const finishedStatuses = ['charged', 'partial', 'uncharged', 'failed'] as const
export type FinishedStatus = (typeof finishedStatuses)[number]

export type UsageFilter = {
  /** undefined: all accounts. */
  readonly accountId?: string
  readonly keyId?: string
  readonly voiceId?: string
  readonly status?: FinishedStatus
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

/** A place in the history, in its order of (time, row). */
export type Place = { readonly createdAtMs: number; readonly id: number }

/** Requests older than `before` (undefined: all), down to and including `last` (undefined: to the oldest). */
export type UsageRange = { readonly before: Place | undefined; readonly last?: Place | undefined }

/** Lists finished requests, newest first by (time, row). A filter by voice or status reads all other rows of the range. */
export function listUsage(
  db: Database,
  filter: UsageFilter,
  { limit, ...range }: UsageRange & { readonly limit: number },
): UsageRow[] {
  if (hasForeignKey(db, filter)) return []
  return prepare<Record<string, unknown>, UsageRow>(
    db,
    `SELECT ${columns} FROM ${matching(filter, range)} ORDER BY created_at_ms DESC, id DESC LIMIT @limit`,
  ).all({ ...valuesOf(filter, range), limit })
}

/** The place of the row that is `rows` rows behind `before`, whatever its voice and status. undefined: there are fewer. */
export function findPlace(db: Database, filter: UsageFilter, before: Place | undefined, rows: number) {
  if (hasForeignKey(db, filter)) return undefined
  const { voiceId, status, ...wide } = filter
  return prepare<Record<string, unknown>, Place>(
    db,
    `SELECT created_at_ms AS createdAtMs, id FROM ${matching(wide, { before }, '')}
     ORDER BY created_at_ms DESC, id DESC LIMIT 1 OFFSET @rows - 1`,
  ).get({ ...valuesOf(wide, { before }), rows })
}

/** Table, index and conditions of the requests that match. `finished`: leaves out those that run. */
export function matching(
  { accountId, keyId, voiceId, status }: UsageFilter,
  { last }: UsageRange,
  finished = "status <> 'running'",
): string {
  const index = keyId !== undefined ? 'usage_by_key' : accountId !== undefined ? 'usage_by_account' : 'usage_by_age'
  const conditions = [
    keyId !== undefined ? 'key_id = @keyId' : accountId !== undefined && 'account_id = @accountId',
    'created_at_ms >= @fromMs',
    '(created_at_ms, id) < (@startMs, @startId)',
    last && '(created_at_ms, id) >= (@lastMs, @lastId)',
    voiceId !== undefined && 'voice_id = @voiceId',
    status !== undefined ? 'status = @status' : finished,
  ]
  return `usage INDEXED BY ${index} WHERE ${conditions.filter(Boolean).join(' AND ')}`
}

/** The values for `matching`. */
export function valuesOf(filter: UsageFilter, { before, last }: UsageRange): Record<string, unknown> {
  const { accountId, keyId, voiceId, status, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = filter
  const start = before && before.createdAtMs < toMs ? before : { createdAtMs: toMs, id: 0 }
  const places = { startMs: start.createdAtMs, startId: start.id, lastMs: last?.createdAtMs, lastId: last?.id }
  // SQLite uses one condition as the end of the range in the index.
  return { accountId, keyId, voiceId, status, fromMs: last?.createdAtMs ?? fromMs, ...places }
}

/** Whether the filter names a key of another account. Otherwise the query would read every row of that key. */
export function hasForeignKey(db: Database, { accountId, keyId }: UsageFilter): boolean {
  return accountId !== undefined && keyId !== undefined && !isKeyOf(db, keyId, accountId)
}

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
