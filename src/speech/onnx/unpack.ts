/** Unpacks the embedded library of onnxruntime, which the system can only load from a file. */
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmbeddedLibrary } from './library'

/** A process that writes for longer has been killed. */
const leftoverAgeMs = 600_000

/**
 * Calls `load` with the path of the unpacked library, which stays in `directory` for later processes. If it cannot be
 * written there, for example on a full disk, it is a temporary file for this process alone.
 */
export async function withUnpacked(
  library: EmbeddedLibrary,
  directory: string,
  load: (path: string) => void,
): Promise<void> {
  const path = join(directory, library.name)
  if (await exists(path)) return load(path)
  const bytes = await Bun.zstdDecompress(await Bun.file(library.path).bytes())
  try {
    await put(bytes, directory, library.name)
  } catch (error) {
    return loadTemporarily(bytes, load, error)
  }
  load(path)
}

/** Puts the file into the folder atomically and durably. Leaves nothing behind when it fails. */
async function put(bytes: Uint8Array, directory: string, name: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await removeLeftovers(directory, name)
  const temporary = join(directory, `${name}.${process.pid}.tmp`)
  try {
    await writeFile(temporary, bytes, { flush: true, mode: 0o600 })
    await rename(temporary, join(directory, name))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function removeLeftovers(directory: string, name: string): Promise<void> {
  for (const file of await readdir(directory)) {
    if (!file.startsWith(`${name}.`)) continue
    const path = join(directory, file)
    const found = await stat(path).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > leftoverAgeMs) await rm(path, { force: true })
  }
}

/** A loaded library needs no file. Throws `cause` when there is no room for a temporary file either. */
async function loadTemporarily(bytes: Uint8Array, load: (path: string) => void, cause: unknown): Promise<void> {
  let folder: string | undefined
  try {
    folder = await mkdtemp(join(tmpdir(), 'sonant-library-'))
    const path = join(folder, 'library.so')
    await writeFile(path, bytes, { mode: 0o600 })
    load(path)
  } catch {
    throw cause
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
