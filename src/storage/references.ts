/**
 * Recordings that voices were cloned from, on local disk; only accounts that cloned from one may hear it. Each is named by the SHA-256 of its bytes. A
 * recording is hashed while it is written under a temporary name. It is fsynced and renamed once its voice is made.
 */
import { constants, renameSync, rmSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, stat, unlink, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../errors'
import { guardsOf, ignoreMissing, syncDirectoryNow, temporarySuffix, writeAt } from './files'

export type References = ReturnType<typeof openReferences>

/** A recording that is being received. */
export type IncomingReference = {
  /** Bytes written so far. */
  readonly sizeBytes: number
  write(bytes: Uint8Array): Promise<void>
  /** Closes the file and returns the whole recording. */
  finish(): Promise<ReceivedReference>
  /** Closes and removes the file. */
  abort(): Promise<void>
}

/** A whole recording that is not kept yet. */
export type ReceivedReference = {
  /** Lower-case hexadecimal. */
  readonly sha256: string
  readonly sizeBytes: number
  /** Path of the temporary file, until the recording is kept or discarded. */
  readonly path: string
  /** Makes its bytes durable. */
  flush(): Promise<void>
  /** Gives the file its final name, durably and synchronously, for use in a transaction. A repetition has no effect. */
  keep(): void
  /** Removes the file unless it was kept. */
  discard(): Promise<void>
}

export type KeptReference = { readonly path: string; readonly sizeBytes: number; readonly modifiedAtMs: number }

const { guard, guardNow } = guardsOf('recording')

const namePattern = /^[0-9a-f]{64}$/
const createOnly = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY

/** Every call throws `storage_failed` when the disk fails. */
export function openReferences({ directory }: { directory: string }) {
  const pathOf = (sha256: string) => join(directory, sha256)
  const received = (path: string, sha256: string, sizeBytes: number): ReceivedReference =>
    receivedReference({ path, keptPath: pathOf(sha256), sha256, sizeBytes })

  return {
    /** Makes the directory and removes incomplete recordings and those for which `isKnown` is false. */
    async prepare(isKnown: (sha256: string) => boolean): Promise<void> {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      for (const entry of await readdir(directory)) {
        const isForgotten = namePattern.test(entry) && !isKnown(entry)
        if (isForgotten || entry.endsWith(temporarySuffix)) await unlink(join(directory, entry))
      }
    },

    async receive(): Promise<IncomingReference> {
      return incomingReference(await createTemporary(directory), received)
    },

    /**
     * Receives a recording from another process. `fill` has that process write to the empty file at `path` and returns
     * the hash and size. An error of `fill` is passed on and the file is removed.
     */
    async receiveFrom(fill: (path: string) => Promise<{ sha256: string; sizeBytes: number }>) {
      const { path, file } = await createTemporary(directory)
      try {
        await guard(() => file.close())
        const { sha256, sizeBytes } = await fill(path)
        return received(path, sha256, sizeBytes)
      } catch (error) {
        await unlink(path).catch(() => {})
        throw error
      }
    },

    /**
     * Copies a kept recording, so that a concurrent `remove` does not matter. Returns undefined when it does not exist.
     */
    async take(sha256: string): Promise<ReceivedReference | undefined> {
      const path = newTemporaryPath(directory)
      try {
        await copyFile(pathOf(sha256), path, constants.COPYFILE_FICLONE)
      } catch (error) {
        await unlink(path).catch(() => {})
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw new AppError('storage_failed', 'The recording could not be read; nothing was charged. Try again.', {
          cause: error,
        })
      }
      const { size } = await guard(() => stat(path))
      return received(path, sha256, size)
    },

    /** Finds a kept recording; undefined when it does not exist. */
    async find(sha256: string): Promise<KeptReference | undefined> {
      const path = pathOf(sha256)
      const found = await guard(() => stat(path).catch(ignoreMissing))
      return found && { path, sizeBytes: found.size, modifiedAtMs: found.mtimeMs }
    },

    /** Removes a recording synchronously, for use in a transaction. A missing one is no error. */
    remove(sha256: string): void {
      guardNow(() => rmSync(pathOf(sha256), { force: true }))
    },
  }
}

function newTemporaryPath(directory: string): string {
  return join(directory, `${crypto.randomUUID()}${temporarySuffix}`)
}

type Temporary = { readonly path: string; readonly file: FileHandle }

async function createTemporary(directory: string): Promise<Temporary> {
  const path = newTemporaryPath(directory)
  return { path, file: await guard(() => open(path, createOnly, 0o600)) }
}

/** Hashes a recording while it is written to the temporary file. */
function incomingReference(
  { path, file }: Temporary,
  received: (path: string, sha256: string, sizeBytes: number) => ReceivedReference,
): IncomingReference {
  const hash = new Bun.CryptoHasher('sha256')
  let sizeBytes = 0
  return {
    get sizeBytes() {
      return sizeBytes
    },
    async write(bytes) {
      hash.update(bytes)
      await guard(() => writeAt(file, bytes, sizeBytes))
      sizeBytes += bytes.length
    },
    async finish() {
      await guard(() => file.close())
      return received(path, hash.digest('hex'), sizeBytes)
    },
    async abort() {
      await file.close().catch(() => {})
      await unlink(path).catch(() => {})
    },
  }
}

/** `keptPath`: the final path. */
function receivedReference({
  path,
  keptPath,
  sha256,
  sizeBytes,
}: Pick<ReceivedReference, 'path' | 'sha256' | 'sizeBytes'> & { keptPath: string }): ReceivedReference {
  let isKept = false
  return {
    sha256,
    sizeBytes,
    path,
    flush: () =>
      guard(async () => {
        const file = await open(path, 'r+')
        await file.sync().finally(() => file.close())
      }),
    keep() {
      if (isKept) return
      guardNow(() => {
        renameSync(path, keptPath)
        syncDirectoryNow(dirname(keptPath))
      })
      isKept = true
    },
    discard: () => unlink(path).catch(() => {}),
  }
}
