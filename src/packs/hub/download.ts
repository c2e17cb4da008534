/**
 * Downloads one file of known size and digest into a folder. An interrupted download resumes, in this process or the
 * next. A partial file is `NAME.DIGEST.part` beside the target, its ETag is in `NAME.DIGEST.etag`.
 */
import { constants, createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ignoreMissing, syncDirectory, temporarySuffix, writeAt } from '../../storage/files'
import { repeating, type Hub } from './client'
import type { HubAnswer } from './exchange'
import { failed, Interruption } from './failures'
import type { PlannedFile } from './packs'
import { pathOfFile, type Digests, type Repository } from './repository'

export type FileDigests = Required<Digests>

type Options = {
  readonly signal?: AbortSignal
  /** Bytes of the file on disk; the number drops when the download restarts. */
  readonly onProgress?: (receivedBytes: number) => void
}

/** A broken connection after this much progress does not count as a failure. */
const progressBytes = 1 << 20

/**
 * Downloads `file` into `directory` under its target's name, syncs it to disk, and returns the digests of its bytes.
 * Verifies an existing file. Throws `url_fetch_failed`, `not_found`.
 */
export async function downloadFile(
  hub: Hub,
  repository: Repository,
  file: PlannedFile,
  directory: string,
  { signal, onProgress = () => {} }: Options = {},
): Promise<FileDigests> {
  const path = join(directory, file.target)
  const known = await digestsOf(path, file)
  if (known && differenceOf(file, known) === undefined) {
    onProgress(file.sizeBytes)
    return known
  }
  await rm(path, { force: true })
  await mkdir(dirname(path), { recursive: true })
  const part = await openPart(path, file)
  try {
    for (let isSecondTry = false; ; isSecondTry = true) {
      onProgress(part.sizeBytes)
      const problem = await complete(hub, repository, file, part, { signal, onProgress })
      if (problem === undefined) break
      await part.clear()
      if (isSecondTry) {
        await part.remove()
        throw failed(`${file.path}: ${problem}, twice`)
      }
    }
    await part.keep()
    return part.digests()
  } finally {
    await part.close()
  }
}

/** Verifies the complete bytes; returns the difference, or undefined. */
async function complete(
  hub: Hub,
  repository: Repository,
  file: PlannedFile,
  part: Part,
  { signal, onProgress }: Required<Pick<Options, 'onProgress'>> & Options,
): Promise<string | undefined> {
  let safeBytes = part.sizeBytes
  const hasProgressed = () => {
    const isFurther = part.sizeBytes >= safeBytes + progressBytes
    if (isFurther) safeBytes = part.sizeBytes
    return isFurther
  }
  return repeating(
    hub.timing,
    signal,
    async () => {
      if (part.sizeBytes < file.sizeBytes || file.sizeBytes === 0) {
        const answer = await hub.open(pathOfFile(repository, file.path), { headers: part.rangeHeaders(), signal })
        try {
          const problem = await receive(answer, file, part, onProgress)
          if (problem !== undefined) return problem
        } finally {
          answer.cancel()
        }
      }
      return differenceOf(file, part.digests())
    },
    hasProgressed,
  )
}

/** Receives the body. Throws `Interruption` when it is too short. Returns the fault of the bytes, or undefined. */
async function receive(
  { status, headers, chunks }: HubAnswer,
  file: PlannedFile,
  part: Part,
  onProgress: (receivedBytes: number) => void,
): Promise<string | undefined> {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '')
  const isRest = status === 206 && Number(range?.[1]) === part.sizeBytes
  if (!isRest) await part.clear()
  if (status !== 200 && !isRest) throw new Interruption(`the server answered a range with HTTP ${status}`)
  const announced = isRest ? range![2]! : (headers.get('content-length') ?? '*')
  if (announced !== '*' && Number(announced) !== file.sizeBytes)
    return `found ${announced} bytes, expected ${file.sizeBytes}`
  if (!isRest) await part.writeTag(headers.get('etag'))
  for await (const chunk of chunks) {
    if (part.sizeBytes + chunk.length > file.sizeBytes) return `found more than the expected ${file.sizeBytes} bytes`
    await part.append(chunk)
    onProgress(part.sizeBytes)
  }
  if (part.sizeBytes < file.sizeBytes) throw new Interruption('the connection broke off')
  return undefined
}

