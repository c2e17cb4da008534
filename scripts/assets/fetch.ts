/**
 * Fills the cache with assets. An asset is either absent or whole: its verified files are collected in a folder of this
 * process, and one rename puts it in its place. Processes that fetch at the same time do not disturb each other.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ignoreMissing, syncDirectory, temporarySuffix } from '../../src/storage/files'
import { assets, cacheDirectory, folderOf, sizeOf, type Asset, type AssetFile, type Manifest } from './manifest'
import { sourcesFrom, sourceVariable, type Source } from './sources'
import { BadAsset, syncFile } from './wheel'

export type FetchOptions = {
  readonly manifest?: Manifest
  readonly cache?: string
  /** Asked in turn. */
  readonly sources?: readonly Source[]
  /** Takes lines for the person who waits. */
  readonly say?: (line: string) => void
}

/**
 * Verifies the cached files of the assets `names` and fetches what is missing or damaged. Returns the folders of those that
 * are there afterwards, by name; for each of the others it says what is missing and what to do.
 */
export async function fetchAssets(
  names: readonly string[],
  {
    manifest = assets,
    cache = cacheDirectory,
    sources = sourcesFrom(process.env),
    say = console.error,
  }: FetchOptions = {},
): Promise<Map<string, string>> {
  const folders = new Map<string, string>()
  for (const name of names) {
    const asset = manifest[name]
    if (!asset) throw new Error(`there is no asset ${name}; ${Object.keys(manifest).join(', ')} are there`)
    const folder = folderOf(name, asset, cache)
    const damage = await findDamage(folder, asset)
    if (damage !== undefined && damage !== absent)
      say(`${name} ${asset.version} in the cache is thrown away: ${damage}`)
    if (damage === undefined || (await fetchAsset(name, asset, { folder, cache, sources, say })))
      folders.set(name, folder)
    else await rm(folder, { recursive: true, force: true })
  }
  return folders
}

/** The result of `findDamage` for a folder that does not exist. */
export const absent = 'it is not there'

/** How the folder differs from the manifest; undefined if it does not. */
export async function findDamage(folder: string, { files }: Pick<Asset, 'files'>): Promise<string | undefined> {
  if (!(await stat(folder).catch(ignoreMissing))) return absent
  for (const { path, sizeBytes, sha256 } of files) {
    const file = Bun.file(join(folder, path))
    if (!(await file.exists())) return `${path} is missing`
    if (file.size !== sizeBytes) return `${path} has ${file.size} bytes; ${sizeBytes} were expected`
    const hash = new Bun.CryptoHasher('sha256')
    for await (const chunk of file.stream()) hash.update(chunk)
    const found = hash.digest('hex')
    if (found !== sha256) return `${path} has the SHA-256 ${found}; ${sha256} was expected`
  }
  return undefined
}

type Place = Required<Pick<FetchOptions, 'cache' | 'sources' | 'say'>> & { readonly folder: string }

/** Whether a source had it. */
async function fetchAsset(name: string, asset: Asset, { folder, cache, sources, say }: Place): Promise<boolean> {
  await mkdir(cache, { recursive: true })
  await removeLeftovers(cache)
  const reasons: string[] = []
  const asked = sources.filter((source) => source.has(asset))
  if (asked.length > 0) say(`fetching ${name} ${asset.version}, ${(sizeOf(asset) / 1e6).toFixed(0)} MB …`)
  for (const source of asked) {
    const reason = await fetchFrom(source, asset, { folder, workspace: join(cache, workspaceName(name)) })
    if (reason === undefined) return true
    reasons.push(`${source.name}: ${reason}`)
  }
  say(explainMissing(name, asset, reasons))
  return false
}

/** Tries twice when the source delivers bad content. Returns the reason of the failure, or undefined. */
async function fetchFrom(
  source: Source,
  asset: Asset,
  { folder, workspace }: { folder: string; workspace: string },
): Promise<string | undefined> {
  for (let isSecondTry = false; ; isSecondTry = true) {
    try {
      await mkdir(workspace)
      await source.fetch(asset, workspace)
      for (const file of asset.files) await joinParts(file, workspace)
      await putInPlace(workspace, folder, asset)
      return undefined
    } catch (error) {
      if (error instanceof BadAsset && !isSecondTry) continue
      return `${firstSentence((error as Error).message)}${isSecondTry ? ', twice' : ''}`
    } finally {
      await rm(workspace, { recursive: true, force: true })
    }
  }
}

