/**
 * A data directory belongs to one server at a time. The lock is an exclusive transaction on a database of its own that
 * is never committed: the system itself lets go of it when the process ends, however it ends.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { ConfigError } from '../config'

export type DirectoryLock = { release(): void }

const lockPath = (directory: string) => join(directory, 'lock.db')
/** Written once the lock is held. */
const holderPath = (directory: string) => join(directory, 'lock.pid')

/** Throws `ConfigError`, whose message says who holds it. */
export function lockDirectory(directory: string): DirectoryLock {
  const lock = tryLock(directory)
  if (!lock) throw new ConfigError(`${directory} is in use by process ${readHolder(holderPath(directory))}`)
  writeFileSync(holderPath(directory), String(process.pid))
  return lock
}

/**
 * Whether a server has it; undefined when none ever had. One that is about to take it is left alone: even a short look
 * at its lock could be in its way.
 */
export function isLocked(directory: string): boolean | undefined {
  if (!existsSync(holderPath(directory))) return undefined
  const lock = tryLock(directory, { fileMustExist: true })
  lock?.release()
  return lock === undefined
}

function tryLock(directory: string, { fileMustExist = false } = {}): DirectoryLock | undefined {
  const db = new Database(lockPath(directory), { timeout: 0, fileMustExist })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error
    return undefined
  }
  return { release: () => void db.close() }
}

function readHolder(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return 'unknown'
  }
}
