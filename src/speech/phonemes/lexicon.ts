/**
 * `tokens.txt` and `lexicon.txt` of sherpa-onnx' models (sherpa-onnx/csrc/lexicon.cc, melo-tts-lexicon.cc and
 * text-utils.cc of https://github.com/k2-fsa/sherpa-onnx), and segmentation of a text into lexicon words.
 */
import type { Vocabulary } from './runs'

/** A word's phonemes, and their tones if the lexicon has them. */
export type Pronunciation = { readonly ids: readonly number[]; readonly tones?: readonly number[] }

export type Lexicon = {
  has(word: string): boolean
  find(word: string): Pronunciation | undefined
}

/** White space in C++; U+3000 may be a symbol. */
const blanks = /[ \t\r\v\f]+/

/**
 * Parses one symbol and its id per line. A line with only an id defines the space. The first of two equal symbols
 * counts.
 */
export function parseTokens(text: string): Vocabulary | undefined {
  const tokens = new Map<string, number>()
  for (const line of text.split('\n')) {
    const fields = line.split(blanks).filter(Boolean)
    if (fields.length === 0) continue
    const id = fields.at(-1)!
    if (fields.length > 2 || !/^\d{1,6}$/.test(id)) return undefined
    const symbol = fields.length === 1 ? ' ' : fields[0]!
    if (!tokens.has(symbol)) tokens.set(symbol, Number(id))
  }
  return tokens.size > 0 ? tokens : undefined
}

/**
 * Parses one word per line, then its phonemes, and with `toned` as many tones. Lines are parsed on lookup, because
 * lexicons have up to several hundred thousand. A word with an unknown phoneme is missing.
 */
export function parseLexicon(text: string, tokens: Vocabulary, toned: boolean): Lexicon {
  const lines = new Map<string, string>()
  for (const line of text.split('\n')) {
    const match = /^[ \t]*([^ \t\r\v\f]+)[ \t]+(.*)$/.exec(line)
    if (!match) continue
    const word = match[1]!.toLowerCase()
    if (!lines.has(word)) lines.set(word, match[2]!)
  }
  const found = new Map<string, Pronunciation | undefined>()

  function find(word: string): Pronunciation | undefined {
    const line = lines.get(word)
    if (line === undefined) return undefined
    if (!found.has(word)) found.set(word, parsePronunciation(line, tokens, toned))
    return found.get(word)
  }
  return { has: (word) => find(word) !== undefined, find }
}

/** sherpa-onnx aborts on tones outside this range. */
const toneMax = 50

function parsePronunciation(line: string, tokens: Vocabulary, toned: boolean): Pronunciation | undefined {
  const fields = line.split(blanks).filter(Boolean)
  const phonemes = toned ? fields.slice(0, fields.length / 2) : fields
  const ids = phonemes.map((phoneme) => tokens.get(phoneme))
  if (ids.length === 0 || ids.includes(undefined)) return undefined
  if (!toned) return { ids: ids as number[] }
  const tones = fields.slice(phonemes.length).map(Number)
  if (tones.length !== ids.length || tones.some((tone) => !(tone >= 0 && tone <= toneMax))) return undefined
  return { ids: ids as number[], tones }
}

/** Letters of scripts without spaces between words. */
const unspaced =
  '\\p{Script=Han}\\p{Script=Hira}\\p{Script=Kana}\\p{Script=Thai}\\p{Script=Laoo}\\p{Script=Khmr}\\p{Script=Mymr}'
const unit = new RegExp(`[[\\p{L}\\p{M}\\p{N}']--[${unspaced}]]+|[^\\s]`, 'gv')

/** Splits into words in scripts with spaces, single characters in others, and marks. */
export function splitUnits(text: string): string[] {
  return text.replaceAll('’', "'").match(unit) ?? []
}

const wordUnitsMax = 10

/** Greedy longest match of words from the left. */
export function matchLongest(units: readonly string[], isWord: (text: string) => boolean): string[] {
  const words: string[] = []
  for (let at = 0; at < units.length;) {
    let end = isSingle(units[at]!) ? Math.min(at + wordUnitsMax, units.length) : at + 1
    while (end > at + 1 && !(isSingle(units[end - 1]!) && isWord(units.slice(at, end).join('')))) end--
    words.push(units.slice(at, end).join(''))
    at = end
  }
  return words
}

const single = new RegExp(`^[${unspaced}]$`, 'v')

function isSingle(text: string): boolean {
  return single.test(text)
}
