/**
 * Mandarin text → syllables: initial, final and contextual tone of every Han character. Readings come from pinyin-pro
 * with its dictionary of modern words and from `pinyin-readings.ts`, word boundaries from ICU, tone sandhi from
 * `tone-sandhi.ts`. Importing this file reads the dictionaries (0.3 s, 100 MB): import it only for Mandarin, with
 * `await import`.
 */
import { readFileSync } from 'node:fs'
import traditional from '@pinyin-pro/data/traditional.json'
import wordsPath from '@pinyin-pro/data/modern.json' with { type: 'file' }
import { addDict, addTraditionalDict, OutputFormat, pinyin, segment } from 'pinyin-pro'
import { characters, neutralEndings, notRhotic, readings } from './pinyin-readings'
import type { HanSyllable, Syllable, Tone } from './syllable'
import { applySandhi } from './tone-sandhi'

/** Pinyin with tone marks, and the word's frequency. */
type Entries = Record<string, [pinyin: string, probability: number] | string>

// As code it would take six times the space in the executable.
const words = JSON.parse(readFileSync(wordsPath as unknown as string, 'utf8')) as Entries
const dictionary: Entries = { ...words, ...readings }
for (const word of neutralEndings.split(' ')) {
  const [pinyin] = dictionary[word] as [string, number]
  const last = pinyin.lastIndexOf(' ') + 1
  dictionary[word] = [pinyin.slice(0, last) + withoutTone(pinyin.slice(last)), 1]
}
addDict(dictionary)
addDict(characters, { name: 'characters', dict1: 'replace' })
addTraditionalDict(traditional)

function withoutTone(pinyin: string): string {
  return pinyin
    .normalize('NFD')
    .replace(/[\u0300\u0301\u0304\u030C]/g, '')
    .normalize('NFC')
}

const divider = new Intl.Segmenter('zh', { granularity: 'word' })

