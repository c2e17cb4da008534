/** File operations that all stores on local disk share. */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { AppError } from '../errors'

/** Suffix of incomplete files. */
export const temporarySuffix = '.part'

/** Fsyncs a directory, which makes the names in it durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  await directory.sync().finally(() => directory.close())
}

export function syncDirectoryNow(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}

/** Writes all of `bytes` at `position`, also when the system writes only a part per call. */
export async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at)
    at += bytesWritten
  }
}

type Subject = 'audio' | 'recording'

/** Guards for the file operations of a store. `subject`: what it stores, for the message. */
export function guardsOf(subject: Subject) {
  return {
    /** Runs `work` and throws `storage_failed` for each of its errors. */
    async guard<T>(work: () => Promise<T>): Promise<T> {
      try {
        return await work()
      } catch (error) {
        throw notStored(subject, error)
      }
    },

    /** As `guard`, for synchronous work. */
    guardNow(work: () => void): void {
      try {
        work()
      } catch (error) {
        throw notStored(subject, error)
      }
    },
  }
}

/** The error for a customer whose paid operation failed at the disk. */
export function notStored(subject: Subject, cause: unknown): AppError {
  return new AppError('storage_failed', `The ${subject} could not be stored; nothing was charged. Try again.`, {
    cause,
  })
}
