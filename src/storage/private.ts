/**
 * Keeps a data directory to the user who runs the server. Files inside its folders are not looked at one by one: who may
 * not enter a folder reaches nothing in it.
 */
import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ignoreMissing } from './files'

/** What `makePrivate` did, and what it left: paths, and why others may still get at them. */
export type PrivacyReport = {
  readonly mended: readonly string[]
  readonly exposed: readonly { readonly path: string; readonly because: string }[]
}

/** Of group and others. */
const othersBits = 0o077
/** Names in /tmp and the like may be made by everybody. */
const stickyBit = 0o1000
/** What the server makes there, and the settings beside it. Anything else in the directory is somebody else's affair. */
const namePattern =
  /^(sonant\.db(-wal|-shm|-journal)?|lock\.(db|db-journal|pid)|sonant\.toml|audio|references|voices|runtime)$/

/**
 * Takes the rights of group and others from `directory` and from what the server has in it. Left as they are, and
 * reported: what belongs to another user, links, shared places. To be called before any of the files is opened.
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
    // Its owner can put anything in the place of the files, so none is touched.
    exposed.push({ path: directory, because: `it belongs to another user (uid ${top.uid})` })
    return { mended, exposed }
  }
  if ((top.mode & othersBits) !== 0) {
    if (isShared(directory, top.mode)) exposed.push({ path: directory, because: 'it is not the data directory alone' })
    else mend(directory, top)
  }
  for (const name of readdirSync(directory).filter((one) => namePattern.test(one))) {
    const path = join(directory, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats) continue
    if (stats.isSymbolicLink()) {
      const mode = modeBehind(path)
      if ((mode & othersBits) !== 0) exposed.push({ path, because: 'it is a link to what others may open' })
    } else if (stats.uid !== userId) exposed.push({ path, because: `it belongs to another user (uid ${stats.uid})` })
    else if ((stats.mode & othersBits) !== 0) mend(path, stats)
  }
  return { mended, exposed }
}

/** Whether others lose what is theirs when they may no longer enter. */
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
