/** Lists the folder of the packs, and cleans up what removals left in it. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { takeSnapshot, type Snapshot } from '../speech/models/snapshot'
import { ignoreMissing } from '../storage/files'
import { ownUploadPrefix, uploadPrefix } from './upload'

export type Survey = {
  /** By name, in alphabetical order. */
  readonly folders: ReadonlyMap<string, Snapshot>
  /** Model files outside of a folder. */
  readonly loose: readonly string[]
  /** Whether the rescan mark is there. */
  readonly isMarked: boolean
  /** Whether the folder of the packs exists. */
  readonly isThere: boolean
}

/** A process that cannot reach the server creates this file to have refused packs probed again. */
export const rescanMark = '.rescan'
/** Prefix of packs that are being deleted. */
export const removedPrefix = '.removed-'

/** Skips hidden and unfinished entries. */
export async function survey(directory: string): Promise<Survey> {
  const found = await readdir(directory).catch(ignoreMissing)
  const names = found ?? []
  const folders = new Map<string, Snapshot>()
  const loose: string[] = []
  const visible = names.filter((name) => !/^\.|\.(tmp|part)$/.test(name)).sort()
  const snapshots = await Promise.all(visible.map((name) => takeSnapshot(join(directory, name))))
  for (const [index, name] of visible.entries()) {
    const snapshot = snapshots[index]
    if (snapshot) folders.set(name, snapshot)
    else if (name.endsWith('.onnx')) loose.push(name)
  }
  return { folders, loose, isMarked: names.includes(rescanMark), isThere: found !== undefined }
}

/** Deletes removed packs, and unfinished uploads, of which a crash left files. */
export async function removeLeftovers(directory: string): Promise<void> {
  const names = (await readdir(directory).catch(ignoreMissing)) ?? []
  const isLeft = (name: string) =>
    name.startsWith(removedPrefix) || (name.startsWith(uploadPrefix) && !name.startsWith(ownUploadPrefix))
  for (const name of names.filter(isLeft)) await rm(join(directory, name), { recursive: true, force: true })
}
