/** Prepared statements, transactions, and what was read and may be remembered: all belong to one database. */
import type { Database, Statement } from 'better-sqlite3'
import { limits } from '../config'
import { AppError } from '../errors'
import { isDiskFailure } from './database'

const statements = new WeakMap<Database, Map<string, Statement>>()
/** How often this process ended a transaction that could write. */
const writes = new WeakMap<Database, number>()

/**
 * The statement for `sql`, prepared when it is first needed: a start pays only for what it uses. `sql` must be one of
 * the program's own texts, never put together from values.
 */
export function prepare<Parameters extends unknown[] | {} = unknown[], Row = unknown>(db: Database, sql: string) {
  let prepared = statements.get(db)
  if (!prepared) statements.set(db, (prepared = new Map()))
  let statement = prepared.get(sql)
  if (!statement) prepared.set(sql, (statement = db.prepare(sql)))
  return statement as Statement<Parameters extends unknown[] ? Parameters : [Parameters], Row>
}

/**
 * Runs `work` as one transaction that has the right to write from its beginning; inside another one it becomes part of
 * that. Nothing may be awaited inside. Throws `storage_failed` when the disk does not take it.
 */
export function transact<T>(db: Database, work: () => T): T {
  if (db.inTransaction) return work()
  prepare(db, 'BEGIN IMMEDIATE').run()
  try {
    const result = work()
    prepare(db, 'COMMIT').run()
    return result
  } catch (error) {
    // A full disk may have ended the transaction already.
    if (db.inTransaction) prepare(db, 'ROLLBACK').run()
    if (isDiskFailure(error))
      throw new AppError('storage_failed', 'The server could not write to its disk; nothing was charged. Try again.', {
        cause: error,
      })
    throw error
  } finally {
    writes.set(db, (writes.get(db) ?? 0) + 1)
  }
}

const busyPollMs = 10

/**
 * Runs `work`, again and again while another process has the right to write; others get their turn meanwhile. Throws
 * `storage_failed` when that takes longer than `limits.databaseBusyMs`.
 */
export async function retryWhileBusy<T>(work: () => T): Promise<T> {
  const endAtMs = performance.now() + limits.databaseBusyMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!/^SQLITE_BUSY/.test((error as { code?: string }).code ?? '')) throw error
      if (performance.now() > endAtMs)
        throw new AppError('storage_failed', 'The database is busy; nothing was charged. Try again.', { cause: error })
    }
    await Bun.sleep(busyPollMs)
  }
}

/** Asking costs as much as a short request; nobody at a command line notices so short a delay. */
const foreignWritesSeenWithinMs = 1

/** A number that changes when another process writes to the database. */
export function createForeignWrites(db: Database): () => number {
  const version = db.prepare<[], number>('PRAGMA data_version').pluck()
  let seen = 0
  let seenAtMs = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now - seenAtMs < foreignWritesSeenWithinMs) return seen
    seenAtMs = now
    return (seen = version.get()!)
  }
}

/**
 * Remembers what was read from the database until it changes, by this process (in `transact`) or another one. At most
 * `entriesMax` values; what throws is not remembered.
 */
export function createMemo(db: Database, entriesMax: number) {
  const values = new Map<string, unknown>()
  const foreignWrites = createForeignWrites(db)
  let seen: number | undefined
  let seenForeign: number | undefined
  return <T>(key: string, read: () => T): T => {
    const [own, foreign] = [writes.get(db), foreignWrites()]
    if (own !== seen || foreign !== seenForeign || values.size >= entriesMax) values.clear()
    seen = own
    seenForeign = foreign
    let value = values.get(key) as T | undefined
    if (value === undefined) values.set(key, (value = read()))
    return value
  }
}
