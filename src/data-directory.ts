/**
 * Checks that the parts of a data directory belong together. Audio files beside a missing or empty database mean that
 * rows were lost, for example in a copy without `sonant.db-wal`. A server must not start from scratch there. SQLite
 * must not open it either, because it deletes the log beside an empty database, and the log holds the rows.
 */
import { existsSync, opendirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hasAccounts } from './account/accounts'
import { audioDirectory, ConfigError, databasePath, referencesDirectory } from './config'
import { openDatabase, openExistingDatabase, type Database } from './db/database'
import { temporarySuffix } from './storage/files'

/** Opens the database for the server, and creates it in a new directory. Throws `ConfigError` when rows were lost. */
export function openServerDatabase(dataDirectory: string): Database {
  ensureDatabaseFile(dataDirectory)
  return openDatabase(databasePath({ dataDirectory }), (db) => ensureNotEmptied(db, dataDirectory))
}

/** Opens an existing database for the command line. Throws `ConfigError` when it is missing or rows were lost. */
export function openVerbDatabase(dataDirectory: string): Database {
  ensureDatabaseFile(dataDirectory)
  return openExistingDatabase(databasePath({ dataDirectory }), (db) => ensureNotEmptied(db, dataDirectory))
}

/** Checks a directory that may have no database yet. Throws `ConfigError` when rows were lost. */
export function ensureNothingLost(dataDirectory: string): void {
  ensureDatabaseFile(dataDirectory)
  if (existsSync(databasePath({ dataDirectory }))) openVerbDatabase(dataDirectory).close()
}

function ensureDatabaseFile(dataDirectory: string): void {
  const path = databasePath({ dataDirectory })
  const found = statSync(path, { throwIfNoEntry: false })
  if (found && found.size > 0) return
  const state = found ? 'is empty' : 'is missing'
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (log && log.size > 0)
    throw new ConfigError(
      `sonant.db in ${dataDirectory} ${state}, but its log sonant.db-wal is there; the rows are in both, so put back the sonant.db that belongs to it`,
    )
  refuseFiles(dataDirectory, state)
}

function ensureNotEmptied(db: Database, dataDirectory: string): void {
  const isMade = db.pragma('user_version', { simple: true }) !== 0
  if (!isMade || !hasAccounts(db)) refuseFiles(dataDirectory, 'holds no account')
}

function refuseFiles(dataDirectory: string, state: string): void {
  const names = [audioDirectory, referencesDirectory]
    .map((pathOf) => pathOf({ dataDirectory }))
    .filter(holdsFiles)
    .map((path) => `${path.slice(dataDirectory.length + 1)}/`)
    .join(' and ')
  if (names === '') return
  throw new ConfigError(
    `sonant.db in ${dataDirectory} ${state}, but ${names} still has files of an installation. ` +
      'This is how a copy of sonant.db without its sonant.db-wal looks: restore both, or a backup (sonant help backup). ' +
      `To begin anew without the old accounts, move ${names} to another place`,
  )
}

/** Whether `path` holds a complete file, in folders too. Stops at the first one. */
function holdsFiles(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false
  const directory = opendirSync(path)
  try {
    for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
      const isHeld = entry.isDirectory() ? holdsFiles(join(path, entry.name)) : !entry.name.endsWith(temporarySuffix)
      if (isHeld) return true
    }
    return false
  } finally {
    directory.closeSync()
  }
}
