/**
 * The cache of probed packs between starts, `.shelf.json` in the folder of the packs: the next start offers their
 * voices at once. A damaged cache only means that all packs are probed again.
 */
import { open, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isFields } from '../fields'
import { ignoreMissing, syncDirectory } from '../storage/files'
import type { Pack, PackPace, PaceConditions } from '../speech/models/pack'

export type Remembered = {
  /** Name of the pack's folder. */
  readonly name: string
  /** Ids by slug; a removed pack's ids stay reserved for it. */
  readonly ids: ReadonlyMap<string, string>
  readonly probed: Probed | undefined
}

/** Result of a probe. */
export type Probed = {
  /** Version of the pack's files. */
  readonly version: string
  /** Version of this program. */
  readonly program: string
  /** Undefined when a release without paces probed it. */
  readonly conditions?: PaceConditions
  /** Voice ids are the reader's slugs. */
  readonly result:
    | { readonly pack: Pack }
    /** `isPassing`: the failure may not be the pack's fault. */
    | { readonly reason: string; readonly isPassing?: true }
}

/** Increase this when packs are read or cached differently, so that old results are ignored. */
const format = 3

/** In the folder of the packs. The name stays, because the file holds the ids of installed voices. */
export const cacheFile = '.shelf.json'

const pathOf = (directory: string) => join(directory, cacheFile)

/** In order of installation. Empty without a usable cache. */
export async function readCache(directory: string): Promise<Remembered[]> {
  // An unreadable file counts as missing, e.g. for another user at the command line.
  const text = await readFile(pathOf(directory), 'utf8').catch(() => undefined)
  if (text === undefined) return []
  try {
    const cache = JSON.parse(text) as { format?: unknown; packs?: unknown }
    if (cache.format !== format || !Array.isArray(cache.packs)) return []
    return cache.packs.filter(isEntry).map(({ name, ids, tried: probed }) => ({
      name,
      ids: new Map(Object.entries(ids)),
      probed: isProbed(probed) ? probed : undefined,
    }))
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}

/** Writes atomically. */
export async function writeCache(directory: string, packs: readonly Remembered[]): Promise<void> {
  const entries = packs.map(({ name, ids, probed }) => ({ name, ids: Object.fromEntries(ids), tried: probed }))
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

/** An entry of the file. */
type Entry = { readonly name: string; readonly ids: Readonly<Record<string, string>>; readonly tried?: unknown }

const areStrings = (...values: unknown[]) => values.every((value) => typeof value === 'string')

function isEntry(value: unknown): value is Entry {
  return isFields(value) && areStrings(value.name) && isFields(value.ids) && areStrings(...Object.values(value.ids))
}

function isProbed(value: unknown): value is Probed {
  if (!isFields(value) || !areStrings(value.version, value.program) || !isFields(value.result)) return false
  if (value.conditions !== undefined && !isConditions(value.conditions)) return false
  const { pack, reason } = value.result
  return pack === undefined ? areStrings(reason) : isPack(pack)
}

function isPack(value: unknown): value is Pack {
  if (!isFields(value) || !isFields(value.model) || !Array.isArray(value.voices)) return false
  if (!areStrings(value.family, value.model.graph) || typeof value.sampleRate !== 'number') return false
  if (value.pace !== undefined && !isPace(value.pace)) return false
  return value.voices.every((voice: unknown) => {
    return isFields(voice) && areStrings(voice.id, voice.displayName, voice.language) && isFields(voice.settings)
  })
}

function isPace(value: unknown): value is PackPace {
  if (!isFields(value) || typeof value.realTimeFactor !== 'number') return false
  return value.charactersMax === null || typeof value.charactersMax === 'number'
}

function isConditions(value: unknown): value is PaceConditions {
  return isFields(value) && areStrings(value.machine, value.settings)
}
