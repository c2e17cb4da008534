/** Reads of the history that may pass over many rows: in steps, between which other work runs. */
import type { Database } from '../../db/database'
import { readPageInSteps, stepRows } from '../../db/scan'
import { prepare } from '../../db/statements'
import { nextTurn } from '../../db/turns'
import {
  findPlace,
  hasForeignKey,
  listUsage,
  matching,
  valuesOf,
  type Place,
  type UsageDay,
  type UsageFilter,
  type UsageRow,
} from './usage'

export type UsageStep = {
  readonly rows: readonly UsageRow[]
  /** Where the next step begins; undefined: the history has no more rows. */
  readonly next: Place | undefined
}

/**
 * Yields the requests that match, newest first, in steps of at most `rowsPerStep` rows of the history; a step may find
 * none. The caller lets other work run between two steps.
 */
export function* scanUsage(
  db: Database,
  filter: UsageFilter,
  start: Place | undefined,
  rowsPerStep = stepRows,
): Generator<UsageStep> {
  const isSelective = filter.voiceId !== undefined || filter.status !== undefined
  for (let before = start; ;) {
    const last = isSelective ? findPlace(db, filter, before, rowsPerStep) : undefined
    const rows = listUsage(db, filter, { before, last, limit: rowsPerStep })
    const next = isSelective ? last : rows[rowsPerStep - 1]
    yield { rows, next }
    if (!next) return
    before = next
  }
}

/**
 * Reads one page: at most `limit` requests, and fewer where the filter matches few of very many requests. `next`:
 * where the next page begins; undefined: this is the last one.
 */
export async function readUsagePage(
  db: Database,
  filter: UsageFilter,
  { limit, before, scanRowsMax }: { limit: number; before: Place | undefined; scanRowsMax?: number },
): Promise<{ rows: UsageRow[]; next: Place | undefined }> {
  if (filter.voiceId === undefined && filter.status === undefined) {
    const rows = listUsage(db, filter, { limit, before })
    return { rows, next: rows[limit - 1] }
  }
  return readPageInSteps<number, UsageRow>(
    {
      findPlace: (from, rows) => findPlace(db, filter, from, rows),
      list: (range) => listUsage(db, filter, range),
    },
    { limit, before, scanRowsMax },
  )
}

export type UsageTotals = {
  readonly requests: number
  readonly characters: number
  readonly units: number
  readonly audioMs: number
  readonly failed: number
}

/** Sums up the finished requests that match. Ends early, with a part of them, when `signal` is aborted. */
export async function sumUsage(db: Database, filter: UsageFilter, signal?: AbortSignal): Promise<UsageTotals> {
  let totals: UsageTotals = { requests: 0, characters: 0, units: 0, audioMs: 0, failed: 0 }
  if (hasForeignKey(db, filter)) return totals
  let before: Place | undefined
  do {
    const last = findPlace(db, filter, before, stepRows)
    const step = prepare<Record<string, unknown>, UsageTotals>(
      db,
      `SELECT count(*) AS requests, total(characters) AS characters, total(units) AS units, total(audio_ms) AS audioMs,
         total(status = 'failed') AS failed FROM ${matching(filter, { before, last })}`,
    ).get(valuesOf(filter, { before, last }))!
    totals = add(totals, step)
    before = last
    await nextTurn()
  } while (before && !signal?.aborted)
  return totals
}

function add(a: UsageTotals, b: UsageTotals): UsageTotals {
  return {
    requests: a.requests + b.requests,
    characters: a.characters + b.characters,
    units: a.units + b.units,
    audioMs: a.audioMs + b.audioMs,
    failed: a.failed + b.failed,
  }
}

/** Accounts of one step. */
const stepAccounts = 200

/** Lists the sums of the days with requests from `fromDay` (days since 1970, UTC), of all accounts together, by day. */
export async function sumUsageDays(db: Database, fromDay: number): Promise<Iterable<UsageDay>> {
  const sums = new Map<number, UsageDay>()
  let after: string | undefined = ''
  while (after !== undefined) {
    const last: string | undefined = prepare<[string, number], { id: string }>(
      db,
      'SELECT account_id AS id FROM balances WHERE account_id > ? ORDER BY account_id LIMIT 1 OFFSET ?',
    ).get(after, stepAccounts - 1)?.id
    const days = prepare<Record<string, unknown>, UsageDay>(
      db,
      `SELECT day, sum(requests) AS requests, sum(units) AS units, sum(audio_ms) AS audioMs
       FROM balances CROSS JOIN usage_days ON usage_days.account_id = balances.account_id AND day >= @fromDay
       WHERE balances.account_id > @after AND (@last IS NULL OR balances.account_id <= @last) GROUP BY day`,
    ).all({ fromDay, after, last: last ?? null })
    for (const { day, requests, units, audioMs } of days) {
      const sum = sums.get(day) ?? { requests: 0, units: 0, audioMs: 0 }
      sums.set(day, {
        day,
        requests: sum.requests + requests,
        units: sum.units + units,
        audioMs: sum.audioMs + audioMs,
      })
    }
    after = last
    await nextTurn()
  }
  return sums.values()
}
