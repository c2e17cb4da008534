/**
 * Audio files on local disk. A file is written under a temporary name, fsynced, renamed, and its directory fsynced:
 * a final name always holds a whole file. No file is ever overwritten. Knows no SQL and no HTTP.
 */
import { constants } from 'node:fs'
import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../errors'
import { readFreeBytes } from './space'
import { guard, ignoreMissing, syncDirectory, temporarySuffix, writeAt } from './files'

export type Storage = ReturnType<typeof openStorage>

/** A file being made. `commit` ends it; after any failure, of `commit` too, `abort` does. */
export type AudioWriter = {
  write(bytes: Uint8Array, position: number): Promise<void>
  /** Makes the file durable and gives it its name. */
  commit(): Promise<void>
  abort(): Promise<void>
}

export type StoredFile = {
  readonly path: string
  readonly sizeBytes: number
  readonly contentType: string
  readonly modifiedAtMs: number
}

const contentTypes: Record<string, string> = { mp3: 'audio/mpeg', wav: 'audio/wav' }
/** One name, or a name in `demos/`; nothing that a path could climb with. */
const namePattern = /^(demos\/)?[a-z0-9][a-z0-9._-]{0,127}\.(mp3|wav)$/

/** Throws `storage_failed` from every call whose disk does not do what it must. */
export function openStorage({ directory, minFreeBytes }: { directory: string; minFreeBytes: number }) {
  const pathOf = (name: string) => join(directory, name)

  return {
    /** Makes the directories and removes what an earlier process left half-written. */
    async prepare(): Promise<void> {
      for (const folder of [directory, pathOf('demos')]) {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        for (const entry of await readdir(folder))
          if (entry.endsWith(temporarySuffix)) await unlink(join(folder, entry))
      }
    },

    /** Whether less than the configured minimum is free, or nothing. */
    async isFull(): Promise<boolean> {
      return (await readFreeBytes(directory)) < Math.max(1, minFreeBytes)
    },

    /** Throws `storage_failed` when less than the configured minimum is free. */
    async ensureSpace(): Promise<void> {
      if ((await guard(() => readFreeBytes(directory))) < minFreeBytes)
        throw new AppError('storage_failed', 'The disk of the server is almost full.')
    },

    /** `failing`: a fault on demand, as if the disk failed at the end. */
    async create(name: string, { failing = false } = {}): Promise<AudioWriter> {
      const path = pathOf(name)
      const temporary = `${path}.${crypto.randomUUID()}${temporarySuffix}`
      const file = await guard(() => open(temporary, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600))
      let isOpen = true
      const close = async () => {
        if (!isOpen) return
        isOpen = false
        await file.close()
      }
      return {
        async write(bytes, position) {
          await guard(() => writeAt(file, bytes, position))
        },
        async commit() {
          await guard(async () => {
            if (failing) throw new Error('fault on demand')
            await file.sync()
            await close()
            await moveIntoPlace(temporary, path)
          })
        },
        async abort() {
          // The failure that led here is the one to report; what stays behind goes at the next start.
          await close().catch(() => {})
          await unlink(temporary).catch(() => {})
        },
      }
    },

    /** For a file that nobody was told of; one that is not there is as good as removed. */
    async remove(name: string): Promise<void> {
      await guard(() => unlink(pathOf(name)).catch(ignoreMissing))
    },

    /** The demos of a voice, under whatever hash. */
    async removeDemosOf(voiceId: string): Promise<void> {
      const names = await guard(() => readdir(pathOf('demos')))
      for (const name of names) if (name.startsWith(`${voiceId}-`)) await this.remove(`demos/${name}`)
    },

    /** The file of that name, or undefined; a name that is none is simply not there. */
    async find(name: string): Promise<StoredFile | undefined> {
      const extension = namePattern.exec(name)?.[2]
      if (!extension) return undefined
      const path = pathOf(name)
      const found = await guard(() => stat(path).catch(ignoreMissing))
      if (!found?.isFile()) return undefined
      return { path, sizeBytes: found.size, contentType: contentTypes[extension]!, modifiedAtMs: found.mtimeMs }
    },
  }
}

async function moveIntoPlace(temporary: string, path: string): Promise<void> {
  const found = await stat(path).catch(ignoreMissing)
  if (found) throw new Error(`${path} is there already`)
  await rename(temporary, path)
  try {
    await syncDirectory(dirname(path))
  } catch (error) {
    // Not known to be durable, so it was not made.
    await unlink(path)
    throw error
  }
}
