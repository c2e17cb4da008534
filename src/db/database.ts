/** Opens SQLite with durable commits and brings the schema up to date. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { ConfigError } from '../config'
import { migrations, runMigrations } from './migrations'

export type { Database } from 'better-sqlite3'

/** The most memory for pages. SQLite's default of 2 MiB halves the rate of charges with millions of requests. */
const cacheKib = 16 << 10

/** A command may wait longer for the write lock than a server, which must go on answering. */
const besideServerTimeoutMs = 15_000

/** Databases that were opened while the disk was full; see `openCramped`. */
const cramped = new WeakSet<Database.Database>()

/**
 * Opens a database for the server. `path` may be `:memory:`. `inspect` runs before anything is written; an error that
 * it throws ends the opening. Throws `ConfigError` when the file is no database or comes from a newer version of the
 * program. On a full disk a database of this version opens for reading; `isCramped` is then true.
 */
export function openDatabase(path: string, inspect?: (db: Database.Database) => void): Database.Database {
  try {
    return openWith(path, { inspect })
  } catch (error) {
    if (!isDiskFailure(error)) throw error
    return openCramped(path, error, inspect)
  }
}

/** `isExclusive`: locks other processes out. Closes the database when a step throws. */
function openWith(
  path: string,
  { isExclusive = false, inspect }: { isExclusive?: boolean; inspect?: (db: Database.Database) => void },
): Database.Database {
  const db = new Database(path)
  try {
    db.pragma('busy_timeout = 5000')
    // This must precede the first read.
    if (isExclusive) db.pragma('locking_mode = EXCLUSIVE')
    const directory = dirname(path)
    if (readVersion(db, directory) > migrations.length) throw newerDatabase(directory)
    inspect?.(db)
    db.pragma(`cache_size = -${cacheKib}`)
    db.pragma('journal_mode = WAL')
    // A commit of the migration must be atomic but not durable. Every later commit must be both.
    db.pragma('synchronous = NORMAL')
    // A migration replaces tables that others refer to. This pragma has no effect inside its transaction.
    db.pragma('foreign_keys = OFF')
    migrate(db)
    db.pragma('foreign_keys = ON')
    // Without this pragma REPLACE would bypass the triggers that forbid deletion.
    db.pragma('recursive_triggers = ON')
    db.pragma('synchronous = FULL')
    overwriteDeleted(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens a database on a full disk. The index of the write-ahead log is a shared file, for which the disk has no room. A
 * process with an exclusive lock keeps that index in memory instead. Throws `cause` for a database of another version.
 */
function openCramped(path: string, cause: unknown, inspect?: (db: Database.Database) => void): Database.Database {
  const ensureMade = (db: Database.Database) => {
    if (readVersion(db, dirname(path)) !== migrations.length) throw cause
    inspect?.(db)
  }
  const db = openWith(path, { isExclusive: true, inspect: ensureMade })
  cramped.add(db)
  return db
}

/** Whether the database was opened on a full disk and still excludes other processes. */
export function isCramped(db: Database.Database): boolean {
  return cramped.has(db)
}

/** Admits other processes to a cramped database. Throws when the disk still has no room; the database stays usable. */
export function uncramp(db: Database.Database): void {
  db.pragma('journal_mode = DELETE')
  db.pragma('locking_mode = NORMAL')
  // The next read releases the lock.
  db.pragma('user_version')
  db.pragma('journal_mode = WAL')
  cramped.delete(db)
}

/** A full disk gives one error or the other, depending on the file that SQLite was writing. */
export function isDiskFailure(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR)/.test((error as { code?: string }).code ?? '')
}

/**
 * Limits waits inside SQLite to 20 ms, because each one blocks every request. `retryWhileBusy` (statements.ts) waits
 * without blocking.
 */
export function waitBriefly(db: Database.Database): void {
  db.pragma('busy_timeout = 20')
}

/**
 * Opens the database of a data directory for a command; a server may be running on it. Only a server creates a database
 * or migrates it. Throws `ConfigError` when there is no database or when it is of another version.
 */
export function openExistingDatabase(path: string, inspect?: (db: Database.Database) => void): Database.Database {
  const directory = dirname(path)
  if (!statSync(path, { throwIfNoEntry: false }))
    throw new ConfigError(`there is no Sonant database in ${directory}; --data names the directory of the server`)
  const db = new Database(path, { fileMustExist: true })
  db.pragma(`busy_timeout = ${besideServerTimeoutMs}`)
  const version = readVersion(db, directory)
  if (version > migrations.length) throw newerDatabase(directory)
  inspectOrClose(db, inspect)
  if (version < migrations.length)
    throw new ConfigError(
      `the database in ${directory} is of an older version; start the server once to bring it up to date`,
    )
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  overwriteDeleted(db)
  return db
}

/** Deleted names and addresses would stay readable in free parts of the file. */
function overwriteDeleted(db: Database.Database): void {
  db.pragma('secure_delete = ON')
}

function inspectOrClose(db: Database.Database, inspect?: (db: Database.Database) => void): void {
  try {
    inspect?.(db)
  } catch (error) {
    db.close()
    throw error
  }
}

function newerDatabase(directory: string): ConfigError {
  return new ConfigError(
    `the database in ${directory} was written by a newer version of sonant; run that one, or restore a backup that is older (sonant version tells which this is)`,
  )
}

function readVersion(db: Database.Database, directory: string): number {
  try {
    return db.pragma('user_version', { simple: true }) as number
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_NOTADB') throw error
    throw new ConfigError(`sonant.db in ${directory} is not a database`)
  }
}

function migrate(db: Database.Database): void {
  const version = () => db.pragma('user_version', { simple: true }) as number
  if (version() === migrations.length) return
  db.transaction(() => runMigrations(db, version())).immediate()
}
