/**
 * The temporary directory of an ephemeral server. The server removes it at its end; the next start removes those of
 * killed servers. A lock marks a directory in use.
 */
import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLocked } from '../db/lock'
import type { Logger } from '../log'

const prefix = 'sonant-ephemeral-'
/** A younger directory without a lock may belong to a server that is just starting. */
const unlockedForMs = 10_000

export function createEphemeralDirectory(): string {
  const directory = join(tmpdir(), `${prefix}${randomBytes(8).toString('hex')}`)
  mkdirSync(directory, { mode: 0o700 })
  return directory
}

export function removeEphemeralDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
}

/** Removes this user's directories of servers that have ended. */
export function removeAbandonedDirectories(log: Logger): void {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))
  for (const directory of names.map((name) => join(tmpdir(), name)))
    try {
      if (isAbandoned(directory)) removeEphemeralDirectory(directory)
    } catch (error) {
      // Another process may remove it at the same time. If not, the next start tries again.
      log.debug({ directory, err: error }, 'could not remove an abandoned directory')
    }
}

function isAbandoned(directory: string): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false })
  if (!found?.isDirectory() || (process.getuid && found.uid !== process.getuid())) return false
  const locked = isLocked(directory)
  return locked === undefined ? Date.now() - found.mtimeMs > unlockedForMs : !locked
}
