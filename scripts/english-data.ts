/**
 * Compiles the data of misaki's reading of English for src/speech/phonemes/english/data.ts:
 * bun scripts/english-data.ts FOLDER OUTPUT
 *
 * FOLDER holds the assets of the Python package hibari-tts: lexicons, tagger, special cases, and the alphabets of the
 * networks for unknown words. The same input gives the same bytes.
 */
import { join } from 'node:path'
import {
  type Accent,
  accents,
  dataVersion,
  type Description,
  headerBytes,
  magic,
  type NetworkAlphabet,
  type SectionName,
  sectionNames,
  severalReadings,
  spelledReading,
} from '../src/speech/phonemes/english/data'
import { blockEntries, keyBytesMax } from '../src/speech/phonemes/english/table'
import { replaceFile } from './run'

type Lexicon = Readonly<Record<string, string | Readonly<Record<string, string | null>>>>
type Tagger = {
  readonly tags: readonly string[]
  readonly tagdict: Readonly<Record<string, string>>
  readonly vocab: readonly string[]
  readonly weights: Readonly<Record<string, Readonly<Record<string, number>>>>
}
type Network = { readonly in: readonly string[]; readonly out: readonly string[]; readonly maxlen: number }

const abbreviations: Readonly<Record<Accent, string>> = { american: 'us', british: 'gb' }
const networkFiles: Readonly<Record<Accent, string>> = { american: 'oov.json', british: 'oov_gb.json' }

const decoder = new TextDecoder('utf-8', { fatal: true })
const encoder = new TextEncoder()

/** `folder`: with the package's assets. Throws with the file's name when one is missing or damaged. */
export async function compileEnglishData(folder: string): Promise<Uint8Array> {
  const lexicons = new Map<SectionName, Lexicon>()
  for (const accent of accents)
    for (const [grade, name] of [
      ['gold', 'Gold'],
      ['silver', 'Silver'],
    ] as const)
      lexicons.set(
        `${accent}${name}`,
        await readJson<Lexicon>(folder, `lexicon_${abbreviations[accent]}_${grade}.json.gz`),
      )
  const tagger = await readJson<Tagger>(folder, 'tagger.json.gz')
  const specialCases = await readJson<Record<string, string[]>>(folder, 'tokenizer_exceptions.json')
  const networks = {
    american: toAlphabet(await readJson<Network>(folder, networkFiles.american)),
    british: toAlphabet(await readJson<Network>(folder, networkFiles.british)),
  }

  const readings = [...lexicons.values()].flatMap((lexicon) => Object.values(lexicon))
  const phonemes = [...new Set(readings.flatMap((reading) => [...textOf(reading)]))].sort().join('')
  const lexiconTags = [...new Set(readings.flatMap((reading) => (isText(reading) ? [] : Object.keys(reading))))].sort()
  // All tags are ASCII, so this is the order of code points.
  const tags = [...tagger.tags].sort()

  const sections: Record<SectionName, Uint8Array> = {
    americanGold: encodeLexicon(lexicons.get('americanGold')!, phonemes, lexiconTags),
    americanSilver: encodeLexicon(lexicons.get('americanSilver')!, phonemes, lexiconTags),
    britishGold: encodeLexicon(lexicons.get('britishGold')!, phonemes, lexiconTags),
    britishSilver: encodeLexicon(lexicons.get('britishSilver')!, phonemes, lexiconTags),
    features: encodeTable(
      Object.entries(tagger.weights).map(([feature, weights]) => [feature, encodeWeights(weights, tags)]),
    ),
    certainTags: encodeTable(
      Object.entries(tagger.tagdict).map(([word, tag]) => [word, Uint8Array.of(tags.indexOf(tag))]),
    ),
    frequentWords: encodeTable(tagger.vocab.map((word) => [word, new Uint8Array()])),
    specialCases: encodeTable(
      Object.entries(specialCases).map(([text, tokens]) => {
        if (tokens.join('') !== text) throw new Error(`The special case ${text} has other tokens: ${tokens.join(' ')}`)
        return [text, Uint8Array.from(tokens, (token) => token.length)]
      }),
    ),
  }
  return joinSections(sections, { phonemes, lexiconTags, tags, networks })
}

