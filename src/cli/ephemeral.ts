/**
 * The temporary directory of an ephemeral server. It goes when the server ends; what a killed one left behind goes when
 * the next one starts. Whether a directory is in use its lock tells.
 */
import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLocked } from '../db/lock'
import type { Logger } from '../log'

const prefix = 'sonant-ephemeral-'
/** A directory this young may be one whose server is about to lock it. */
const unlockedForMs = 10_000

export function createEphemeralDirectory(): string {
  const directory = join(tmpdir(), `${prefix}${randomBytes(8).toString('hex')}`)
  mkdirSync(directory, { mode: 0o700 })
  return directory
}

export function removeEphemeralDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
}

/** Removes the directories of servers that are gone; only this user's own. */
export function removeAbandonedDirectories(log: Logger): void {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))
  for (const directory of names.map((name) => join(tmpdir(), name)))
    try {
      if (isAbandoned(directory)) removeEphemeralDirectory(directory)
    } catch (error) {
      // Its own server, or another one that starts, removes it at the same time; or the next one will.
      log.debug({ directory, err: error }, 'an abandoned directory was not removed')
    }
}

function isAbandoned(directory: string): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false })
  if (!found?.isDirectory() || (process.getuid && found.uid !== process.getuid())) return false
  const locked = isLocked(directory)
  return locked === undefined ? Date.now() - found.mtimeMs > unlockedForMs : !locked
}
