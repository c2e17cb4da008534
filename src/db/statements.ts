/** Prepared statements, kept with the database that they belong to. */
import type { Database, Statement } from 'better-sqlite3'
import { AppError } from '../errors'

const statements = new WeakMap<Database, Map<string, Statement>>()

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
    if (/^SQLITE_(FULL|IOERR)/.test((error as { code?: string }).code ?? ''))
      throw new AppError('storage_failed', 'The server could not write to its disk; nothing was charged. Try again.', {
        cause: error,
      })
    throw error
  }
}
