/** How much room a disk has, and what a start says that finds none. */
import { statfs } from 'node:fs/promises'
import { AppError } from '../errors'

/** Of the disk that `directory` is on, for this user. */
export async function readFreeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

/** `error`, or, where it says that a disk is full, one that names the directory and its free bytes. */
export async function explainFullDisk(error: unknown, directory: string): Promise<unknown> {
  const { code = '' } = error as { code?: string }
  if (!/^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR.*|storage_failed)$/.test(code)) return error
  const freeBytes = await readFreeBytes(directory).catch(() => undefined)
  const found = freeBytes === undefined ? 'it may be full' : `${freeBytes} bytes are free`
  return new AppError('storage_failed', `the disk of ${directory} does not take what a start has to write; ${found}`, {
    cause: error,
  })
}
