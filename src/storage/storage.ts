/**
 * Audio files on local disk. A file is written under a temporary name, fsynced and renamed, and its directory is
 * fsynced: a final name always holds a whole file. No file is ever overwritten. Knows no SQL and no HTTP.
 */
import { constants } from 'node:fs'
import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../errors'
import { judgeSpace, readFreeBytes, readSpace, type Space, type SpaceState } from './space'
import { guardsOf, ignoreMissing, syncDirectory, temporarySuffix, writeAt } from './files'

export type Storage = ReturnType<typeof openStorage>

/** A file that is being written. `commit` ends it. After a failure, also of `commit`, call `abort`. */
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

const { guard } = guardsOf('audio')

const contentTypes: Record<string, string> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  opus: 'audio/ogg; codecs=opus',
  flac: 'audio/flac',
  aac: 'audio/aac',
}
/** A plain name or a name in `demos/`. The pattern admits no path out of the directory. */
const namePattern = /^(demos\/)?[a-z0-9][a-z0-9._-]{0,127}\.(mp3|wav|opus|flac|aac)$/

/** Every call throws `storage_failed` when the disk fails. */
export function openStorage({ directory, minFreeBytes }: { directory: string; minFreeBytes: number }) {
  const pathOf = (name: string) => join(directory, name)

  return {
    /** Makes the directories and removes incomplete files. */
    async prepare(): Promise<void> {
      for (const folder of [directory, pathOf('demos')]) {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        for (const entry of await readdir(folder))
          if (entry.endsWith(temporarySuffix)) await unlink(join(folder, entry))
      }
    },

    /** Whether the free space is 0 or below the configured minimum. */
    async isFull(): Promise<boolean> {
      return (await readFreeBytes(directory)) < Math.max(1, minFreeBytes)
    },

    /** The space on the disk; undefined when it cannot be read. */
    async space(): Promise<(Space & { readonly state: SpaceState }) | undefined> {
      const space = await readSpace(directory).catch(() => undefined)
      return space && { ...space, state: judgeSpace(space, minFreeBytes) }
    },

    /** Throws `storage_failed` when less than the configured minimum is free. */
    async ensureSpace(): Promise<void> {
      if ((await guard(() => readFreeBytes(directory))) < minFreeBytes)
        throw new AppError('storage_failed', 'The disk of the server is almost full.')
    },

    /** Opens a new file. `failing`: `commit` fails, as a fault on demand. */
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
          // The caller reports the failure that led here. The next start removes files that remain.
          await close().catch(() => {})
          await unlink(temporary).catch(() => {})
        },
      }
    },

    /** Removes a file. A missing file is no error. */
    async remove(name: string): Promise<void> {
      await guard(() => unlink(pathOf(name)).catch(ignoreMissing))
    },

    /** Removes audio of requests durably. A missing file is no error. */
    async erase(names: readonly string[]): Promise<void> {
      for (const name of names) await this.remove(name)
      await guard(() => syncDirectory(directory))
    },

    /** Removes the demos of a voice, whatever the hash in their names. */
    async removeDemosOf(voiceId: string): Promise<void> {
      const names = await guard(() => readdir(pathOf('demos')))
      for (const name of names) if (name.startsWith(`${voiceId}-`)) await this.remove(`demos/${name}`)
    },

    /** Finds the file of that name. Returns undefined when it does not exist or the name is malformed. */
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
    // The name may not be durable, so the file counts as not made.
    await unlink(path)
    throw error
  }
}
