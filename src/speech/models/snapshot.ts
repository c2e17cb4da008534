/**
 * What the files of a pack look like from outside: enough to tell whether they are still the same, without reading
 * them.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing } from '../../storage/files'
import type { ModelFiles } from '../engine'

export type Snapshot = {
  /** Changes with the name, the size and the time of change of every file. 32 hexadecimal characters. */
  readonly version: string
  /** When something last happened to a file, by the system's clock. */
  readonly changedAtMs: number
  /** Of all files. */
  readonly sizeBytes: number
  /** Why it can be no pack. */
  readonly fault?: string
}

/** Of folders, the pack's own counted. */
export const levelsMax = 2
/** A folder with more is no pack; those with eSpeak NG's data have four hundred. */
export const filesMax = 5_000

/** undefined: there is no such folder. Hidden files do not count: file managers leave theirs. */
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

/** Throws when the files in `directory` are not those of that version. */
export async function requireUnchanged({
  directory,
  version,
}: Pick<ModelFiles, 'directory' | 'version'>): Promise<void> {
  if ((await takeSnapshot(directory))?.version !== version) throw new Error('the files of the model have changed')
}

/** It looks the same for as long as the fault is the same. */
const faulty = (fault: string): Snapshot => ({ version: fault, changedAtMs: 0, sizeBytes: 0, fault })

async function snapshotOf(directory: string): Promise<Snapshot> {
  const names = await listFiles(directory, '', levelsMax)
  if (names.length > filesMax) return faulty(`it has more than ${filesMax} files`)
  const found = await Promise.all(
    names.sort().map(async (path) => [path, await stat(join(directory, path)).catch(ignoreMissing)] as const),
  )
  const lines = found.map(([path, file]) => [path, file?.size, file?.mtimeMs])
  return {
    version: new Bun.CryptoHasher('sha256').update(JSON.stringify(lines)).digest('hex').slice(0, 32),
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
