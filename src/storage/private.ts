/**
 * Restricts a data directory to the user that runs the server. Files inside its folders are not checked one by one:
 * without access to a folder no file in it can be opened.
 */
import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ignoreMissing } from './files'

/** `mended`: paths whose rights `makePrivate` restricted. `exposed`: paths that other users may still open, and why. */
export type PrivacyReport = {
  readonly mended: readonly string[]
  readonly exposed: readonly { readonly path: string; readonly because: string }[]
}

/** Permission bits of group and others. */
const othersBits = 0o077
/** Set on shared directories such as /tmp, in which every user may create files. */
const stickyBit = 0o1000
/** The files and folders that the server makes, and the settings file. Other names in the directory are left alone. */
const namePattern =
  /^(sonant\.db(-wal|-shm|-journal)?|lock\.(db|db-journal|pid)|sonant\.toml|audio|references|voices|runtime)$/

/**
 * Removes the rights of group and others from `directory` and the server's files in it. Reports files of other users,
 * links and shared directories and leaves them unchanged. Must run before any of the files is opened.
 */
export function makePrivate(directory: string): PrivacyReport {
  const mended: string[] = []
  const exposed: PrivacyReport['exposed'][number][] = []
  const userId = process.getuid?.()
  if (userId === undefined) return { mended, exposed }

  function mend(path: string, stats: { mode: number }): void {
    try {
      chmodSync(path, stats.mode & 0o7777 & ~othersBits)
      mended.push(path)
    } catch (error) {
      exposed.push({ path, because: (error as Error).message })
    }
  }

  const top = statSync(directory)
  if (top.uid !== userId) {
    // The owner can replace the files, so this process changes none.
    exposed.push({ path: directory, because: `it belongs to another user (uid ${top.uid})` })
    return { mended, exposed }
  }
  if ((top.mode & othersBits) !== 0) {
    if (isShared(directory, top.mode))
      exposed.push({ path: directory, because: 'it is a home directory or shared with other users' })
    else mend(directory, top)
  }
  for (const name of readdirSync(directory).filter((one) => namePattern.test(one))) {
    const path = join(directory, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats) continue
    if (stats.isSymbolicLink()) {
      const mode = modeBehind(path)
      if ((mode & othersBits) !== 0) exposed.push({ path, because: 'it is a link to a path that other users may open' })
    } else if (stats.uid !== userId) exposed.push({ path, because: `it belongs to another user (uid ${stats.uid})` })
    else if ((stats.mode & othersBits) !== 0) mend(path, stats)
  }
  return { mended, exposed }
}

/** Whether other users or programs also keep files in the directory. */
function isShared(directory: string, mode: number): boolean {
  return (mode & stickyBit) !== 0 || directory === '/' || directory === homedir()
}

function modeBehind(link: string): number {
  try {
    return statSync(link).mode
  } catch (error) {
    ignoreMissing(error as NodeJS.ErrnoException)
    return 0
  }
}
