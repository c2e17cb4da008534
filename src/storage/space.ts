/** Free disk space, and the error of a start on a full disk. */
import { statfs } from 'node:fs/promises'
import { AppError } from '../errors'

/** The bytes of the disk of `directory` that this user may still write. */
export async function readFreeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

export type Space = { readonly freeBytes: number; readonly sizeBytes: number }

/** `freeBytes`: as `readFreeBytes`. `sizeBytes`: of the whole disk. */
export async function readSpace(directory: string): Promise<Space> {
  const { bavail, blocks, bsize } = await statfs(directory)
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}

/** `full`: the service creates no files. `low`: soon. */
export type SpaceState = 'ok' | 'low' | 'full'

/** `low` begins at this, at a share of a small disk, or at a multiple of the minimum. */
const lowBytes = 1 << 30
const lowShare = 0.05
const lowFactor = 4

export function judgeSpace({ freeBytes, sizeBytes }: Space, minFreeBytes: number): SpaceState {
  if (freeBytes < Math.max(1, minFreeBytes)) return 'full'
  return freeBytes < Math.max(lowFactor * minFreeBytes, Math.min(lowBytes, lowShare * sizeBytes)) ? 'low' : 'ok'
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
