/**
 * Installs a pack by name. Its verified files are collected in `.FOLDER.part/pack` beside the packs, then one rename
 * makes them the pack: a pack is either absent or complete. The next pull resumes an interrupted one.
 */
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors'
import { ignoreMissing, syncDirectory, temporarySuffix } from '../../storage/files'
import { readFreeBytes } from '../../storage/space'
import { version } from '../../version'
import type { Hub } from './client'
import { downloadFile, holdsFile, type FileDigests } from './download'
import { planPack, type PlanOptions, type PullPlan } from './packs'

export type PullOptions = PlanOptions & {
  readonly hub: Hub
  /** Folder of the packs. */
  readonly directory: string
  /** Bytes that must stay free on the disk. */
  readonly minFreeBytes: number
  /** Locks a folder until it is released. Throws when it is locked. */
  readonly lock: (directory: string) => { release(): void }
  readonly onPlan?: (plan: PullPlan) => void
  readonly onProgress?: (progress: PullProgress) => void
  /** Reports a problem that does not prevent the installation. */
  readonly onWarning?: (message: string) => void
  /** Free bytes on the disk of `directory`; a test may replace the system's value. */
  readonly freeBytes?: (directory: string) => Promise<number>
}

export type PullProgress = {
  /** Received bytes of the whole pack, including an earlier pull. */
  readonly receivedBytes: number
  readonly sizeBytes: number
}

export type PullResult = {
  readonly plan: PullPlan
  /** Folder of the pack. */
  readonly directory: string
  /** The same pack was already installed; nothing changed. */
  readonly wasThere: boolean
}

/** Records the source of a pack in its folder. */
const sourceFile = 'source.json'

/**
 * Throws `invalid_params` (no such name), `not_found`, `url_fetch_failed`, `storage_failed` (no space), `conflict` (the
 * folder's name is taken by another pack), and the errors of `lock`.
 */
export async function pullPack(name: string, options: PullOptions): Promise<PullResult> {
  const { hub, directory, lock, onPlan = () => {} } = options
  const plan = await planPack(hub, name, options)
  const target = join(directory, plan.folder)
  const workspace = workspaceOf(directory, plan.folder)
  // This may create the data directory, which only its owner may read.
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

/** Removes the received files of an interrupted pull. Throws the errors of `lock`, as while another process pulls it. */
export async function discardPull(folder: string, { directory, lock }: Pick<PullOptions, 'directory' | 'lock'>) {
  const workspace = workspaceOf(directory, folder)
  if (!(await stat(workspace).catch(ignoreMissing))) return
  const { release } = lock(workspace)
  await rm(workspace, { recursive: true, force: true }).finally(release)
}

function workspaceOf(directory: string, folder: string): string {
  return join(directory, `.${folder}${temporarySuffix}`)
}

/** Whether this exact pack is installed. Throws `conflict` when another one is. */
async function isThere(target: string, { name, files }: PullPlan): Promise<boolean> {
  if (!(await stat(target).catch(ignoreMissing))) return false
  for (const file of files)
    if (!(await holdsFile(join(target, file.target), file)))
      throw new AppError(
        'conflict',
        `${target} exists, and its ${file.target} differs from that of ${name} on the hub. Remove the folder to install that pack.`,
      )
  return true
}

async function install(plan: PullPlan, pack: string, target: string, options: PullOptions): Promise<void> {
  const { hub, directory, minFreeBytes, signal, freeBytes = readFreeBytes } = options
  const { onProgress = () => {}, onWarning = () => {} } = options
  await mkdir(pack, { recursive: true })
  const missingBytes = Math.max(0, plan.sizeBytes - (await sizeOf(pack)))
  const free = await freeBytes(directory)
  if (free < missingBytes + minFreeBytes)
    throw new AppError(
      'storage_failed',
      `The disk of ${directory} has ${free} bytes free; ${plan.name} needs ${missingBytes}, and ${minFreeBytes} must stay free.`,
    )
  const digests = new Map<string, FileDigests>()
  let doneBytes = 0
  // Small files first: faults show early, and the model card precedes the model.
  for (const file of plan.files.toSorted((a, b) => a.sizeBytes - b.sizeBytes)) {
    const report = (received: number) => onProgress({ receivedBytes: doneBytes + received, sizeBytes: plan.sizeBytes })
    const found = await downloadFile(hub, plan.repository, file, pack, { signal, onProgress: report })
    if (file.digests.md5 !== undefined && file.digests.md5 !== found.md5)
      onWarning(`${file.path} matches the repository, but not the MD5 in voices.json, which is out of date`)
    digests.set(file.target, found)
    doneBytes += file.sizeBytes
  }
  await writeFile(join(pack, sourceFile), describeSource(hub, plan, digests), { flush: true })
  await removeUnplanned(pack, plan)
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

/** Removes files of an interrupted pull of another revision. */
async function removeUnplanned(pack: string, { files }: PullPlan): Promise<void> {
  const own = new Set([sourceFile, ...files.map(({ target }) => target)])
  for (const path of await filesIn(pack)) if (!own.has(path)) await rm(join(pack, path))
}

/** Relative paths with `/`. */
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

/** Removes the workspace of a pull that failed before its first byte. */
async function removeUnlessResumable(workspace: string): Promise<void> {
  if (!(await stat(workspace).catch(ignoreMissing))) return
  const files = await filesIn(workspace)
  if (!files.some((path) => path.startsWith('pack/'))) await rm(workspace, { recursive: true, force: true })
}
