/**
 * Normalizes written text by language. English and Mandarin have their own rules. In all other languages eSpeak NG
 * reads numbers, money, units, symbols and emoji itself, and this file only handles the cases that it reads badly.
 */
import { normalizeEnglish } from './english'
import { normalizeMandarin } from './mandarin'
import { baseLanguage } from '../../language'
import { unspokenIn } from './unspoken'

/** `language`: BCP 47. Expects cleaned text of one sentence. */
export function normalize(text: string, language: string): string {
  const base = baseLanguage(language)
  if (base === 'en') return normalizeEnglish(text, language)
  if (base === 'zh' || base === 'cmn') return normalizeMandarin(text)
  return normalizeOther(text)
}

/** Counts of the characters that should be audible. */
export type Pronounced = {
  /** Letters and digits that are always audible. */
  letters: number
  /** Signs, emoji, digits and letters that eSpeak NG may replace by its own words, or has no name for. */
  symbols: number
}

/** `alphabet`: the voice's row in the table of unspoken characters. */
export function countPronounced(reading: string, language: string, alphabet?: string): Pronounced {
  const count = (pattern: RegExp) => reading.match(pattern)?.length ?? 0
  const base = baseLanguage(language)
  const inWords = base === 'en' || base === 'zh' || base === 'cmn'
  const odd = countOdd(reading, alphabet)
  return {
    letters: count(/[\p{L}\p{N}]/gu) - odd.mute,
    symbols: odd.symbols + (inWords ? 0 : count(/[\p{N}\p{Sc}\p{Sm}%&@#§°©®™]|\p{Extended_Pictographic}|\p{RI}/gu)),
  }
}

/**
 * Counts letters and digits that are mute, and those that may be spoken as a name or a code. An engine mostly speaks a
 * letter inside a word even if it names the same letter alone.
 */
function countOdd(reading: string, alphabet: string | undefined): { mute: number; symbols: number } {
  const unspoken = unspokenIn(reading, alphabet)
  let mute = 0
  let symbols = 0
  if (unspoken === undefined) return { mute, symbols }
  for (const [word] of reading.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    const letters = word.match(/[\p{L}\p{N}]/gu) ?? []
    const marks = word.match(/\p{M}/gu) ?? []
    if (letters.length === 0) continue
    mute += letters.filter((letter) => unspoken.mute.test(letter)).length
    const pattern = letters.every((letter) => unspoken.odd.test(letter)) ? unspoken.odd : unspoken.unsaid
    const named = [...letters, ...marks.filter((mark) => !unspoken.mute.test(mark))]
    symbols += named.filter((character) => pattern.test(character)).length
  }
  return { mute, symbols }
}

/**
 * Removes the scheme of web addresses, groups endless digits, removes skin tones, which have no name in eSpeak NG, and
 * replaces the full-width yen sign by the one that eSpeak NG knows.
 */
function normalizeOther(text: string): string {
  return text
    .replace(/\bhttps?:\/\/(?=\S)/gi, '')
    .replace(/\d{21,}/g, (digits) => digits.replace(/\d{1,4}/g, (group) => `${[...group].join(' ')}, `))
    .replace(/[\u{1F3FB}-\u{1F3FF}\uFE0F]/gu, ' ')
    .replaceAll('￥', '¥')
    .replaceAll('→', ', ')
    .replace(/\s+/g, ' ')
    .trim()
}
