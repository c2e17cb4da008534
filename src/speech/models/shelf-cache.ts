/**
 * What is remembered of the packs between starts, so that the next one has their voices at once: `.shelf.json` in the
 * folder of the packs. Whatever is wrong with it, the packs are looked at anew.
 */
import { open, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isFields } from '../../fields'
import { ignoreMissing, syncDirectory } from '../../storage/files'
import type { Pack } from './pack'

export type Remembered = {
  /** Of the pack's folder. */
  readonly name: string
  /** Ids by slug; those of a pack that is away are kept for it. */
  readonly ids: ReadonlyMap<string, string>
  readonly tried: Tried | undefined
}

/** How a pack did when it was tried. */
export type Tried = {
  /** Of its files. */
  readonly version: string
  /** Of this program. */
  readonly program: string
  /** With its reader's slugs as ids. */
  readonly result:
    | { readonly pack: Pack }
    /** `isPassing`: for nothing that is wrong with the pack itself. */
    | { readonly reason: string; readonly isPassing?: true }
}

/** To be raised when packs are read or written otherwise, so that nobody takes old results for new ones. */
const format = 3

const pathOf = (directory: string) => join(directory, '.shelf.json')

/** In the order in which they were installed; none when there is no cache, or no usable one. */
export async function readCache(directory: string): Promise<Remembered[]> {
  // One that cannot be read is none, as for another user at the command line.
  const text = await readFile(pathOf(directory), 'utf8').catch(() => undefined)
  if (text === undefined) return []
  try {
    const cache = JSON.parse(text) as { format?: unknown; packs?: unknown }
    if (cache.format !== format || !Array.isArray(cache.packs)) return []
    return cache.packs.filter(isEntry).map(({ name, ids, tried }) => ({
      name,
      ids: new Map(Object.entries(ids)),
      tried: isTried(tried) ? tried : undefined,
    }))
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}

/** Whole or not at all. */
export async function writeCache(directory: string, packs: readonly Remembered[]): Promise<void> {
  const entries = packs.map(({ name, ids, tried }) => ({ name, ids: Object.fromEntries(ids), tried }))
  const temporary = `${pathOf(directory)}.${process.pid}.tmp`
  try {
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.writeFile(JSON.stringify({ format, packs: entries }))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, pathOf(directory))
  } catch (error) {
    await unlink(temporary).catch(ignoreMissing)
    throw error
  }
  await syncDirectory(directory)
}

type Entry = { readonly name: string; readonly ids: Readonly<Record<string, string>>; readonly tried?: unknown }

const areStrings = (...values: unknown[]) => values.every((value) => typeof value === 'string')

function isEntry(value: unknown): value is Entry {
  return isFields(value) && areStrings(value.name) && isFields(value.ids) && areStrings(...Object.values(value.ids))
}

function isTried(value: unknown): value is Tried {
  if (!isFields(value) || !areStrings(value.version, value.program) || !isFields(value.result)) return false
  const { pack, reason } = value.result
  return pack === undefined ? areStrings(reason) : isPack(pack)
}

function isPack(value: unknown): value is Pack {
  if (!isFields(value) || !isFields(value.model) || !Array.isArray(value.voices)) return false
  if (!areStrings(value.family, value.model.graph) || typeof value.sampleRate !== 'number') return false
  return value.voices.every((voice: unknown) => {
    return isFields(voice) && areStrings(voice.id, voice.displayName, voice.language) && isFields(voice.settings)
  })
}
