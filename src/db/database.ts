/** Opens SQLite with the settings that money needs, and brings the schema up to date. Knows no table but its own. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { ConfigError } from '../config'
import { migrations } from './migrations'

export type { Database } from 'better-sqlite3'

/** At most; SQLite's own 2 MiB make charges half as fast once there are millions of requests. */
const cacheKib = 16 << 10

/** Acts at the command line can wait longer for their turn than a server, which nobody else may stop. */
const besideServerTimeoutMs = 15_000

/** Opened while the disk was full; see `openCramped`. */
const cramped = new WeakSet<Database.Database>()

/**
 * `path` may be `:memory:`. `inspect` sees the database before anything is written to it; what it throws ends the
 * opening. Throws `ConfigError` when the file is no database, or is from a newer version of the program. On a full disk a
 * database of this version is opened all the same, `isCramped`: it can be read.
 */
export function openDatabase(path: string, inspect?: (db: Database.Database) => void): Database.Database {
  try {
    return openWith(path, { inspect })
  } catch (error) {
    if (!isDiskFailure(error)) throw error
    return openCramped(path, error, inspect)
  }
}

/** `isAlone`: no other process can open it. Closes it again when something throws. */
function openWith(
  path: string,
  { isAlone = false, inspect }: { isAlone?: boolean; inspect?: (db: Database.Database) => void },
): Database.Database {
  const db = new Database(path)
  try {
    db.pragma('busy_timeout = 5000')
    // Before anything that reads.
    if (isAlone) db.pragma('locking_mode = EXCLUSIVE')
    const directory = dirname(path)
    if (readVersion(db, directory) > migrations.length) throw newerDatabase(directory)
    inspect?.(db)
    db.pragma(`cache_size = -${cacheKib}`)
    db.pragma('journal_mode = WAL')
    // While the schema is made a commit need not be durable, only whole; from then on it must be both.
    db.pragma('synchronous = NORMAL')
    db.pragma('foreign_keys = ON')
    // Else REPLACE would delete rows past the triggers that keep them.
    db.pragma('recursive_triggers = ON')
    migrate(db)
    db.pragma('synchronous = FULL')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * The index of the write-ahead log is a file that other processes share, for which a full disk has no room. Whoever has
 * the database for itself keeps that index in memory. One of another version throws `cause`.
 */
function openCramped(path: string, cause: unknown, inspect?: (db: Database.Database) => void): Database.Database {
  const ensureMade = (db: Database.Database) => {
    if (readVersion(db, dirname(path)) !== migrations.length) throw cause
    inspect?.(db)
  }
  const db = openWith(path, { isAlone: true, inspect: ensureMade })
  cramped.add(db)
  return db
}

/** Whether it was opened on a full disk and is still closed to other processes. */
export function isCramped(db: Database.Database): boolean {
  return cramped.has(db)
}

/** Opens a cramped database to other processes. Throws when there is still no room for that; it then stays usable. */
export function uncramp(db: Database.Database): void {
  db.pragma('journal_mode = DELETE')
  db.pragma('locking_mode = NORMAL')
  // The lock goes with the next read.
  db.pragma('user_version')
  db.pragma('journal_mode = WAL')
  cramped.delete(db)
}

/** SQLite says the one or the other of a full disk, depending on which of its files finds no room. */
export function isDiskFailure(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR)/.test((error as { code?: string }).code ?? '')
}

/**
 * From here on nothing waits long for another process that writes: a wait inside SQLite would stop every request.
 * `retryWhileBusy` (statements.ts) waits outside of it.
 */
export function waitBriefly(db: Database.Database): void {
  db.pragma('busy_timeout = 20')
}

/**
 * Opens the database of a data directory beside the server that may be running on it. Only a server makes a database or
 * changes its schema. Throws `ConfigError` when there is none, or none of this version.
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
  return db
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
  db.transaction(() => {
    for (let next = version(); next < migrations.length; next++) db.exec(migrations[next]!)
    db.pragma(`user_version = ${migrations.length}`)
  }).immediate()
}
