/**
 * What a built-in voice cannot say: characters that its engine is mute on, or says as a long row of names and digits.
 * `scripts/unspoken.ts` asks the engines for every one of them once; the answers are in `unspoken.json`.
 */
import type { EngineName, NeuralEngineName } from '../voice'

/** What is heard of a character, trimmed: it is long beyond this, */
export const longSeconds = 2
/** or beyond this, where it is spelled by its code ("letter one eight two zero"). */
export const spelledSeconds = 1
/** Beyond this it is said by a name ("c with cedilla"), which is fine for one character, but not for a word of them. */
export const namedSeconds = 0.7

/** Ranges as `encodeRanges` writes them. */
type Row = { readonly mute: string; readonly long: string; readonly named: string }

export type UnspokenTable = {
  /** The version of Unicode whose characters were asked for. */
  readonly unicode: string
  readonly alphabets: Record<string, Row>
}

/** The table's row for a voice; undefined for an engine that nobody asked. */
export function alphabetOf(voice: {
  readonly engine: EngineName | NeuralEngineName
  readonly settings: { readonly voice: string }
}): string | undefined {
  if (voice.engine === 'flite') return 'flite'
  return voice.engine === 'espeak' ? `espeak ${voice.settings.voice.split('+')[0]}` : undefined
}

/**
 * The ranges of `codePoints` (ascending) that `isIn`; others between two of one range belong to it, which keeps the
 * table small. Each range is its distance from the end of the one before and its length, in base 36.
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

/** Patterns of one character. */
export type Unspoken = {
  readonly mute: RegExp
  /** Mute, or spelled by its code. */
  readonly unsaid: RegExp
  /** Mute, said by a name, or spelled by its code. */
  readonly odd: RegExp
}

const read = new Map<string, Unspoken | undefined>()

/**
 * What a voice with that row does not say of `reading`; undefined where there is nothing of the kind in it, or nobody
 * asked that voice. The table is read when the first reading has more than ASCII characters.
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
  // A number may well be long.
  return {
    mute: new RegExp(`[${mute}]`, 'v'),
    unsaid: new RegExp(`[[${mute}][[${long}]--\\p{N}]]`, 'v'),
    odd: new RegExp(`[${mute}${long}${named}]`, 'v'),
  }
}

/** The inside of a character class, of ranges as `encodeRanges` writes them. */
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
