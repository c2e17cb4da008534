/**
 * The data of misaki's reading of English in one compact file: lexicons of two accents, the part-of-speech tagger, the
 * tokenizer's special cases, and the alphabets of the networks for unknown words. scripts/english-data.ts compiles it.
 *
 * Layout: `magic`, version and size of the file, size of the description (uint32, little-endian), the description as
 * JSON, the sections.
 */
import { parseJson } from '../../../json'
import { openTable, type Table } from './table'

export const accents = ['american', 'british'] as const
export type Accent = (typeof accents)[number]

export const magic = 'sonant-english\n\0'
export const dataVersion = 1
export const headerBytes = magic.length + 12

export const sectionNames = [
  'americanGold',
  'americanSilver',
  'britishGold',
  'britishSilver',
  'features',
  'certainTags',
  'frequentWords',
  'specialCases',
] as const
export type SectionName = (typeof sectionNames)[number]

/** The network's symbols; its ids begin with 1. `lettersMax`: letters of a word that it reads. */
export type NetworkAlphabet = { readonly letters: string; readonly phonemes: string; readonly lettersMax: number }

export type Description = {
  /** Offset behind the description and size, in bytes. */
  readonly sections: Readonly<Record<SectionName, readonly [offset: number, sizeBytes: number]>>
  /** Characters of the lexicons' phonemes; values of the lexicons are indices. */
  readonly phonemes: string
  /** Part-of-speech keys of the lexicons. */
  readonly lexiconTags: readonly string[]
  /** Penn tags in code point order. */
  readonly tags: readonly string[]
  readonly networks: Readonly<Record<Accent, NetworkAlphabet>>
}

/**
 * A word's phonemes. With several readings: by Penn tag, by its class (`VERB`, `NOUN`, `ADV`, `ADJ`), by `None` (no
 * sound follows in the phrase) and by `DEFAULT`. Null: to be spelled.
 */
export type Entry = string | ReadonlyMap<string, string | null>

export type Dictionary = { find(word: string): Entry | undefined }

export type TaggerData = {
  readonly tags: readonly string[]
  /** Adds the weights of a feature to the sums by tag; false for an unknown feature. */
  addWeights(feature: string, sums: Float64Array): boolean
  /** The tag of a word that has one only. */
  certainTag(word: string): string | undefined
  isFrequent(word: string): boolean
}

export type EnglishData = {
  readonly gold: Readonly<Record<Accent, Dictionary>>
  readonly silver: Readonly<Record<Accent, Dictionary>>
  readonly tagger: TaggerData
  /** Lengths of the tokens of a special case, in UTF-16 units. */
  specialCase(text: string): readonly number[] | undefined
  readonly networks: Readonly<Record<Accent, NetworkAlphabet>>
}

/** Marks a value of a lexicon with several readings, and a reading that is null. */
export const severalReadings = 0xff
export const spelledReading = 0xff

/** `bytes` must not change afterwards. Throws with the reason when it is not a whole file of this version. */
export function openEnglishData(bytes: Uint8Array): EnglishData {
  const { description, sections } = readHeader(bytes)
  const tables = new Map<SectionName, Table>()
  for (const name of sectionNames) {
    const [offset, sizeBytes] = description.sections[name]
    if (!(offset >= 0 && sizeBytes >= 0 && offset + sizeBytes <= sections.length))
      throw new Error(`English reading data: section ${name} lies outside of the file`)
    tables.set(name, openTable(sections.subarray(offset, offset + sizeBytes)))
  }
  const table = (name: SectionName) => tables.get(name)!
  return {
    gold: {
      american: openDictionary(table('americanGold'), description),
      british: openDictionary(table('britishGold'), description),
    },
    silver: {
      american: openDictionary(table('americanSilver'), description),
      british: openDictionary(table('britishSilver'), description),
    },
    tagger: openTagger(table('features'), table('certainTags'), table('frequentWords'), description.tags),
    specialCase: (text) => {
      const lengths = table('specialCases').find(text)
      return lengths && [...lengths]
    },
    networks: description.networks,
  }
}

function readHeader(bytes: Uint8Array): { description: Description; sections: Uint8Array } {
  const refuse = (reason: string) => new Error(`English reading data: ${reason}`)
  const isOurs = [...magic].every((character, at) => bytes[at] === character.charCodeAt(0))
  if (!isOurs || bytes.length < headerBytes) throw refuse('not such a file')
  const view = new DataView(bytes.buffer, bytes.byteOffset + magic.length)
  const version = view.getUint32(0, true)
  if (version !== dataVersion) throw refuse(`version ${version}; this program reads version ${dataVersion}`)
  const sizeBytes = view.getUint32(4, true)
  if (sizeBytes !== bytes.length) throw refuse(`${bytes.length} bytes long; its header says ${sizeBytes}`)
  const end = headerBytes + view.getUint32(8, true)
  if (end > bytes.length) throw refuse('its description lies outside of the file')
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(headerBytes, end))
  return { description: parseJson(text) as Description, sections: bytes.subarray(end) }
}

function openDictionary(table: Table, { phonemes, lexiconTags }: Description): Dictionary {
  const decode = (value: Uint8Array) => {
    let text = ''
    for (const index of value) text += phonemes[index]
    return text
  }

  function read(word: string): Entry | undefined {
    const value = table.find(word)
    if (value === undefined || value[0] !== severalReadings) return value && decode(value)
    const readings = new Map<string, string | null>()
    for (let at = 1; at < value.length;) {
      const tag = lexiconTags[value[at]!]!
      const length = value[at + 1]!
      const spelled = length === spelledReading
      readings.set(tag, spelled ? null : decode(value.subarray(at + 2, at + 2 + length)))
      at += 2 + (spelled ? 0 : length)
    }
    return readings
  }

  return {
    /** A lower-case entry also answers for the capitalized word and the other way round. */
    find(word) {
      const entry = read(word)
      if (entry !== undefined || word.length < 2) return entry
      const lower = word.toLowerCase()
      const capitalized = lower[0]!.toUpperCase() + lower.slice(1)
      if (word === lower) return capitalized === word ? undefined : read(capitalized)
      return word === capitalized ? read(lower) : undefined
    },
  }
}

/** A feature's value has three bytes per tag: the tag's index, and its weight in tenths (int16, little-endian). */
function openTagger(features: Table, certainTags: Table, frequentWords: Table, tags: readonly string[]): TaggerData {
  return {
    tags,
    addWeights(feature, sums) {
      const value = features.find(feature)
      if (value === undefined) return false
      for (let at = 0; at + 2 < value.length; at += 3) {
        const tenths = ((value[at + 1]! | (value[at + 2]! << 8)) << 16) >> 16
        sums[value[at]!]! += tenths / 10
      }
      return true
    },
    certainTag(word) {
      const value = certainTags.find(word)
      return value && tags[value[0]!]
    },
    isFrequent: (word) => frequentWords.find(word) !== undefined,
  }
}
