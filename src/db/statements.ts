/** Prepared statements, transactions and cached reads, each kept per database. */
import type { Database, Statement } from 'better-sqlite3'
import { limits } from '../config'
import { AppError } from '../errors'
import { isDiskFailure } from './database'

const statements = new WeakMap<Database, Map<string, Statement>>()
/** How many write transactions this process has ended. */
const writes = new WeakMap<Database, number>()

/**
 * Returns the prepared statement for `sql`, and prepares it at the first use: a start pays only for what it uses. `sql`
 * must be a constant of the program and never contain values.
 */
export function prepare<Parameters extends unknown[] | {} = unknown[], Row = unknown>(db: Database, sql: string) {
  let prepared = statements.get(db)
  if (!prepared) statements.set(db, (prepared = new Map()))
  let statement = prepared.get(sql)
  if (!statement) prepared.set(sql, (statement = db.prepare(sql)))
  return statement as Statement<Parameters extends unknown[] ? Parameters : [Parameters], Row>
}

/**
 * Runs `work` as one transaction that takes the write lock at once. Inside another transaction `work` joins that one.
 * `work` must not await. Throws `storage_failed` when the disk fails or is full.
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
 * Runs `work`, and runs it again while another process holds the write lock. Other requests go on between the attempts.
 * Throws `storage_failed` after `limits.databaseBusyMs`.
 */
export async function retryWhileBusy<T>(work: () => T): Promise<T> {
  const endAtMs = performance.now() + limits.databaseBusyMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > endAtMs)
        throw new AppError('storage_failed', 'The database is busy; nothing was charged. Try again.', { cause: error })
    }
    await Bun.sleep(busyPollMs)
  }
}

/** Whether another process holds the write lock. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_BUSY/.test((error as { code?: string }).code ?? '')
}

/** How old the answer may be. Asking costs as much as a short request, and a user does not notice this delay. */
const foreignWritesSeenWithinMs = 1

/** Returns a function whose number changes when another process writes to the database. */
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
 * Caches at most `entriesMax` values read from the database. A write by this process (in `transact`) or another one
 * empties the cache. Errors are not cached.
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
