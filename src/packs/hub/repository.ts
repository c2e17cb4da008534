/**
 * Metadata of a repository on a hub: its commit, licence, and files with sizes and digests. All answers are validated
 * first: they come from a third party.
 */
import { describe, isFields, type Fields } from '../../fields'
import { BadJson, parseJson } from '../../json'
import type { Hub } from './client'
import { failed } from './failures'

/** Digests of a file: SHA-256 if stored with LFS, else the git blob id. */
export type Digests = {
  readonly sha256?: string
  /** SHA-1 of `blob SIZE\0` and the content. */
  readonly gitBlob?: string
  readonly md5?: string
}

export type HubFile = {
  /** Path in the repository, with `/`. */
  readonly path: string
  readonly sizeBytes: number
  readonly digests: Digests
}

export type Repository = {
  /** Owner and name. */
  readonly id: string
  /** 40 hexadecimal digits. */
  readonly commit: string
  /** As given by its author on the hub, mostly a lower-case SPDX id. */
  readonly license: string | null
}

const infoBytesMax = 8 << 20
const pageBytesMax = 8 << 20
const pagesMax = 20
const filesMax = 2_000
export const cardBytesMax = 256 << 10

/** The newest commit of the main branch. Throws `url_fetch_failed`, `not_found`. */
export async function findRepository(hub: Hub, id: string, signal?: AbortSignal): Promise<Repository> {
  const path = `/api/models/${id}/revision/main`
  const { text } = await hub.getText(path, infoBytesMax, signal)
  const info = parseObject(text, path)
  const { sha: commit, cardData } = info
  if (typeof commit !== 'string' || !/^[0-9a-f]{40}$/.test(commit))
    throw failed(`${path}: sha: found ${describe(commit)}, a commit was expected`)
  const license = (cardData as { license?: unknown } | null | undefined)?.license
  return { id, commit, license: typeof license === 'string' ? oneLine(license) : null }
}

/** The files in `folder` and below it; '' is the whole repository. Throws `url_fetch_failed`, `not_found`. */
export async function listFiles(
  hub: Hub,
  { id, commit }: Repository,
  folder: string,
  signal?: AbortSignal,
): Promise<HubFile[]> {
  const path = `/api/models/${id}/tree/${commit}${folder && `/${encodePath(folder)}`}`
  const files: HubFile[] = []
  let query: string | undefined = '?recursive=true'
  for (let pages = 0; query !== undefined; pages++) {
    if (pages === pagesMax || files.length > filesMax) throw failed(`${path} lists more than ${filesMax} files`)
    const { text, headers } = await hub.getText(`${path}${query}`, pageBytesMax, signal)
    files.push(...readTree(text, path))
    query = nextQuery(headers.get('link'), hub.address)
  }
  return files
}

/** The query of `rel="next"`. The rest is ignored: a mirror may pass on the address of its upstream. */
function nextQuery(link: string | null, base: string): string | undefined {
  const next = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '')?.[1]
  return next === undefined ? undefined : URL.parse(next, base)?.search || undefined
}

/** Skips files with unusable names or sizes; a required one is then reported as missing. */
function readTree(text: string, path: string): HubFile[] {
  const entries = parse(text, path)
  if (!Array.isArray(entries)) throw failed(`${path}: found ${describe(entries)}, a list was expected`)
  return entries.flatMap((entry: unknown) => {
    const { type, path: name, size, oid, lfs } = (entry ?? {}) as Record<string, unknown>
    if (type !== 'file' || typeof name !== 'string' || !isSafePath(name)) return []
    const large = lfs as { oid?: unknown; size?: unknown } | null | undefined
    const digests: Digests = {
      ...(isHex(large?.oid, 64) && { sha256: large.oid }),
      ...(!large && isHex(oid, 40) && { gitBlob: oid }),
    }
    const sizeBytes = large?.size ?? size
    return isSize(sizeBytes) ? [{ path: name, sizeBytes, digests }] : []
  })
}

/** URL path of a file's content. */
export function pathOfFile({ id, commit }: Pick<Repository, 'id' | 'commit'>, path: string): string {
  return `/${id}/resolve/${commit}/${encodePath(path)}`
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/**
 * Whether each part is a plain name: letters of any script, digits, `.`, `_`, `+` and `-`, without a leading dot or
 * dash.
 */
export function isSafePath(path: string): boolean {
  return path.length <= 200 && path.split('/').every((name) => /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._+-]*$/u.test(name))
}

export function isHex(value: unknown, digits: number): value is string {
  return typeof value === 'string' && value.length === digits && /^[0-9a-f]+$/.test(value)
}

export function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

export function parseObject(text: string, path: string): Fields {
  const value = parse(text, path)
  if (isFields(value)) return value
  throw failed(`${path}: found ${describe(value)}, an object was expected`)
}

function parse(text: string, path: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof BadJson)) throw error
    throw failed(`${path} ${error.message}`, error)
  }
}

/** Third-party text for a terminal: no control characters, no line breaks. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
