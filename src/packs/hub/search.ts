/** Lists the packs of a hub by name, for `sonant voices search`. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing } from '../../storage/files'
import type { PackFamily } from '../../speech/models/pack'
import type { Hub } from './client'
import { folderOfPack } from './folder'
import { chooseFiles, knownPacks, type KnownPack } from './packs'
import { fetchPiperIndex, piperRepository, type PiperVoice } from './piper-index'
import { findRepository, listFiles, type HubFile } from './repository'

export type FoundPack = {
  /** The name for `pull`. */
  readonly name: string
  readonly family: PackFamily
  /** BCP 47; empty for a converter. */
  readonly languages: readonly string[]
  /** In English: a language and its country, or the kind of pack. */
  readonly description: string
  /** Quality of Piper's voices: `x_low` to `high`. */
  readonly quality: string | null
  /** null: unknown before the installation. */
  readonly speakers: number | null
  /** null: not given by the hub. */
  readonly sizeBytes: number | null
  readonly installed: boolean
}

/** Search words beyond the packs' own texts. */
const furtherWords: Readonly<Record<string, string>> = {
  en: 'english',
  zh: 'chinese mandarin 中文',
  es: 'spanish',
  fr: 'french',
  hi: 'hindi',
  it: 'italian',
  ja: 'japanese',
  pt: 'portuguese',
}

/** Everything that a hub offers. */
export type HubIndex = { readonly voices: readonly PiperVoice[]; readonly filesOf: FilesOf }

/** Throws `url_fetch_failed`, `not_found`. */
export async function readHubIndex(hub: Hub): Promise<HubIndex> {
  const repository = await findRepository(hub, piperRepository)
  return { voices: await fetchPiperIndex(hub, repository), filesOf: listOnce(hub) }
}

/**
 * Packs that match all `words`: a language (`en`, `en_US`, `en-us`, `Chinese`, `中文`), a country, a quality, a part of a
 * name. `directory`: folder of the packs.
 */
export async function searchIndex(
  { voices, filesOf }: HubIndex,
  words: readonly string[],
  directory: string,
): Promise<FoundPack[]> {
  const fits = createFilter(words, [...knownPacks.flatMap(tagsOfKnown), ...voices.flatMap(tagsOf)])
  const others = knownPacks.filter((pack) => fits(tagsOfKnown(pack), textOfKnown(pack)))
  const piper = voices
    .filter((voice) => fits(tagsOf(voice), textOfPiper(voice)))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const found = [...(await Promise.all(others.map((pack) => findKnown(pack, filesOf)))), ...piper.map(describePiper)]
  // List voices with a research-only licence last.
  found.sort((a, b) => Number(isForResearch(a.name)) - Number(isForResearch(b.name)))
  return Promise.all(
    found.map(async (pack) => {
      const there = await stat(join(directory, folderOfPack(pack.name))).catch(ignoreMissing)
      return { ...pack, installed: there?.isDirectory() ?? false }
    }),
  )
}

/** A word that equals the tag of a language matches only that language, not a part of a name. */
function createFilter(words: readonly string[], allTags: readonly string[]) {
  const known = new Set(allTags.map(plain))
  const wanted = words.map(plain)
  return (tags: readonly string[], text: string): boolean =>
    wanted.every((word) => (known.has(word) ? tags.some((tag) => plain(tag) === word) : text.includes(word)))
}

function plain(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('_', '-')
}

function tagsOf({ language }: PiperVoice): readonly string[] {
  return [language.code, language.family]
}

/** With a region (`en-GB`) also the language alone. */
function tagsOfKnown({ languages }: KnownPack): readonly string[] {
  return languages.flatMap((tag) => [...new Set([tag, languageOf(tag)])])
}

function languageOf(tag: string): string {
  return tag.split('-')[0]!
}

function textOfKnown({ name, description, languages }: KnownPack): string {
  return plain([name, description, ...languages.map((tag) => furtherWords[languageOf(tag)] ?? '')].join(' '))
}

function textOfPiper({ key, language, quality, aliases }: PiperVoice): string {
  const { nativeName, englishName, country, family } = language
  return plain(
    [`piper/${key}`, nativeName, englishName, country, quality, furtherWords[family] ?? '', ...aliases].join(' '),
  )
}

type FilesOf = (repository: string) => Promise<HubFile[]>

/** Asks the hub once for each repository. */
function listOnce(hub: Hub): FilesOf {
  const asked = new Map<string, Promise<HubFile[]>>()
  const list = async (id: string) => listFiles(hub, await findRepository(hub, id), '')
  return (id) => asked.get(id) ?? asked.set(id, list(id)).get(id)!
}

async function findKnown(pack: KnownPack, filesOf: FilesOf): Promise<Omit<FoundPack, 'installed'>> {
  const { name, family, languages, description } = pack
  const sizeBytes = await sizeOf(pack, filesOf)
  return { name, family, languages, description, quality: null, speakers: pack.pinned ? 1 : null, sizeBytes }
}

/** A mirror may lack this repository; `pull` then reports the reason. */
async function sizeOf(pack: KnownPack, filesOf: FilesOf): Promise<number | null> {
  try {
    return chooseFiles(pack, await filesOf(pack.repository)).reduce((sum, file) => sum + file.sizeBytes, 0)
  } catch {
    return null
  }
}

/** Voices from recordings licensed for research only, according to their model cards; the index does not give licences. */
function isForResearch(name: string): boolean {
  return /^piper\/\w+-lessac-/.test(name)
}

function describePiper({ key, language, quality, speakers, sizeBytes }: PiperVoice): Omit<FoundPack, 'installed'> {
  const { code, englishName, country } = language
  return {
    name: `piper/${key}`,
    family: 'piper',
    languages: [code.replace('_', '-')],
    description: `${englishName}${country ? `, ${country}` : ''}${isForResearch(`piper/${key}`) ? '; for research only' : ''}`,
    quality,
    speakers,
    sizeBytes,
  }
}
