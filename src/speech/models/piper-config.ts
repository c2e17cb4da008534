/**
 * The configuration of a Piper voice, `X.onnx.json` beside `X.onnx`. Fields and defaults are those of `config.py` in
 * https://github.com/OHF-Voice/piper1-gpl.
 */
import { isFields } from '../../fields'
import { espeakVoices } from '../espeak/voices'
import { type PiperAlphabet, piperPhonemeTypes, type PiperPhonemeType } from '../phonemes/piper'
import { BadPack } from './pack'

export type PiperConfig = {
  readonly alphabet: PiperAlphabet
  readonly sampleRate: number
  /** Samples per frame. */
  readonly hopLength: number
  readonly noiseScale: number
  readonly lengthScale: number
  readonly noiseWidth: number
  readonly speakerCount: number
  /** Name to number; may be empty for a model of several speakers. */
  readonly speakers: ReadonlyMap<string, number>
  /** Language to number, for models with a language input. */
  readonly languages: ReadonlyMap<string, number>
  /** BCP 47. */
  readonly language: string
  /** Training dataset, e.g. `lessac`; null when not given. */
  readonly dataset: string | null
  /** `x_low` to `high`; null when not given. */
  readonly quality: string | null
}

const speakersMax = 2_000
const defaults = { hopLength: 256, noiseScale: 0.667, lengthScale: 1, noiseWidth: 0.8, symbols: 256 }
const symbolsMax = 10_000
const idsPerSymbolMax = 16
const nameCharactersMax = 100

/** `file`: named in errors. Throws `BadPack` on an unusable configuration. */
export function parsePiperConfig(json: Readonly<Record<string, unknown>>, file: string): PiperConfig {
  const at = readerOf(json, file)
  const phonemeType = at.oneOf('phoneme_type', piperPhonemeTypes, 'espeak')
  const espeakVoice = readEspeakVoice(at, phonemeType)
  const idMax = at.number('num_symbols', { min: 1, max: symbolsMax, whole: true, absent: defaults.symbols }) - 1
  const speakerCount = at.number('num_speakers', { min: 1, max: speakersMax, whole: true, absent: 1 })
  const ids = readIds(at, idMax)
  return {
    alphabet: {
      phonemeType,
      espeakVoice,
      ids,
      replacements: new Map(
        Object.entries(at.object('phoneme_map')).map(([symbol, to]) => [symbol, at.strings('phoneme_map', to)]),
      ),
      vowelClusters: readClusters(at, ids),
    },
    sampleRate: at.number('audio.sample_rate', { min: 8_000, max: 48_000, whole: true }),
    hopLength: at.number('hop_length', { min: 1, max: 4_096, whole: true, absent: defaults.hopLength }),
    noiseScale: at.number('inference.noise_scale', { min: 0, max: 10, absent: defaults.noiseScale }),
    lengthScale: at.number('inference.length_scale', { min: 0.1, max: 10, absent: defaults.lengthScale }),
    noiseWidth: at.number('inference.noise_w', { min: 0, max: 10, absent: defaults.noiseWidth }),
    speakerCount,
    speakers: at.numbers('speaker_id_map', speakerCount - 1),
    languages: at.numbers('language_id_map', 1_000),
    language: readLanguage(at, espeakVoice),
    dataset: at.text('dataset') || null,
    quality: at.text('audio.quality') || null,
  }
}

type Reader = ReturnType<typeof readerOf>
type Range = { readonly min: number; readonly max: number; readonly whole?: boolean; readonly absent?: number }

