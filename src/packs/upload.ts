/**
 * The files of a pack that an administrator sends. They are collected in `.upload-ID.part` beside the packs, then one
 * rename makes them the pack: a pack is either absent or complete. The registry then tests it like any other.
 */
import { constants } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { AppError } from '../errors'
import { describe } from '../fields'
import { ignoreMissing, syncDirectory, temporarySuffix, writeAt } from '../storage/files'
import { readFreeBytes } from '../storage/space'

export type PackUpload = {
  /** Bytes of all files so far. */
  readonly sizeBytes: number
  /**
   * Begins a file. `path`: in the pack, with `/`. Throws `invalid_params` for a name that no file of a pack may have,
   * `storage_failed`.
   */
  receive(path: string | undefined): Promise<UploadedFile>
  /** Makes the files the pack. Throws `invalid_params` without a model, `conflict` when the name is taken. */
  keep(): Promise<void>
  /** Removes the files, also those that have become the pack. */
  discard(): Promise<void>
}

type UploadedFile = {
  write(bytes: Uint8Array): Promise<void>
  finish(): Promise<{ discard(): Promise<void> }>
  abort(): Promise<void>
}

export type UploadOptions = {
  /** Folder of the packs. */
  readonly directory: string
  /** Bytes that must stay free on the disk. */
  readonly minFreeBytes: number
  /** A test may replace the system's value. */
  readonly freeBytes?: (directory: string) => Promise<number>
}

/** Prefix of the folders in which files are collected, and of those of this process. */
export const uploadPrefix = '.upload-'
export const ownUploadPrefix = `${uploadPrefix}${crypto.randomUUID()}-`
/** Free space is looked at again after so many bytes. */
const checkedBytes = 32 << 20
const levelsMax = 2
let uploads = 0

const extensions = '.onnx .onnx_data .data .json .bin .npz .npy .txt .md'.split(' ')
const bareNames = 'LICENSE LICENCE COPYING NOTICE README MODEL_CARD'.split(' ')
/** Letters of any script, digits, `.`, `_`, `+` and `-`, without a leading dot or dash. */
const plainName = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._+-]{0,99}$/u

/** Returns the name of the pack. Throws `invalid_params`. */
export function checkUploadName(given: string): string {
  const name = given.normalize('NFC')
  if (plainName.test(name) && !/\.(tmp|part)$/i.test(name)) return name
  const allowed = 'a name of 1 to 100 letters, digits, dots, hyphens and underscores is required'
  throw new AppError('invalid_params', `name: found ${describe(given)}; ${allowed}.`, { param: 'name' })
}

/** `announcedBytes`: size of the whole form, 0 when unknown. Throws `conflict`, `storage_failed`. */
export async function openPackUpload(
  name: string,
  announcedBytes: number,
  { directory, minFreeBytes, freeBytes = readFreeBytes }: UploadOptions,
): Promise<PackUpload> {
  const target = join(directory, name)
  const workspace = join(directory, `${ownUploadPrefix}${++uploads}${temporarySuffix}`)
  const paths = new Map<string, string>()
  let sizeBytes = 0
  let uncheckedBytes = 0
  let isKept = false

  async function ensureSpace(neededBytes: number): Promise<void> {
    const free = await freeBytes(directory)
    if (free < neededBytes + minFreeBytes) throw full(`${free} bytes are free`)
  }

  async function ensureFree(): Promise<void> {
    if (await stat(target).catch(ignoreMissing)) throw taken(name)
  }

  /** Errors of the disk become `storage_failed`. */
  async function guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw error instanceof AppError ? error : full('writing failed', error)
    }
  }

  function uploadedFile(path: string, file: Awaited<ReturnType<typeof open>>): UploadedFile {
    let position = 0
    return {
      write: (bytes) =>
        guard(async () => {
          uncheckedBytes += bytes.length
          if (uncheckedBytes >= checkedBytes) {
            uncheckedBytes = 0
            await ensureSpace(0)
          }
          await writeAt(file, bytes, position)
          position += bytes.length
          sizeBytes += bytes.length
        }),
      finish: () =>
        guard(async () => {
          await file.sync().finally(() => file.close())
          return { discard: () => rm(path, { force: true }) }
        }),
      async abort() {
        await file.close().catch(() => {})
        await rm(path, { force: true })
      },
    }
  }

  await guard(async () => {
    // This may create the data directory, which only its owner may read.
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await ensureFree()
    await ensureSpace(announcedBytes)
    await mkdir(workspace, { mode: 0o700 })
  })

  return {
    get sizeBytes() {
      return sizeBytes
    },
    async receive(given) {
      const path = checkPath(given, paths)
      return guard(async () => {
        const whole = join(workspace, path)
        await mkdir(dirname(whole), { recursive: true, mode: 0o700 })
        return uploadedFile(whole, await open(whole, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600))
      })
    },
    async keep() {
      const files = [...paths.values()]
      if (!files.some((path) => path.endsWith('.onnx')))
        throw refuse('', `found ${files.length} files, none of them a model; one that ends in .onnx is required`)
      await guard(async () => {
        for (const folder of new Set(files.map((path) => dirname(join(workspace, path))))) await syncDirectory(folder)
        await syncDirectory(workspace)
        await ensureFree()
        await rename(workspace, target).catch((error: NodeJS.ErrnoException) => {
          throw ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(error.code ?? '') ? taken(name) : error
        })
        isKept = true
        await syncDirectory(directory)
      })
    },
    discard: () => rm(isKept ? target : workspace, { recursive: true, force: true }),
  }
}

/** Returns the path of the file and adds it to `paths`. Throws `invalid_params`. */
function checkPath(given: string | undefined, paths: Map<string, string>): string {
  const path = (given ?? '').normalize('NFC')
  const parts = path.split('/')
  const name = parts.at(-1)!
  if (parts.length > levelsMax || !parts.every((part) => plainName.test(part)))
    throw refuse(path, `a plain name, or one in a folder as "voices/af_heart.bin", is required`)
  if (!extensions.includes(extname(name).toLowerCase()) && !bareNames.includes(name))
    throw refuse(path, `files with the extensions ${extensions.join(', ')} and ${bareNames.join(', ')} are allowed`)
  // Some file systems do not tell upper from lower case.
  const folded = path.toLowerCase()
  if (paths.has(folded)) throw refuse(path, 'each name is allowed once')
  const isBoth = [...paths.keys()].some(
    (other) => `${other}/`.startsWith(`${folded}/`) || `${folded}/`.startsWith(`${other}/`),
  )
  if (isBoth) throw refuse(path, 'a name is allowed for a file or for a folder, not for both')
  paths.set(folded, path)
  return path
}

function refuse(path: string, allowed: string): AppError {
  const found = path === '' ? '' : `found the name ${describe(path)}; `
  return new AppError('invalid_params', `file: ${found}${allowed}.`, { param: 'file' })
}

function taken(name: string): AppError {
  const message = `name: there is a pack ${describe(name)} already; remove it first, or choose another name.`
  return new AppError('conflict', message, { param: 'name' })
}

function full(reason: string, cause?: unknown): AppError {
  return new AppError('storage_failed', `The pack could not be stored: ${reason}.`, { cause })
}
