/**
 * Characters that a built-in voice cannot say: its engine is mute on them, or says them as long names and digits.
 * `scripts/unspoken.ts` tests every character with the engines and writes the results to `unspoken.json`.
 */
import type { EngineName, NeuralEngineName } from '../voice'

/** Trimmed audio of a character is `long` beyond this. */
export const longSeconds = 2
/** A character spelled by its code ("letter one eight two zero") is `long` beyond this. */
export const spelledSeconds = 1
/** Beyond this a character is `named` ("c with cedilla"), which is fine for one character but not for a whole word. */
export const namedSeconds = 0.7

/** Ranges as `encodeRanges` writes them. */
type Row = { readonly mute: string; readonly long: string; readonly named: string }

export type UnspokenTable = {
  /** Unicode version of the tested characters. */
  readonly unicode: string
  readonly alphabets: Record<string, Row>
}

/** Name of the table's row for a voice; undefined for an engine that was not tested. */
export function alphabetOf(voice: {
  readonly engine: EngineName | NeuralEngineName
  readonly settings: { readonly voice: string }
}): string | undefined {
  if (voice.engine === 'flite') return 'flite'
  // eSpeak NG reads the letters that misaki does not know.
  if (voice.engine === 'hibari') return 'espeak en-us'
  return voice.engine === 'espeak' ? `espeak ${voice.settings.voice.split('+')[0]}` : undefined
}

/**
 * Encodes the ranges of `codePoints` (ascending) that satisfy `isIn`. Code points that are not in `codePoints` do not
 * split a range, which keeps the table small. Each range is its distance from the end of the previous one and its
 * length, in base 36.
 */
export function encodeRanges(codePoints: readonly number[], isIn: (codePoint: number) => boolean): string {
  const ranges: string[] = []
  let end = 0
  for (let i = 0; i < codePoints.length; i++) {
    const start = codePoints[i]!
    if (!isIn(start)) continue
    while (i + 1 < codePoints.length && isIn(codePoints[i + 1]!)) i++
    const length = codePoints[i]! + 1 - start
    ranges.push((start - end).toString(36) + (length === 1 ? '' : `.${length.toString(36)}`))
    end = start + length
  }
  return ranges.join(' ')
}

/** Patterns that match one character. */
export type Unspoken = {
  readonly mute: RegExp
  /** Mute, or spelled by its code. */
  readonly unsaid: RegExp
  /** Mute, said by a name, or spelled by its code. */
  readonly odd: RegExp
}

const read = new Map<string, Unspoken | undefined>()

/**
 * Patterns of the characters that a voice with the row `alphabet` does not say; undefined if `reading` is ASCII or the
 * voice was not tested. The table is loaded with the first reading that is not ASCII.
 */
export function unspokenIn(reading: string, alphabet: string | undefined): Unspoken | undefined {
  if (alphabet === undefined || !/[^\0-\x7F]/.test(reading)) return undefined
  if (!read.has(alphabet)) read.set(alphabet, readUnspoken(alphabet))
  const unspoken = read.get(alphabet)
  return unspoken?.odd.test(reading) ? unspoken : undefined
}

function readUnspoken(alphabet: string): Unspoken | undefined {
  const { alphabets } = require('./unspoken.json') as UnspokenTable
  const row = Object.hasOwn(alphabets, alphabet) ? alphabets[alphabet]! : undefined
  if (row === undefined) return undefined
  const [mute, long, named] = [row.mute, row.long, row.named].map(characterClass)
  // Numbers may be long.
  return {
    mute: new RegExp(`[${mute}]`, 'v'),
    unsaid: new RegExp(`[[${mute}][[${long}]--\\p{N}]]`, 'v'),
    odd: new RegExp(`[${mute}${long}${named}]`, 'v'),
  }
}

/** The body of a character class for ranges in the format of `encodeRanges`. */
function characterClass(ranges: string): string {
  let end = 0
  return ranges
    .split(' ')
    .filter((range) => range !== '')
    .map((range) => {
      const [distance, length = '1'] = range.split('.')
      const start = end + parseInt(distance!, 36)
      end = start + parseInt(length, 36)
      return `\\u{${start.toString(16)}}-\\u{${(end - 1).toString(16)}}`
    })
    .join('')
}
