/**
 * Mandarin text to syllables: initial, final and tone of every Han character, as it is said in its sentence. Readings
 * come from pinyin-pro with its dictionary of modern words and from `pinyin-readings.ts`, the division into words from
 * ICU; tone sandhi is in `tone-sandhi.ts`. Importing this file reads the dictionaries (0.3 s, 100 MB): import it only
 * where there is Mandarin to speak, with `await import`.
 */
import { readFileSync } from 'node:fs'
import traditional from '@pinyin-pro/data/traditional.json'
import wordsPath from '@pinyin-pro/data/modern.json' with { type: 'file' }
import { addDict, addTraditionalDict, OutputFormat, pinyin, segment } from 'pinyin-pro'
import { characters, neutralEndings, notRhotic, readings } from './pinyin-readings'
import { applySandhi } from './tone-sandhi'

/** 5 is the neutral tone. */
export type Tone = 1 | 2 | 3 | 4 | 5

export type HanSyllable = {
  readonly hanzi: string
  /** As in pinyin, without `y` and `w`; '' where there is none. */
  readonly initial: string
  /** Written out: `iou`, `uei`, `uen`, `v` for ü; of 嗯 and its like `n`, `ng`, `m`. */
  readonly final: string
  /** As said here, after tone sandhi. */
  readonly tone: Tone
  /** As the dictionary has it. */
  readonly citationTone: Tone
  /** Whether a word begins here. */
  readonly wordStart: boolean
  /** Whether this is the 儿 that only colours the syllable before it (玩儿). */
  readonly rhotic: boolean
}

/** `other`: a word in other letters or digits, one mark, or one blank for white space. */
export type Syllable = HanSyllable | { readonly other: string }

/** Pinyin with tone marks, and how frequent the word is. */
type Entries = Record<string, [pinyin: string, probability: number] | string>

// As code it would take six times the place in the executable.
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

/** Numbers are expected to be words already. Characters that no dictionary has are `other`. */
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

/** A character and its reading in pinyin, `v` for ü, tone from 1 to 5 at the end. */
type Reading = { readonly hanzi: string; readonly pinyin: string }
type Word = Reading[]

/** A string: a character without a reading. */
function readWords(han: string): (Word | string)[] {
  return segment(han, { traditional: true, format: OutputFormat.AllSegment }).map(({ origin, result }) => {
    const characters = [...origin]
    const syllables = characters.length > 1 ? readWord(origin) : [result]
    if (syllables.length !== characters.length || syllables[0] === origin) return origin
    return characters.map((hanzi, i) => ({ hanzi, pinyin: withNumber(syllables[i]!) }))
  })
}

/** Of words in the dictionaries. */
const wordReadings = new Map<string, string[]>()

function readWord(word: string): string[] {
  let reading = wordReadings.get(word)
  if (!reading) wordReadings.set(word, (reading = pinyin(word, { traditional: true, type: 'array' })))
  return reading
}

const toneMarks = ['\u0304', '\u0301', '\u030C', '\u0300']
const numbered = new Map<string, string>()

/** `nǚ` → `nv3`; there are some 1500. */
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
 * Of every character. ICU glues particles and pronouns to their neighbours (了三, 我想), which is undone. Where the
 * dictionary's word is made of several of ICU's (一·会·儿, 大·桥), it is one word; where the two divide a text
 * differently, ICU, which weighs the whole of it, is right more often.
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

/** After these a 只 of its own is `zhi1`, which counts animals and things. */
const counting = /[零一二三四五六七八九十百千万两几半这那每多]/
/** After these a 得 of its own is `dei3`, "must". */
const beforeMust = /[我你您他她它咱们谁也都就还又总可必非只才定须真]$/
/** After these a 地 of its own is `di4`, "ground". */
const beforeGround = /[的这那此该当本某各块在内外]$/

/** The reading of a word's character, for particles by what is around it. */
function readInPhrase(phrase: readonly Word[], at: number, i: number): string {
  const word = phrase[at]!
  const { hanzi, pinyin } = word[i]!
  // The dictionary has these two as they sound in the word, which is left to the sandhi.
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

/** 看不见, 了不起: "cannot", where 不 is neutral. */
function isInComplement(word: Word, i: number): boolean {
  return word.length === 3 && i === 1 && '起住着了及见到得开动清上下来去出过完'.includes(word[2]!.hanzi)
}

/** 儿 at the end of a word, or after one, unless it is a child there. */
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

/** Strict initial and final of a syllable written in pinyin without its tone. */
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