/** Reads fields by their paths, e.g. `audio.sample_rate`. */
function readerOf(json: Readonly<Record<string, unknown>>, file: string) {
  const valueOf = (path: string) =>
    path.split('.').reduce<unknown>((value, name) => (isFields(value) ? value[name] : undefined), json)
  const refuse = (path: string, allowed: string, found = valueOf(path)): never => {
    const shown = found === undefined ? 'missing' : (JSON.stringify(found) ?? 'something else').slice(0, 60)
    throw new BadPack(`${file}: ${path} is ${shown}; it must be ${allowed}`)
  }
  function object(path: string): Readonly<Record<string, unknown>> {
    const value = valueOf(path) ?? {}
    return isFields(value) ? value : refuse(path, 'an object')
  }
  return {
    refuse,
    object,
    valueOf,
    number(path: string, { min, max, whole = false, absent }: Range): number {
      const value = valueOf(path) ?? absent
      const fits = typeof value === 'number' && value >= min && value <= max && (!whole || Number.isInteger(value))
      return fits ? value : refuse(path, `a${whole ? ' whole' : ''} number from ${min} to ${max}`)
    },
    /** Returns '' for a missing field. */
    text(path: string): string {
      const value = valueOf(path) ?? ''
      return typeof value === 'string' && value.length <= nameCharactersMax
        ? value
        : refuse(path, `a text of at most ${nameCharactersMax} characters`)
    },
    oneOf<T extends string>(path: string, allowed: readonly T[], absent: T): T {
      const value = valueOf(path) ?? absent
      return allowed.find((one) => one === value) ?? refuse(path, allowed.join(' or '))
    },
    strings(path: string, value: unknown): string[] {
      const fits =
        Array.isArray(value) && value.length <= idsPerSymbolMax && value.every((one) => typeof one === 'string')
      return fits ? value : refuse(path, 'a list of texts for each entry', value)
    },
    /** Names to distinct whole numbers from 0 to `max`. */
    numbers(path: string, max: number): Map<string, number> {
      const entries = Object.entries(object(path))
      for (const [name, value] of entries) {
        if (name === '' || name.length > nameCharactersMax)
          refuse(path, `names of 1 to ${nameCharactersMax} characters`, name)
        if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max)
          refuse(`${path}.${name}`, `a whole number from 0 to ${max}`, value)
      }
      const numbers = new Map(entries as [string, number][])
      return new Set(numbers.values()).size === numbers.size
        ? numbers
        : refuse(path, 'a different number for each name')
    },
  }
}

function readEspeakVoice(at: Reader, phonemeType: PiperPhonemeType): string {
  const voice = at.text('espeak.voice')
  if (phonemeType === 'espeak' && !espeakVoices.has(voice))
    at.refuse('espeak.voice', 'a voice of eSpeak NG, e.g. en-us')
  return voice
}

function readIds(at: Reader, idMax: number): Map<string, readonly number[]> {
  const path = 'phoneme_id_map'
  const entries = Object.entries(at.object(path))
  if (entries.length > symbolsMax) at.refuse(path, `of at most ${symbolsMax} phonemes`, entries.length)
  const isId = (id: unknown) => typeof id === 'number' && Number.isInteger(id) && id >= 0 && id <= idMax
  for (const [symbol, ids] of entries)
    if (!Array.isArray(ids) || ids.length === 0 || ids.length > idsPerSymbolMax || !ids.every(isId))
      at.refuse(`${path}[${JSON.stringify(symbol)}]`, `a list of whole numbers from 0 to ${idMax}`, ids)
  const ids = new Map(entries as [string, number[]][])
  for (const symbol of ['_', '^', '$']) if (!ids.has(symbol)) at.refuse(`${path}.${symbol}`, 'there')
  return ids
}

function readClusters(at: Reader, ids: ReadonlyMap<string, unknown>): string[][] {
  const path = 'vowel_clusters'
  const value = at.valueOf(path) ?? []
  if (!Array.isArray(value) || value.length > symbolsMax) return at.refuse(path, 'a list of lists of phonemes')
  return value.map((one) => {
    const cluster = at.strings(path, one)
    return ids.has(cluster.join('')) ? cluster : at.refuse(path, 'of clusters that phoneme_id_map has', one)
  })
}

/** `language.code`, e.g. `en_US`, else eSpeak NG's language. */
function readLanguage(at: Reader, espeakVoice: string): string {
  const code = at.text('language.code') || espeakVoice.replace(/-x-.*$/, '').replace(/^cmn\b.*/, 'zh-CN')
  try {
    return (
      Intl.getCanonicalLocales(code.replaceAll('_', '-'))[0] ?? at.refuse('language.code', 'a language, e.g. en_US')
    )
  } catch (error) {
    if (error instanceof RangeError) return at.refuse('language.code', 'a language, e.g. en_US')
    throw error
  }
}
