/**
 * Written text to its reading, by language. English and Mandarin have readers of their own. For all other languages
 * eSpeak NG reads numbers, money, units, symbols and emoji itself; only what it does badly is done here.
 */
import { normalizeEnglish } from './english'
import { normalizeMandarin } from './mandarin'
import { baseLanguage } from '../language'
import { unspokenIn } from './unspoken'

/** `language`: BCP 47. Expects cleaned text of one sentence. */
export function normalize(text: string, language: string): string {
  const base = baseLanguage(language)
  if (base === 'en') return normalizeEnglish(text, language)
  if (base === 'zh' || base === 'cmn') return normalizeMandarin(text)
  return normalizeOther(text)
}

/** What is to be heard of a reading. */
export type Pronounced = {
  /** Letters and digits: they are always heard. */
  letters: number
  /** Signs, emoji, digits and letters that eSpeak NG may put into words of its own, or know no name for. */
  symbols: number
}

/** `alphabet`: the speaker's row of the table of what engines do not say. */
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
 * Letters and digits that are not heard, and those that may be heard as a name or a code. What an engine names where it
 * stands alone it mostly speaks inside a word.
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

/** Web addresses without their scheme, endless digits in groups, emoji without skin tones, whose names eSpeak NG lacks, the full-width yen sign as the one eSpeak NG knows. */
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
