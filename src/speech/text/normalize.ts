/**
 * Written text to its reading, by language. English and Mandarin have readers of their own. For all other languages
 * eSpeak NG reads numbers, money, units, symbols and emoji itself; only what it does badly is done here.
 */
import { normalizeEnglish } from './english'
import { normalizeMandarin } from './mandarin'
import { baseLanguage } from './script'

/** `language`: BCP 47. Expects cleaned text of one sentence. */
export function normalize(text: string, language: string): string {
  const base = baseLanguage(language)
  if (base === 'en') return normalizeEnglish(text, language)
  if (base === 'zh' || base === 'cmn') return normalizeMandarin(text)
  return normalizeOther(text)
}

/** How much of a reading is heard. eSpeak NG also names symbols and emoji in its own languages. */
export function pronouncedLetters(reading: string, language: string): number {
  const base = baseLanguage(language)
  const heard =
    base === 'en' || base === 'zh' || base === 'cmn'
      ? /[\p{L}\p{N}]/gu
      : /[\p{L}\p{N}\p{Sc}\p{Sm}%&@#§°©®™]|\p{Extended_Pictographic}|\p{RI}/gu
  return reading.match(heard)?.length ?? 0
}

/** Web addresses without their scheme, endless digits in groups, the full-width yen sign as the one eSpeak NG knows. */
function normalizeOther(text: string): string {
  return text
    .replace(/\bhttps?:\/\/(?=\S)/gi, '')
    .replace(/\d{21,}/g, (digits) => digits.replace(/\d{1,4}/g, (group) => `${[...group].join(' ')}, `))
    .replaceAll('￥', '¥')
    .replaceAll('→', ', ')
    .replace(/\s+/g, ' ')
    .trim()
}
