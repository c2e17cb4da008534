/** The history of requests in the form of the public interface: pages, days and CSV. */
import { limits } from '../config'
import type { Database } from '../db/database'
import { AppError } from '../errors'
import { optionalInstant, optionalInteger, optionalText, type Fields } from '../fields'
import { cursorBehind, instant, readPage, refuseCursor } from '../paging'
import { dayOf, findUsage, listUsage, listUsageDays, type UsageFilter, type UsageRow } from './usage/usage'

export type UsageRecord = ReturnType<typeof describeRecord>

const idRules = { charactersMax: 64 }

/** Reads the filter. Without `accountId` the field `account_id` may name the account; else all accounts match. */
export function readFilter(fields: Fields, accountId: string | undefined): UsageFilter {
  return {
    accountId: accountId ?? optionalText(fields, 'account_id', idRules),
    keyId: optionalText(fields, 'key_id', idRules),
    fromMs: optionalInstant(fields, 'from'),
    toMs: optionalInstant(fields, 'to'),
  }
}

/** Returns one page, newest first. */
export function listRecords(db: Database, fields: Fields, filter: UsageFilter, storageUrl: string) {
  const { rows, nextCursor } = readRows(db, fields, filter)
  return { records: rows.map((row) => describeRecord(row, storageUrl)), next_cursor: nextCursor }
}

/** As `listRecords`, for administrators: covers all accounts and adds the account id to each record. */
export function listAllRecords(db: Database, fields: Fields, storageUrl: string) {
  const { rows, nextCursor } = readRows(db, fields, readFilter(fields, undefined))
  const items = rows.map((row) => ({ ...describeRecord(row, storageUrl), account_id: row.accountId }))
  return { items, next_cursor: nextCursor }
}

function readRows(db: Database, fields: Fields, filter: UsageFilter) {
  const { limit, before } = readPage(fields)
  if (before && !/^\d+$/.test(before.id)) throw refuseCursor(fields)
  const rows = listUsage(db, filter, { limit, before: before && { ...before, id: Number(before.id) } })
  const positions = rows.map(({ createdAtMs, id }) => ({ createdAtMs, id: String(id) }))
  return { rows, nextCursor: cursorBehind(positions, limit) }
}

/** Finds a finished request of the account. Throws `not_found`. */
export function findRecord(db: Database, requestId: string, accountId: string, storageUrl: string): UsageRecord {
  const row = findUsage(db, requestId.toLowerCase())
  if (!row || row.accountId !== accountId || row.status === 'running')
    throw new AppError('not_found', 'There is no request of that id in the history of this account.')
  return describeRecord(row, storageUrl)
}

export function describeRecord(row: UsageRow, storageUrl: string) {
  return {
    request_id: row.requestId,
    kind: row.kind,
    created_at: instant(row.createdAtMs),
    key_id: row.keyId,
    voice_id: row.voiceId,
    characters: row.characters,
    units: row.units,
    speed: row.speed,
    format: row.format,
    url: row.fileName === null ? null : `${storageUrl}/${row.fileName}`,
    audio_ms: row.audioMs,
    duration_ms: row.processingMs,
    surface: row.surface,
    status: row.status,
    error_code: row.errorCode,
  }
}

/** Lists the last `days` days (UTC), oldest first, including days without requests. */
export function listDays(db: Database, fields: Fields, accountId: string, nowMs: number) {
  const days = optionalInteger(fields, 'days', { min: 1, max: limits.usageDaysMax }) ?? 30
  const today = dayOf(nowMs)
  const sums = new Map(listUsageDays(db, accountId, today - days + 1).map((sum) => [sum.day, sum]))
  return {
    days: Array.from({ length: days }, (_, i) => {
      const day = today - days + 1 + i
      const { requests, units, audioMs } = sums.get(day) ?? { requests: 0, units: 0, audioMs: 0 }
      return { date: instant(day * 86_400_000).slice(0, 10), requests, units, audio_ms: audioMs }
    }),
  }
}

const csvColumns = [
  'request_id',
  'kind',
  'created_at',
  'key_id',
  'voice_id',
  'characters',
  'units',
  'speed',
  'format',
  'url',
  'audio_ms',
  'duration_ms',
  'surface',
  'status',
  'error_code',
] as const satisfies (keyof UsageRecord)[]

/** Rows per read; small enough that other requests are not delayed. */
const csvRowsAtOnce = 500

/**
 * Yields all matching requests as CSV (RFC 4180) in chunks, so that other requests run between them. `withAccounts`
 * adds the column `account_id`, for administrators.
 */
export function* streamCsv(
  db: Database,
  filter: UsageFilter,
  storageUrl: string,
  { withAccounts = false }: { withAccounts?: boolean } = {},
): Generator<string> {
  const columns = withAccounts ? [...csvColumns, 'account_id' as const] : csvColumns
  yield `${columns.join(',')}\r\n`
  let before: { createdAtMs: number; id: number } | undefined
  for (;;) {
    const rows = listUsage(db, filter, { limit: csvRowsAtOnce, before })
    const lines = rows.map((row) => {
      const record = { ...describeRecord(row, storageUrl), account_id: row.accountId }
      return columns.map((column) => csvValue(record[column])).join(',')
    })
    if (lines.length > 0) yield `${lines.join('\r\n')}\r\n`
    if (rows.length < csvRowsAtOnce) return
    before = rows.at(-1)
  }
}

function csvValue(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
