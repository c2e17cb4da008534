/** Text that breaks engines, 2000 characters of each kind. Planning never throws and loses nothing pronounceable. */
import { describe, expect, it } from 'bun:test'
import { cleanText } from '../../../src/speech/text/clean'
import { planParts, planUtterances } from '../../../src/speech/text/plan'
import type { ReadingVoice } from '../../../src/speech/text/reading-voice'

const voices: ReadingVoice[] = ['en-US', 'zh-CN', 'de-DE', 'ja-JP', 'ru-RU'].map((language) => ({
  id: language,
  language,
  charactersMax: 300,
}))
const fallbackVoiceFor = (script: string): ReadingVoice => ({
  id: `for ${script}`,
  language: script === 'Hani' ? 'zh-CN' : script === 'Latn' ? 'en-US' : 'ru-RU',
  charactersMax: 200,
})

const units = [
  'a',
  'A',
  'aA1',
  '1',
  '1,',
  '1.',
  '1-',
  '1/',
  '1:',
  '1 ',
  '-',
  '- ',
  '.',
  '. ',
  '!?.,;:',
  '?!',
  '[[',
  ']]',
  '\\',
  '/',
  '<',
  '>',
  '<b>',
  '</b>',
  '<break time="3600s"/>',
  '&amp;',
  '&',
  '@',
  'a@',
  'a.',
  'a.b@',
  '#',
  '#1',
  '$',
  '$1',
  '$1-',
  '%',
  '*',
  '**a',
  '_',
  '_a',
  '~',
  '`',
  '|',
  '^',
  '(',
  ')',
  '"',
  "'",
  "a'",
  '😀',
  '👨‍👩‍👧',
  '👍🏽',
  '🇩🇪',
  '1️⃣',
  '\u{1F1E6}',
  '\u200D',
  '😀\u200D',
  '\u200B',
  '\u202E',
  '\uFEFF',
  '\0',
  '\x07',
  '\uD800',
  '\uDC00',
  '\uFFFD',
  '\u0301',
  'a\u0301\u0302\u0303',
  '好',
  '好a',
  '好 a ',
  '好1',
  '。',
  '，',
  '好。',
  '……',
  '「」',
  'の',
  '東の',
  'привет ',
  'ไทย',
  'ا',
  '\u0651',
  'א',
  'ა',
  'ꦲ',
  'a好я',
  'Dr. ',
  'U.S.',
  'e.g. ',
  'No. 5 ',
  '3:30 ',
  '2024-03-05 ',
  'Henry VIII ',
  'https://a.b/',
  'http://',
  'www.',
  'a.com',
  'A&',
  'C++',
  'FBI ',
  '½',
  '²',
  '１',
  'Ａ',
  '①',
  '𝓪',
  '\n',
  '\n\n',
  'a\n',
  '\t',
  '\u3000',
  '=',
  '+',
  '+1',
  '°',
  '-4°C ',
  '5km/h ',
  '10-20 ',
  '1e9',
  '0',
  '0x',
  'v1.',
  '(1',
  '+8',
  '99',
  ',5',
  '12:',
  '3x',
  '年',
  '2024年',
  '1万',
  '元',
  '零',
  'ß',
  'ʃ',
  'ﷺ',
  'ﬁ',
  '￥1',
  '\u{10FFFF}',
  '\u{E0061}',
  '🏴\u{E0067}',
  'i ',
  'I. ',
  'aa. ',
  'x:',
  'Jan 1 ',
  '5 USD',
  "'90s",
  'MiXeD',
  ';',
  'ʰ',
  'ー',
  'ｱ',
  'ㅤ',
]
const texts = units.map((unit) => unit.repeat(Math.ceil(2000 / unit.length)).slice(0, 2000))
/** Deterministic mixtures of everything above. */
let seed = 1
const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below
for (let i = 0; i < 40; i++) {
  let text = ''
  while (text.length < 2000) text += units[random(units.length)]!.repeat(1 + random(4))
  texts.push(text.slice(0, 2000))
}

const pronounceable = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.join('') ?? ''

describe('hostile text', () => {
  it('keeps every letter and digit of the cleaned text, in order, in exactly one part', () => {
    for (const text of texts) {
      for (const main of voices) {
        const parts = planParts(text, main, fallbackVoiceFor)
        expect(pronounceable(parts.map(({ source }) => source).join(''))).toBe(pronounceable(cleanText(text)))
      }
    }
  })

  it('plans utterances within the limits of every engine', () => {
    for (const text of texts) {
      for (const main of voices) {
        const utterances = planUtterances(text, main, fallbackVoiceFor)
        expect(utterances.length).toBeGreaterThan(0)
        for (const utterance of utterances) {
          expect(utterance.text.length).toBeLessThanOrEqual(300)
          expect(utterance.letters + utterance.symbols > 0 || utterances.length === 1).toBe(true)
          expect(utterance.text).not.toMatch(/[\0-\x1F\uFFFD]|\p{Cs}|\[\[/u)
          if (utterance.language === 'en-US') expect(utterance.text).toMatch(/^[A-Za-z .,;:?!'"-]*$/)
          if (utterance.language === 'zh-CN') expect(utterance.text).not.toMatch(/\d/)
        }
      }
    }
  })

  it('plans speech for every text with letters, for every voice', () => {
    for (const text of texts) {
      if (!/[a-z\p{Script=Han}\d]/u.test(cleanText(text))) continue
      for (const main of voices) {
        const heard = planUtterances(text, main, fallbackVoiceFor).reduce((sum, { letters }) => sum + letters, 0)
        expect(heard).toBeGreaterThan(0)
      }
    }
  })

  it('keeps all the words of plain text', () => {
    const text = 'The quick brown fox jumps over the lazy dog, again and again and again. '.repeat(27)
    const words = planUtterances(text, voices[0]!, fallbackVoiceFor).map((utterance) => utterance.text)
    expect(pronounceable(words.join(''))).toBe(pronounceable(text))
  })
})
