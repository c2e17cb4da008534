/** The history of requests in the form of the public interface: pages, days and CSV. */
import { limits } from '../config'
import type { Database } from '../db/database'
import { AppError } from '../errors'
import { optionalInstant, optionalInteger, optionalOneOf, optionalText, type Fields } from '../fields'
import { cursorAt, instant, readPage, refuseCursor } from '../paging'
import { readUsagePage, scanUsage, sumUsage, sumUsageDays } from './usage/scan'
import {
  dayOf,
  findUsage,
  finishedStatuses,
  listUsageDays,
  type UsageDay,
  type UsageFilter,
  type UsageRow,
} from './usage/usage'

export type UsageRecord = ReturnType<typeof describeRecord>

const idRules = { charactersMax: 64 }

/** Reads the filter. Without `accountId` the field `account_id` may name the account; else all accounts match. */
export function readFilter(fields: Fields, accountId: string | undefined): UsageFilter {
  return {
    accountId: accountId ?? optionalText(fields, 'account_id', idRules),
    keyId: optionalText(fields, 'key_id', idRules),
    voiceId: optionalText(fields, 'voice_id', idRules),
    status: optionalOneOf(fields, 'status', finishedStatuses),
    fromMs: optionalInstant(fields, 'from'),
    toMs: optionalInstant(fields, 'to'),
  }
}

/** Returns one page, newest first. */
export async function listRecords(db: Database, fields: Fields, filter: UsageFilter, storageUrl: string) {
  const { rows, nextCursor } = await readRows(db, fields, filter)
  return { records: rows.map((row) => describeRecord(row, storageUrl)), next_cursor: nextCursor }
}

/** As `listRecords`, for administrators: covers all accounts and adds the account id to each record. */
export async function listAllRecords(db: Database, fields: Fields, storageUrl: string) {
  const { rows, nextCursor } = await readRows(db, fields, readFilter(fields, undefined))
  const items = rows.map((row) => ({ ...describeRecord(row, storageUrl), account_id: row.accountId }))
  return { items, next_cursor: nextCursor }
}

async function readRows(db: Database, fields: Fields, filter: UsageFilter) {
  const { limit, before } = readPage(fields)
  if (before && !/^\d+$/.test(before.id)) throw refuseCursor(fields)
  const place = before && { ...before, id: Number(before.id) }
  const { rows, next } = await readUsagePage(db, filter, { limit, before: place })
  return { rows, nextCursor: next ? cursorAt({ ...next, id: String(next.id) }) : null }
}

/** Sums up all requests that match. Ends early when `signal` is aborted. */
export async function sumRecords(db: Database, filter: UsageFilter, signal?: AbortSignal) {
  const { audioMs, ...totals } = await sumUsage(db, filter, signal)
  const { requests, characters, units, failed } = totals
  return { requests, characters, units, audio_ms: audioMs, failed }
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
  const { days, firstDay } = readDays(fields, nowMs)
  return describeDays({ days, firstDay }, listUsageDays(db, accountId, firstDay))
}

/** As `listDays`, of the account in the field `account_id`, else of all accounts together. */
export async function listAllDays(db: Database, fields: Fields, nowMs: number) {
  const { accountId } = readFilter(fields, undefined)
  if (accountId !== undefined) return listDays(db, fields, accountId, nowMs)
  const { days, firstDay } = readDays(fields, nowMs)
  return describeDays({ days, firstDay }, await sumUsageDays(db, firstDay))
}

function readDays(fields: Fields, nowMs: number) {
  const days = optionalInteger(fields, 'days', { min: 1, max: limits.usageDaysMax }) ?? 30
  return { days, firstDay: dayOf(nowMs) - days + 1 }
}

function describeDays({ days, firstDay }: { days: number; firstDay: number }, found: Iterable<UsageDay>) {
  const sums = new Map([...found].map((sum) => [sum.day, sum]))
  return {
    days: Array.from({ length: days }, (_, i) => {
      const day = firstDay + i
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
 * Yields all matching requests as CSV (RFC 4180) in chunks, so that other requests run between them. A chunk is empty
 * where none of many requests matches. `withAccounts` adds the column `account_id`, for administrators.
 */
export function* streamCsv(
  db: Database,
  filter: UsageFilter,
  storageUrl: string,
  { withAccounts = false }: { withAccounts?: boolean } = {},
): Generator<string> {
  const columns = withAccounts ? [...csvColumns, 'account_id' as const] : csvColumns
  yield `${columns.join(',')}\r\n`
  for (const { rows, next } of scanUsage(db, filter, undefined, csvRowsAtOnce)) {
    const lines = rows.map((row) => {
      const record = { ...describeRecord(row, storageUrl), account_id: row.accountId }
      return columns.map((column) => csvValue(record[column])).join(',')
    })
    if (lines.length > 0 || next) yield lines.map((line) => `${line}\r\n`).join('')
  }
}

function csvValue(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
