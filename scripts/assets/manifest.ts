/**
 * The manifest of the assets, `voices/assets.json`: data that is no part of the repository. Each asset has a version, a
 * licence, its sources, and its files with size and SHA-256.
 */
import { join } from 'node:path'
import { isSafePath } from '../../src/packs/hub/repository'
import manifest from '../../voices/assets.json'

export type PinnedFile = {
  /** Path in the asset's folder, and in its wheel; with `/`. */
  readonly path: string
  readonly sizeBytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

export type AssetFile = PinnedFile & {
  /** Files of the wheels that make this one when they are joined in order. */
  readonly parts?: readonly PinnedFile[]
}

export type Asset = {
  readonly version: string
  readonly summary: string
  /** SPDX id. */
  readonly license: string
  /** Whether the build embeds it. */
  readonly isBuiltIn?: boolean
  /** Wheels of the Python Package Index, as `NAME==VERSION`. */
  readonly wheels: readonly string[]
  /** Folder of a repository on the hub that has the same files. */
  readonly hub?: { readonly repository: string; readonly revision: string; readonly folder: string }
  /** Paths of the licence and the notices, among `files`. */
  readonly notices: readonly string[]
  /** Works of others in it: name, SPDX id, and the text of the licence in this repository if the asset has none. */
  readonly includes?: readonly { readonly name: string; readonly license: string; readonly text?: string }[]
  readonly files: readonly AssetFile[]
}

export type Manifest = Readonly<Record<string, Asset>>

export const assets: Manifest = checkManifest(manifest)

/** Where the assets are kept, outside of git. */
export const cacheDirectory = join(import.meta.dir, '../../.cache/assets')

/** The folder of an asset. It changes with the version. */
export function folderOf(name: string, { version }: Pick<Asset, 'version'>, cache: string): string {
  return join(cache, `${name}-${version}`)
}

/** The files that the wheels must have. */
export function membersOf({ files }: Asset): PinnedFile[] {
  return files.flatMap((file): readonly PinnedFile[] => file.parts ?? [file])
}

export function sizeOf({ files }: Asset): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

/** Refuses paths that leave the folder, repeated paths, and malformed sizes and digests. */
export function checkManifest(given: Manifest): Manifest {
  for (const [name, asset] of Object.entries(given)) {
    const all = asset.files.flatMap((file) => [file, ...(file.parts ?? [])])
    for (const { path, sizeBytes, sha256 } of all)
      if (!isSafePath(path) || !Number.isSafeInteger(sizeBytes) || sizeBytes < 0 || !/^[0-9a-f]{64}$/.test(sha256))
        throw new Error(`the manifest of ${name}: ${path}: wrong path, size or SHA-256`)
    if (new Set(all.map(({ path }) => path)).size < all.length)
      throw new Error(`the manifest of ${name} repeats a path`)
    const missing = asset.notices.find((path) => !asset.files.some((file) => file.path === path))
    if (missing) throw new Error(`the manifest of ${name} has no file ${missing}`)
  }
  return given
}
