/** Pages of a list whose filter no index serves: read in steps, between which other work runs. */
import { nextTurn } from './turns'

/** A place in a list by (time, id). */
export type Place<Id> = { readonly createdAtMs: number; readonly id: Id }

/** Rows older than `before` (undefined: all), down to and including `last` (undefined: to the oldest). */
export type Range<Id> = { readonly before: Place<Id> | undefined; readonly last?: Place<Id> | undefined }

type List<Row, Id> = {
  /** The place of the row that is `rows` rows behind `before`, whether it matches or not. undefined: there are fewer. */
  readonly findPlace: (before: Place<Id> | undefined, rows: number) => Place<Id> | undefined
  /** The rows that match, newest first. */
  readonly list: (range: Range<Id> & { readonly limit: number }) => readonly Row[]
}

type Wanted<Id> = {
  readonly limit: number
  readonly before: Place<Id> | undefined
  readonly scanRowsMax?: number | undefined
}

/** Rows of one step, which takes a few milliseconds. */
export const stepRows = 2_000
/** Rows that one page may pass over; about 50 ms of work in all. */
const pageScanRowsMax = 100_000

/**
 * Reads one page: at most `limit` rows, and fewer where few of very many rows match. `next`: where the next page begins;
 * undefined: this is the last one.
 */
export async function readPageInSteps<Id, Row extends Place<Id>>(
  { findPlace, list }: List<Row, Id>,
  { limit, before, scanRowsMax = pageScanRowsMax }: Wanted<Id>,
): Promise<{ rows: Row[]; next: Place<Id> | undefined }> {
  const rows: Row[] = []
  let from = before
  for (let scannedRows = stepRows; ; scannedRows += stepRows) {
    const last = findPlace(from, stepRows)
    rows.push(...list({ before: from, last, limit: limit - rows.length }))
    if (rows.length === limit) return { rows, next: rows.at(-1) }
    if (!last || scannedRows >= scanRowsMax) return { rows, next: last }
    from = last
    await nextTurn()
  }
}
