/**
 * Recordings that voices were cloned from, on local disk and never served: each under the SHA-256 of its bytes. A
 * recording arrives under a temporary name while it is hashed, and is fsynced and renamed when a voice was made of it.
 */
import { constants, renameSync, rmSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, stat, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors'
import { guard, guardNow, syncDirectoryNow, temporarySuffix, writeAt } from './files'

export type References = ReturnType<typeof openReferences>

/** A recording on its way in. */
export type IncomingReference = {
  readonly sizeBytes: number
  /** Of what was written so far. */
  write(bytes: Uint8Array): Promise<void>
  /** Ends it; lower-case hexadecimal. */
  finish(): Promise<ReceivedReference>
  /** Removes what was written; of no effect after `finish`. */
  abort(): Promise<void>
}

/** A whole recording that is not kept yet. */
export type ReceivedReference = {
  readonly sha256: string
  readonly sizeBytes: number
  /** Where it lies until it is kept or discarded. */
  readonly path: string
  /** Makes its bytes durable. */
  flush(): Promise<void>
  /** Gives it its final name, durably, at once: for use in a transaction. A repetition is of no effect. */
  keep(): void
  /** Removes it unless it was kept. */
  discard(): Promise<void>
}

const namePattern = /^[0-9a-f]{64}$/
const createOnly = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY

/** Throws \`storage_failed\` from every call whose disk does not do what it must. */
export function openReferences({ directory }: { directory: string }) {
  const pathOf = (sha256: string) => join(directory, sha256)
  const newTemporaryPath = () => join(directory, `${crypto.randomUUID()}${temporarySuffix}`)

  function received(path: string, sha256: string, sizeBytes: number): ReceivedReference {
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
          renameSync(path, pathOf(sha256))
          syncDirectoryNow(directory)
        })
        isKept = true
      },
      discard: () => unlink(path).catch(() => {}),
    }
  }

  return {
    /** Makes the directory and removes what an earlier process left half-written, and whatever `isKnown` denies. */
    async prepare(isKnown: (sha256: string) => boolean): Promise<void> {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      for (const entry of await readdir(directory)) {
        const isForgotten = namePattern.test(entry) && !isKnown(entry)
        if (isForgotten || entry.endsWith(temporarySuffix)) await unlink(join(directory, entry))
      }
    },

    async receive(): Promise<IncomingReference> {
      const path = newTemporaryPath()
      const file: FileHandle = await guard(() => open(path, createOnly, 0o600))
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
    },

    /**
     * A recording that another process writes: `fill` has it write to the empty file at `path`, and returns what that
     * says. What `fill` throws passes through, and nothing stays.
     */
    async receiveFrom(fill: (path: string) => Promise<{ sha256: string; sizeBytes: number }>) {
      const path = newTemporaryPath()
      const file = await guard(() => open(path, createOnly, 0o600))
      try {
        await guard(() => file.close())
        const { sha256, sizeBytes } = await fill(path)
        return received(path, sha256, sizeBytes)
      } catch (error) {
        await unlink(path).catch(() => {})
        throw error
      }
    },

    /** A copy of a recording that is kept, which nobody can delete meanwhile; undefined when it is not there. */
    async take(sha256: string): Promise<ReceivedReference | undefined> {
      const path = newTemporaryPath()
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

    /** At once: for use in a transaction. One that is not there is as good as removed. */
    remove(sha256: string): void {
      guardNow(() => rmSync(pathOf(sha256), { force: true }))
    },
  }
}
