/** Computes word times of a text from those of its phonemizer. */
import type { TimedWord } from '../engine'
import { pairWords } from './pair-words'

/** A spoken word: several words of the text ("of the"), or a part of one. */
export type TimedSound = { readonly phonemes: string; readonly startSeconds: number; readonly endSeconds: number }

/** The words of `text` without surrounding marks. Two merged words are one, separated by a space. */
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

/** Splits at spaces; each Han character is a word. */
function splitWords(text: string): string[] {
  return text
    .replace(/\p{Script=Han}/gu, ' $& ')
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, ''))
    .filter((word) => word !== '')
}
