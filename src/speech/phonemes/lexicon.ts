/**
 * `tokens.txt` and `lexicon.txt` of models that sherpa-onnx reads (sherpa-onnx/csrc/lexicon.cc, melo-tts-lexicon.cc and
 * text-utils.cc of https://github.com/k2-fsa/sherpa-onnx), and cutting a text into what stands in a lexicon.
 */
import type { Vocabulary } from './runs'

/** A word's phonemes, and their tones where the lexicon has them. */
export type Pronunciation = { readonly ids: readonly number[]; readonly tones?: readonly number[] }

export type Lexicon = {
  has(word: string): boolean
  find(word: string): Pronunciation | undefined
}

/** Blanks to C++; U+3000 may be a symbol. */
const blanks = /[ \t\r\v\f]+/

/** One symbol and its id per line; a line of an id alone is the blank's. The first of two same symbols counts. */
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
 * One word per line, then its phonemes, and with `toned` as many tones. Lines are read when their word is looked for:
 * lexicons have up to some hundred thousand. A word one of whose phonemes is no token is not in it.
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

/** sherpa-onnx ends the process on a tone outside of this. */
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

/** Letters of scripts that put no blanks between words. */
const unspaced =
  '\\p{Script=Han}\\p{Script=Hira}\\p{Script=Kana}\\p{Script=Thai}\\p{Script=Laoo}\\p{Script=Khmr}\\p{Script=Mymr}'
const unit = new RegExp(`[[\\p{L}\\p{M}\\p{N}']--[${unspaced}]]+|[^\\s]`, 'gv')

/** Words of scripts with blanks, single characters of others, marks. */
export function splitUnits(text: string): string[] {
  return text.replaceAll('’', "'").match(unit) ?? []
}

const wordUnitsMax = 10

/** Of several characters in a row, the longest that is a word, from the left. */
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
