/** When the words of a text are said, from when those of its phonemizer are. */
import type { TimedWord } from '../engine'
import { pairWords } from './pair-words'

/** A word as it is spoken; of a text's words it may be several ("of the"), or a part of one. */
export type TimedSound = { readonly phonemes: string; readonly startSeconds: number; readonly endSeconds: number }

/** The words of `text`, without the marks around them; two that are run together are one, with a blank between them. */
export function timeWords(text: string, sounds: readonly TimedSound[]): TimedWord[] {
  const words = splitWords(text)
  if (words.length === 0) return []
  const phonemes = sounds.map((sound) => sound.phonemes)
  let said = 0
  return pairWords(words, phonemes).map((pair) => {
    const first = sounds[said]!
    said += pair.sounds.length
    return { text: pair.text, startSeconds: first.startSeconds, endSeconds: sounds[said - 1]!.endSeconds }
  })
}

/** Parted by blanks; each Han character is a word. */
function splitWords(text: string): string[] {
  return text
    .replace(/\p{Script=Han}/gu, ' $& ')
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, ''))
    .filter((word) => word !== '')
}
