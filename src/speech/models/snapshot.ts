/** A snapshot of a pack's file metadata, to detect changes without reading the files. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Hex } from '../../hash'
import { ignoreMissing } from '../../storage/files'
import type { ModelFiles } from '../voice'

export type Snapshot = {
  /** A hash of the name, size and modification time of every file. 32 hexadecimal characters. */
  readonly version: string
  /** Time of the last change to a file, by the system's clock. */
  readonly changedAtMs: number
  /** Size of all files. */
  readonly sizeBytes: number
  /** Why the folder cannot be a pack. */
  readonly fault?: string
}

/** Folder levels, including the pack's own. */
export const levelsMax = 2
/** A folder with more files is not a pack; packs with eSpeak NG's data have four hundred. */
export const filesMax = 5_000

/** Returns undefined without such a folder. Hidden files are ignored: file managers create them. */
export async function takeSnapshot(directory: string): Promise<Snapshot | undefined> {
  try {
    if (!(await stat(directory)).isDirectory()) return undefined
    return await snapshotOf(directory)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    return faulty(`its files cannot be read: ${message}`)
  }
}

/** Throws when the files in `directory` do not have that version. */
export async function requireUnchanged({
  directory,
  version,
}: Pick<ModelFiles, 'directory' | 'version'>): Promise<void> {
  if ((await takeSnapshot(directory))?.version !== version) throw new Error('the files of the model have changed')
}

/** The version is the fault, so it changes only with the fault. */
const faulty = (fault: string): Snapshot => ({ version: fault, changedAtMs: 0, sizeBytes: 0, fault })

async function snapshotOf(directory: string): Promise<Snapshot> {
  const names = await listFiles(directory, '', levelsMax)
  if (names.length > filesMax) return faulty(`it has more than ${filesMax} files`)
  const found = await Promise.all(
    names.sort().map(async (path) => [path, await stat(join(directory, path)).catch(ignoreMissing)] as const),
  )
  const lines = found.map(([path, file]) => [path, file?.size, file?.mtimeMs])
  return {
    version: sha256Hex(JSON.stringify(lines)).slice(0, 32),
    changedAtMs: found.reduce((latest, [, file]) => Math.max(latest, file?.ctimeMs ?? 0), 0),
    sizeBytes: found.reduce((sum, [, file]) => sum + (file?.size ?? 0), 0),
  }
}

async function listFiles(directory: string, inside: string, levels: number): Promise<string[]> {
  const names: string[] = []
  for (const entry of await readdir(join(directory, inside), { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue
    const path = join(inside, entry.name)
    if (!entry.isDirectory()) names.push(path)
    else if (levels > 1) names.push(...(await listFiles(directory, path, levels - 1)))
    if (names.length > filesMax) break
  }
  return names
}