type Part = Awaited<ReturnType<typeof openPart>>

async function openPart(path: string, file: PlannedFile) {
  const stem = `${path}.${decisiveDigest(file)?.value.slice(0, 16) ?? ''}`
  const [partPath, tagPath] = [`${stem}${temporarySuffix}`, `${stem}.etag`]
  let hashes = createHashes(file.sizeBytes)
  let sizeBytes = 0
  let tag = await readFile(tagPath, 'utf8').catch(ignoreMissing)
  const handle = await open(partPath, constants.O_RDWR | constants.O_CREAT)
  try {
    if ((await handle.stat()).size > file.sizeBytes) await handle.truncate(0)
    for await (const chunk of createReadStream(partPath)) {
      hashes.update(chunk as Buffer)
      sizeBytes += (chunk as Buffer).length
    }
  } catch (error) {
    await handle.close()
    throw error
  }
  return {
    get sizeBytes() {
      return sizeBytes
    },
    digests: () => hashes.digests(),
    /** Requests the rest of a partial file. */
    rangeHeaders(): Record<string, string> {
      if (sizeBytes === 0) return {}
      return { range: `bytes=${sizeBytes}-`, ...(tag && { 'if-range': tag }) }
    },
    async writeTag(etag: string | null) {
      // A weak ETag does not guarantee equal bytes (RFC 9110, 13.1.5).
      tag = etag?.startsWith('"') ? etag : undefined
      if (tag) await writeFile(tagPath, tag)
      else await rm(tagPath, { force: true })
    },
    async append(chunk: Uint8Array) {
      await writeAt(handle, chunk, sizeBytes)
      hashes.update(chunk)
      sizeBytes += chunk.length
    },
    async clear() {
      await handle.truncate(0)
      hashes = createHashes(file.sizeBytes)
      sizeBytes = 0
    },
    async keep() {
      await handle.sync()
      await rename(partPath, path)
      await rm(tagPath, { force: true })
      await syncDirectory(dirname(path))
    },
    async remove() {
      await rm(partPath, { force: true })
      await rm(tagPath, { force: true })
    },
    close: () => handle.close(),
  }
}

function createHashes(sizeBytes: number) {
  const sha256 = new Bun.CryptoHasher('sha256')
  const gitBlob = new Bun.CryptoHasher('sha1').update(`blob ${sizeBytes}\0`)
  const md5 = new Bun.CryptoHasher('md5')
  return {
    update(bytes: Uint8Array) {
      for (const hash of [sha256, gitBlob, md5]) hash.update(bytes)
    },
    digests: (): FileDigests => ({
      sha256: sha256.copy().digest('hex'),
      gitBlob: gitBlob.copy().digest('hex'),
      md5: md5.copy().digest('hex'),
    }),
  }
}

/** Digests of a file of the right size; undefined without one. */
async function digestsOf(path: string, { sizeBytes }: PlannedFile): Promise<FileDigests | undefined> {
  const found = await stat(path).catch(ignoreMissing)
  if (!found?.isFile() || found.size !== sizeBytes) return undefined
  const hashes = createHashes(sizeBytes)
  for await (const chunk of createReadStream(path)) hashes.update(chunk as Buffer)
  return hashes.digests()
}

/** Whether `path` holds the file. */
export async function holdsFile(path: string, file: PlannedFile): Promise<boolean> {
  const found = await digestsOf(path, file)
  return found !== undefined && differenceOf(file, found) === undefined
}

const labels = { sha256: 'SHA-256', gitBlob: 'git blob', md5: 'MD5' } as const

/** The strongest known digest. MD5 comes last also because its index may be older than the file. */
function decisiveDigest({ digests }: PlannedFile): { name: keyof Digests; value: string } | undefined {
  for (const name of ['sha256', 'gitBlob', 'md5'] as const) {
    const value = digests[name]
    if (value !== undefined) return { name, value }
  }
  return undefined
}

/** Compares the decisive digest only. */
function differenceOf(file: PlannedFile, found: FileDigests): string | undefined {
  const expected = decisiveDigest(file)
  if (!expected || expected.value === found[expected.name]) return undefined
  return `${labels[expected.name]}: found ${found[expected.name]}, expected ${expected.value}`
}
