/** Free disk space, and the error of a start on a full disk. */
import { statfs } from 'node:fs/promises'
import { AppError } from '../errors'

/** The bytes of the disk of `directory` that this user may still write. */
export async function readFreeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

/** Returns `error`; for an error of a full disk, one that names the directory and the free bytes. */
export async function explainFullDisk(error: unknown, directory: string): Promise<unknown> {
  const { code = '' } = error as { code?: string }
  if (!/^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR.*|storage_failed)$/.test(code)) return error
  const freeBytes = await readFreeBytes(directory).catch(() => undefined)
  const found = freeBytes === undefined ? 'it may be full' : `${freeBytes} bytes are free`
  return new AppError('storage_failed', `the server cannot write to the disk of ${directory}; ${found}`, {
    cause: error,
  })
}
