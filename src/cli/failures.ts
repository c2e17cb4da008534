/** The end of a failed command: a one-line message and an exit code (`docs/operating.md`, "Exit codes"). */
import { getSystemErrorMap, styleText } from 'node:util'
import { ConfigError } from '../config'
import { AppError } from '../errors'
import { UsageError } from './flags'

export const exitCodes = {
  /** The command failed. */
  failure: 1,
  /** The command line or a setting is invalid. */
  usage: 2,
  /** 128 and the number of the signal, by convention of shells. */
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const

/** SIGINT, SIGTERM and SIGHUP end the process with the conventional code; `exit` listeners clean up. */
export function exitOnSignals(): void {
  const codes = { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated, SIGHUP: exitCodes.hungUp }
  for (const [signal, code] of Object.entries(codes)) process.once(signal, () => process.exit(code))
}

/** Prints the reason and ends the process. */
export function fail(error: unknown): never {
  const isUsage = error instanceof UsageError || error instanceof ConfigError
  console.error(`${styleText('red', 'sonant:', { stream: process.stderr })} ${describeFailure(error)}`)
  process.exit(isUsage ? exitCodes.usage : exitCodes.failure)
}

/** The failure in one line, for people. */
export function describeFailure(error: unknown): string {
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof AppError) return error.message
  const { code, errno, path, message, stack } = error as NodeJS.ErrnoException
  const sqlite = typeof code === 'string' && /^SQLITE_[A-Z]+/.exec(code)?.[0]
  if (sqlite) return `sonant.db: ${databaseFailures[sqlite] ?? `the database failed (${message})`}`
  if (typeof code === 'string' && typeof errno === 'number') return describeSystemError(code, errno, path)
  const isWatched = /^(debug|trace)$/.test(process.env.SONANT_LOG_LEVEL ?? '')
  const details = isWatched ? `\n${stack}` : '; SONANT_LOG_LEVEL=debug shows the stack'
  return `internal error: ${message || String(error)}${details}`
}

const databaseFailures: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'the disk is full',
  SQLITE_READONLY: 'it cannot be written; check who owns it and its directory',
  SQLITE_CANTOPEN: 'it cannot be opened; check who owns it and its directory',
  SQLITE_PERM: 'it cannot be opened; check who owns it and its directory',
  SQLITE_BUSY: 'another program holds the write lock; try again',
  SQLITE_LOCKED: 'another program holds the write lock; try again',
  SQLITE_CORRUPT: 'it is damaged; restore a backup',
  SQLITE_NOTADB: 'it is not a database',
  SQLITE_IOERR: 'the disk failed',
}

const friendlier: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EISDIR: 'it is a directory',
  EROFS: 'the file system is read-only',
  EIO: 'the disk failed',
}

function describeSystemError(code: string, errno: number, path: string | undefined): string {
  const words = friendlier[code] ?? getSystemErrorMap().get(errno)?.[1] ?? code
  return path === undefined ? words : `${path}: ${words}`
}
