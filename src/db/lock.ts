/**
 * Locks a data directory for one server at a time. The lock is an exclusive transaction on a separate database that is
 * never committed. The operating system releases it when the process ends, also after `kill -9`.
 */
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { ConfigError } from '../config'

export type DirectoryLock = { release(): void }

const lockPath = (directory: string) => join(directory, 'lock.db')
/** Written once the lock is held. */
const holderPath = (directory: string) => join(directory, 'lock.pid')

/** Takes the lock. Throws `ConfigError`, which names the process that holds it. */
export function lockDirectory(directory: string): DirectoryLock {
  const lock = tryLock(directory)
  if (!lock) throw new ConfigError(`${directory} is in use by ${describeHolder(directory)}`)
  writeHolder(directory)
  return lock
}

/**
 * Whether a server holds the lock; undefined when none ever did. In that case the lock is not even tried, because a
 * short try could make a server that is just starting fail.
 */
export function isLocked(directory: string): boolean | undefined {
  if (!existsSync(holderPath(directory))) return undefined
  const lock = tryLock(directory, { fileMustExist: true })
  lock?.release()
  return lock === undefined
}

function tryLock(directory: string, { fileMustExist = false } = {}): DirectoryLock | undefined {
  const db = openLock(directory, fileMustExist)
  try {
    // Nothing is ever written, so keep the journal off a disk that may be full.
    db.pragma('journal_mode = MEMORY')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if ((error as { code?: string }).code === 'SQLITE_READONLY') throw notOurs(directory)
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error
    return undefined
  }
  return { release: () => void db.close() }
}

function openLock(directory: string, fileMustExist: boolean) {
  try {
    return new Database(lockPath(directory), { timeout: 0, fileMustExist })
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_CANTOPEN' && !mayWrite(directory)) throw notOurs(directory)
    throw error
  }
}

function mayWrite(directory: string): boolean {
  const path = lockPath(directory)
  try {
    accessSync(existsSync(path) ? path : directory, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function notOurs(directory: string): ConfigError {
  return new ConfigError(
    `${lockPath(directory)} cannot be written; the server's user must own ${directory} and its files`,
  )
}

function describeHolder(directory: string): string {
  const holder = readHolder(holderPath(directory))
  if (holder === undefined || isThere(holder)) return `process ${holder ?? 'unknown'}`
  return `a process that has ${lockPath(directory)} open; process ${holder}, which held it last, is gone`
}

/** Writes the process id. Ignores a full disk, so that the server starts; the holder is then unknown. */
function writeHolder(directory: string): void {
  try {
    writeFileSync(holderPath(directory), String(process.pid))
  } catch (error) {
    if (!/^(ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

function readHolder(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8')) || undefined
  } catch {
    return undefined
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
