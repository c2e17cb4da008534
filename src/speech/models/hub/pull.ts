/**
 * Installing a pack by name. Its files come into `.FOLDER.part/pack` beside the packs, each verified, and the folder
 * becomes the pack by one rename: there is either no pack, or a whole one. What an interrupted pull left is gone on
 * with by the next.
 */
import { mkdir, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors'
import { ignoreMissing, syncDirectory, temporarySuffix } from '../../../storage/files'
import { version } from '../../../version'
import type { Hub } from './client'
import { downloadFile, holdsFile, type FileDigests } from './download'
import { planPack, type PullPlan } from './packs'

export type PullOptions = {
  readonly hub: Hub
  /** Where the packs are. */
  readonly directory: string
  /** What stays free on the disk. */
  readonly minFreeBytes: number
  /** Keeps others out of a folder until it is released. Throws when somebody has it. */
  readonly lock: (directory: string) => { release(): void }
  readonly onPlan?: (plan: PullPlan) => void
  readonly onProgress?: (progress: PullProgress) => void
  /** What is odd, and yet no reason not to install it. */
  readonly onWarning?: (message: string) => void
  /** What it aborts with is thrown. */
  readonly signal?: AbortSignal
  /** Of the disk that `directory` is on, for tests; the system's. */
  readonly freeBytes?: (directory: string) => Promise<number>
}

export type PullProgress = {
  /** Of the whole pack, with what an earlier pull left. */
  readonly receivedBytes: number
  readonly sizeBytes: number
}

export type PullResult = {
  readonly plan: PullPlan
  /** Of the pack. */
  readonly directory: string
  /** Nothing was done: the same pack was there. */
  readonly wasThere: boolean
}

/** In a pack: where it is from. */
const sourceFile = 'source.json'

/**
 * Throws `invalid_params` (no such name), `not_found`, `url_fetch_failed`, `storage_failed` (no space), `conflict`
 * (another pack has the folder's name), and what `lock` throws.
 */
export async function pullPack(name: string, options: PullOptions): Promise<PullResult> {
  const { hub, directory, lock, signal, onPlan = () => {} } = options
  const plan = await planPack(hub, name, signal)
  const target = join(directory, plan.folder)
  const workspace = join(directory, `.${plan.folder}${temporarySuffix}`)
  // The data directory may be made by this: it is nobody else's to read.
  await mkdir(workspace, { recursive: true, mode: 0o700 })
  const { release } = lock(workspace)
  try {
    onPlan(plan)
    const wasThere = await isThere(target, plan)
    if (!wasThere) await install(plan, join(workspace, 'pack'), target, options)
    await rm(workspace, { recursive: true, force: true })
    return { plan, directory: target, wasThere }
  } finally {
    await removeUnlessResumable(workspace).finally(release)
  }
}

/** Whether that very pack is installed. Throws `conflict` when something else is. */
async function isThere(target: string, { name, files }: PullPlan): Promise<boolean> {
  if (!(await stat(target).catch(ignoreMissing))) return false
  for (const file of files)
    if (!(await holdsFile(join(target, file.target), file)))
      throw new AppError(
        'conflict',
        `${target} is there and its ${file.target} is not the one that the hub has of ${name}. To install that one, remove the folder first.`,
      )
  return true
}

async function install(plan: PullPlan, pack: string, target: string, options: PullOptions): Promise<void> {
  const { hub, directory, minFreeBytes, signal, freeBytes = freeBytesOf } = options
  const { onProgress = () => {}, onWarning = () => {} } = options
  await mkdir(pack, { recursive: true })
  const missingBytes = Math.max(0, plan.sizeBytes - (await sizeOf(pack)))
  const free = await freeBytes(directory)
  if (free < missingBytes + minFreeBytes)
    throw new AppError(
      'storage_failed',
      `The disk of ${directory} has ${free} bytes free; ${plan.name} needs ${missingBytes}, and ${minFreeBytes} are to stay free.`,
    )
  const digests = new Map<string, FileDigests>()
  let doneBytes = 0
  // Small ones first: what is wrong with a pack shows early, and the model card is there before the model.
  for (const file of plan.files.toSorted((a, b) => a.sizeBytes - b.sizeBytes)) {
    const report = (received: number) => onProgress({ receivedBytes: doneBytes + received, sizeBytes: plan.sizeBytes })
    const found = await downloadFile(hub, plan.repository, file, pack, { signal, onProgress: report })
    if (file.digests.md5 !== undefined && file.digests.md5 !== found.md5)
      onWarning(
        `${file.path} is as the repository has it, but its MD5 is not the one in voices.json: that is out of date`,
      )
    digests.set(file.target, found)
    doneBytes += file.sizeBytes
  }
  await writeFile(join(pack, sourceFile), describeSource(hub, plan, digests), { flush: true })
  await removeStrangers(pack, plan)
  await syncDirectory(pack)
  await rename(pack, target)
  await syncDirectory(directory)
}

function describeSource(hub: Hub, plan: PullPlan, digests: ReadonlyMap<string, FileDigests>): string {
  const { id, commit } = plan.repository
  const files = plan.files.map(({ path, target, sizeBytes }) => {
    const { sha256 } = digests.get(target)!
    return { file: target, path, size_bytes: sizeBytes, sha256 }
  })
  const { name, license } = plan
  const source = { name, hub: hub.address, repository: id, commit, license, pulled_by: `sonant ${version}`, files }
  return `${JSON.stringify(source, null, 2)}\n`
}

/** Files of another revision, whose pull broke off. */
async function removeStrangers(pack: string, { files }: PullPlan): Promise<void> {
  const own = new Set([sourceFile, ...files.map(({ target }) => target)])
  for (const path of await filesIn(pack)) if (!own.has(path)) await rm(join(pack, path))
}

/** Relative, with `/`. */
async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory())
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1))
}

async function sizeOf(directory: string): Promise<number> {
  const paths = await filesIn(directory)
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(directory, path))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

/** A pull that failed before its first byte leaves nothing. */
async function removeUnlessResumable(workspace: string): Promise<void> {
  if (!(await stat(workspace).catch(ignoreMissing))) return
  const files = await filesIn(workspace)
  if (!files.some((path) => path.startsWith('pack/'))) await rm(workspace, { recursive: true, force: true })
}