function firstSentence(message: string): string {
  return message.split(/\.(?:\s+(?=[A-Z])|\s*$)/)[0]!
}

/** Makes a file of its parts, verifies it, and removes them. */
async function joinParts({ path, sizeBytes, sha256, parts }: AssetFile, folder: string): Promise<void> {
  if (!parts) return
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true })
  const hash = new Bun.CryptoHasher('sha256')
  let joinedBytes = 0
  async function* readAll() {
    for (const part of parts!)
      for await (const chunk of createReadStream(join(folder, part.path))) {
        hash.update(chunk)
        joinedBytes += (chunk as Buffer).length
        yield chunk
      }
  }
  await pipeline(readAll, createWriteStream(target, { flags: 'wx' }))
  if (joinedBytes !== sizeBytes || hash.digest('hex') !== sha256)
    throw new BadAsset(`the parts of ${path} do not make the expected file`)
  await syncFile(target)
  for (const part of parts) {
    await rm(join(folder, part.path))
    await rmdir(dirname(join(folder, part.path))).catch(ignoreNotEmpty)
  }
}

function ignoreNotEmpty(error: NodeJS.ErrnoException): void {
  if (!isTaken(error)) throw error
}

function isTaken({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOTEMPTY' || code === 'EEXIST'
}

const renamesMax = 3

/** Makes the workspace the asset's folder. Another process may do the same; a whole folder of another is kept. */
async function putInPlace(workspace: string, folder: string, asset: Asset): Promise<void> {
  for (const directory of new Set(asset.files.flatMap(({ path }) => foldersAbove(path))))
    await syncDirectory(join(workspace, directory))
  const old = `${workspace.slice(0, -temporarySuffix.length)}.old${temporarySuffix}`
  try {
    for (let attempt = 1; ; attempt++)
      try {
        await rename(workspace, folder)
        return await syncDirectory(dirname(folder))
      } catch (error) {
        if (!isTaken(error as NodeJS.ErrnoException) || attempt === renamesMax) throw error
        if ((await findDamage(folder, asset)) === undefined) return
        await rename(folder, old).catch(ignoreMissing)
      }
  } finally {
    await rm(old, { recursive: true, force: true })
  }
}

/** `a/b/c.txt`: `a/b`, `a` and the folder itself. */
function foldersAbove(path: string): string[] {
  const folders = path.split('/').slice(0, -1)
  return folders.map((_, depth) => folders.slice(0, folders.length - depth).join('/')).concat('')
}

function workspaceName(name: string): string {
  return `.${name}.${process.pid}.${crypto.randomUUID().slice(0, 8)}${temporarySuffix}`
}

const leftoverAgeMs = 24 * 3_600_000

/** Removes workspaces of interrupted processes. Young ones may be in use, also by a process of another container. */
async function removeLeftovers(cache: string): Promise<void> {
  for (const file of await readdir(cache)) {
    if (!file.endsWith(temporarySuffix)) continue
    const found = await stat(join(cache, file)).catch(ignoreMissing)
    if (found && Date.now() - found.mtimeMs > leftoverAgeMs)
      await rm(join(cache, file), { recursive: true, force: true })
  }
}

function explainMissing(
  name: string,
  { version, summary, wheels, isBuiltIn }: Asset,
  reasons: readonly string[],
): string {
  const without = isBuiltIn ? 'without it, with Ross as the default voice' : 'without it'
  const why = reasons.join('; ') || `${sourceVariable} allows no source`
  return (
    `${name} ${version} (${summary}) is missing: ${why}. Sonant works ${without}. ` +
    `Connect this machine to a network with Python's pip, or put ${wheels.join(', ')} as wheels into a folder and set ` +
    `${sourceVariable} to that folder.`
  )
}