/** Expects numbers as words. Characters without a dictionary entry are `other`. */
export function toSyllables(text: string): Syllable[] {
  const syllables: Syllable[] = []
  let phrase: Word[] = []
  const endPhrase = () => {
    syllables.push(...sayPhrase(phrase))
    phrase = []
  }
  for (const [part] of text.matchAll(/\p{Script=Han}+|\s+|[[\p{L}\p{M}\p{N}'’]--\p{Script=Han}]+|[^]/gv)) {
    if (!/^\p{Script=Han}/u.test(part)) {
      endPhrase()
      syllables.push({ other: /^\s/.test(part) ? ' ' : part })
      continue
    }
    for (const word of readWords(part)) {
      if (Array.isArray(word)) phrase.push(word)
      else {
        endPhrase()
        syllables.push({ other: word })
      }
    }
  }
  endPhrase()
  return syllables
}

/** A character and its reading in pinyin, `v` for ü, with the tone from 1 to 5 at the end. */
type Reading = { readonly hanzi: string; readonly pinyin: string }
type Word = Reading[]

/** A string is a character without a reading. */
function readWords(han: string): (Word | string)[] {
  return segment(han, { traditional: true, format: OutputFormat.AllSegment }).map(({ origin, result }) => {
    const characters = [...origin]
    const syllables = characters.length > 1 ? readWord(origin) : [result]
    if (syllables.length !== characters.length || syllables[0] === origin) return origin
    return characters.map((hanzi, i) => ({ hanzi, pinyin: withNumber(syllables[i]!) }))
  })
}

/** Readings of dictionary words. */
const wordReadings = new Map<string, string[]>()

function readWord(word: string): string[] {
  let reading = wordReadings.get(word)
  if (!reading) wordReadings.set(word, (reading = pinyin(word, { traditional: true, type: 'array' })))
  return reading
}

const toneMarks = ['\u0304', '\u0301', '\u030C', '\u0300']
const numbered = new Map<string, string>()

/** `nǚ` → `nv3`; cached, about 1500 entries. */
function withNumber(syllable: string): string {
  let written = numbered.get(syllable)
  if (!written) {
    const tone = toneMarks.findIndex((mark) => syllable.normalize('NFD').includes(mark)) + 1 || 5
    written = `${withoutTone(syllable).replace('ü', 'v')}${tone}`
    numbered.set(syllable, written)
  }
  return written
}

function sayPhrase(phrase: readonly Word[]): HanSyllable[] {
  const starts = wordStarts(phrase)
  let count = 0
  const said = phrase.flatMap((word, at) =>
    word.map((reading, i) => {
      const rhotic = isRhotic(phrase, at, i)
      const wordStart = starts[count++]! && !rhotic
      const pinyin = readInPhrase(phrase, at, i)
      const citationTone = Number(pinyin.at(-1)) as Tone
      return {
        hanzi: reading.hanzi,
        ...splitPinyin(pinyin.slice(0, -1)),
        citationTone: rhotic ? (2 as const) : citationTone,
        tone: rhotic ? (5 as const) : citationTone,
        wordStart,
        rhotic,
      }
    }),
  )
  return applySandhi(said, isWord)
}

const gluedBefore = /^[了的着得地我你您他她它也都很就还]/
const gluedAfter = /[了的着]$/

/**
 * Whether a word starts at each character. ICU attaches particles and pronouns to their neighbors (了三, 我想), which is
 * undone. A dictionary word made of several ICU words (一·会·儿, 大·桥) is one word. Where the two conflict, ICU is right
 * more often, because it weighs the whole text.
 */
function wordStarts(phrase: readonly Word[]): boolean[] {
  const text = phrase.flat().map(({ hanzi }) => hanzi)
  const starts = new Set<number>([0])
  let at = 0
  for (const { segment } of divider.segment(text.join(''))) {
    const { length } = [...segment]
    if (length > 1 && !isWord(segment)) {
      if (gluedBefore.test(segment)) starts.add(at + 1)
      if (gluedAfter.test(segment)) starts.add(at + length - 1)
    }
    starts.add((at += length))
  }
  at = 0
  for (const { length } of phrase) {
    if (starts.has(at) && starts.has(at + length)) for (let i = 1; i < length; i++) starts.delete(at + i)
    at += length
  }
  return text.map((_, i) => starts.has(i))
}

function isWord(text: string): boolean {
  return text in dictionary
}

/** Before an isolated 只 these select `zhi1`, the measure word for animals and things. */
const counting = /[零一二三四五六七八九十百千万两几半这那每多]/
/** Before an isolated 得 these select `dei3`, "must". */
const beforeMust = /[我你您他她它咱们谁也都就还又总可必非只才定须真]$/
/** Before an isolated 地 these select `di4`, "ground". */
const beforeGround = /[的这那此该当本某各块在内外]$/

/** The reading of a word's character; particles depend on their context. */
function readInPhrase(phrase: readonly Word[], at: number, i: number): string {
  const word = phrase[at]!
  const { hanzi, pinyin } = word[i]!
  // The dictionary has these two with sandhi applied; the sandhi step does that.
  if (hanzi === '一') return 'yi1'
  if (hanzi === '不') return pinyin === 'bu5' || isInComplement(word, i) ? 'bu5' : 'bu4'
  if (word.length > 1) return pinyin
  if (hanzi === '教') return 'jiao1'
  if (hanzi === '只') return counting.test(phrase[at - 1]?.at(-1)?.hanzi ?? '') ? 'zhi1' : 'zhi3'
  if (hanzi !== '得' && hanzi !== '地') return pinyin
  const before = phrase
    .slice(Math.max(0, at - 2), at)
    .flat()
    .map((reading) => reading.hanzi)
    .join('')
  const followed = at + 1 < phrase.length
  if (hanzi === '得') return !before ? 'de2' : beforeMust.test(before) && followed ? 'dei3' : 'de5'
  return [...before].length > 1 && followed && !beforeGround.test(before) ? 'de5' : 'di4'
}

/** In 看不见, 了不起 ("cannot") 不 is neutral. */
function isInComplement(word: Word, i: number): boolean {
  return word.length === 3 && i === 1 && '起住着了及见到得开动清上下来去出过完'.includes(word[2]!.hanzi)
}

/** A 儿 at the end of a word, or after one, unless it means "child". */
function isRhotic(phrase: readonly Word[], at: number, i: number): boolean {
  const word = phrase[at]!
  if (word[i]!.hanzi !== '儿' || i + 1 < word.length) return false
  const before = word[i - 1] ?? (word.length === 1 ? phrase[at - 1]?.at(-1) : undefined)
  return before !== undefined && !notRhotic.includes(before.hanzi)
}

const glides: Readonly<Record<string, string>> = {
  yu: 'v',
  yue: 've',
  yuan: 'van',
  yun: 'vn',
  you: 'iou',
  wu: 'u',
  wei: 'uei',
  wen: 'uen',
}
const shortened: Readonly<Record<string, string>> = { iu: 'iou', ui: 'uei', un: 'uen', ue: 've' }
const rounded: Readonly<Record<string, string>> = { u: 'v', ue: 've', uan: 'van', un: 'vn' }

/** Splits toneless pinyin strictly into initial and final. */
export function splitPinyin(pinyin: string): { initial: string; final: string } {
  if (/^(?:h?m|h?ng|n)$/.test(pinyin)) return { initial: '', final: pinyin }
  const initial = /^(?:[zcs]h|[bpmfdtnlgkhjqxrzcs])/.exec(pinyin)?.[0] ?? ''
  const rest = pinyin.slice(initial.length)
  if (initial === '') {
    const final = glides[rest] ?? rest.replace(/^yi/, 'i').replace(/^y/, 'i').replace(/^w/, 'u')
    return { initial, final }
  }
  const final = /[jqx]/.test(initial) ? (rounded[rest] ?? rest) : rest
  return { initial, final: shortened[final] ?? final }
}