async function readJson<T>(folder: string, name: string): Promise<T> {
  try {
    const bytes = await Bun.file(join(folder, name)).bytes()
    return JSON.parse(decoder.decode(name.endsWith('.gz') ? Bun.gunzipSync(bytes) : bytes)) as T
  } catch (error) {
    throw new Error(`English reading data: ${name}: ${(error as Error).message}`, { cause: error })
  }
}

function isText(reading: Lexicon[string]): reading is string {
  return typeof reading === 'string'
}

function textOf(reading: Lexicon[string]): string {
  return isText(reading) ? reading : Object.values(reading).join('')
}

function toAlphabet(network: Network): NetworkAlphabet {
  const join = (symbols: readonly string[]) => {
    if (symbols.some((symbol) => symbol.length !== 1)) throw new Error('A network has a symbol of several characters.')
    return symbols.join('')
  }
  return { letters: join(network.in), phonemes: join(network.out), lettersMax: network.maxlen }
}

function encodeLexicon(lexicon: Lexicon, phonemes: string, lexiconTags: readonly string[]): Uint8Array {
  const encode = (text: string) => [...text].map((phoneme) => phonemes.indexOf(phoneme))
  return encodeTable(
    Object.entries(lexicon).map(([word, reading]) => {
      if (isText(reading)) return [word, Uint8Array.from(encode(reading))]
      const bytes = [severalReadings]
      for (const [tag, text] of Object.entries(reading)) {
        bytes.push(lexiconTags.indexOf(tag))
        if (text === null) bytes.push(spelledReading)
        else bytes.push(text.length, ...encode(text))
      }
      return [word, Uint8Array.from(bytes)]
    }),
  )
}

function encodeWeights(weights: Readonly<Record<string, number>>, tags: readonly string[]): Uint8Array {
  return Uint8Array.from(
    Object.entries(weights).flatMap(([tag, weight]) => {
      const tenths = Math.round(weight * 10)
      if (tenths / 10 !== weight || Math.abs(tenths) > 0x7fff) throw new Error(`The weight ${weight} has no tenths.`)
      return [tags.indexOf(tag), tenths & 0xff, (tenths >> 8) & 0xff]
    }),
  )
}

/** The format of `openTable`. */
export function encodeTable(entries: readonly (readonly [key: string, value: Uint8Array])[]): Uint8Array {
  const sorted = entries
    .map(([key, value]) => ({ key: encoder.encode(key), value }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
  const blocks = Math.ceil(sorted.length / blockEntries)
  const bytes: number[] = []
  const offsets: number[] = []
  for (const [at, { key, value }] of sorted.entries()) {
    if (key.length > keyBytesMax || value.length > 0xffff) throw new Error(`Too long: ${decoder.decode(key)}`)
    const isFirst = at % blockEntries === 0
    if (isFirst) offsets.push(bytes.length)
    const shared = isFirst ? 0 : commonBytes(sorted[at - 1]!.key, key)
    bytes.push(shared, key.length - shared, ...key.subarray(shared), value.length & 0xff, value.length >> 8, ...value)
  }
  const header = Uint32Array.of(sorted.length, blocks, ...offsets)
  return Buffer.concat([new Uint8Array(header.buffer), Uint8Array.from(bytes)])
}

function commonBytes(a: Uint8Array, b: Uint8Array): number {
  let common = 0
  while (common < a.length && common < b.length && a[common] === b[common]) common++
  return common
}

function joinSections(
  sections: Readonly<Record<SectionName, Uint8Array>>,
  rest: Omit<Description, 'sections'>,
): Uint8Array {
  let offset = 0
  const places = Object.fromEntries(
    sectionNames.map((name) => {
      const place = [offset, sections[name].length] as const
      offset += sections[name].length
      return [name, place]
    }),
  ) as Description['sections']
  const description = encoder.encode(JSON.stringify({ sections: places, ...rest } satisfies Description))
  const header = Uint32Array.of(dataVersion, headerBytes + description.length + offset, description.length)
  return Buffer.concat([
    encoder.encode(magic),
    new Uint8Array(header.buffer),
    description,
    ...sectionNames.map((name) => sections[name]),
  ])
}

if (import.meta.main) {
  const [folder, output] = process.argv.slice(2)
  if (!folder || !output) throw new Error('Usage: bun scripts/english-data.ts FOLDER OUTPUT')
  const bytes = await compileEnglishData(folder)
  await replaceFile(output, bytes)
  console.log(output, bytes.length, 'bytes')
}
