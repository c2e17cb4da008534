/**
 * Splits text into sentences. A mark ends a sentence only when it belongs to no name, number or address. Every
 * character except white space between sentences is in exactly one sentence.
 */
import {
  countingAbbreviations,
  germanMonths,
  innerAbbreviations,
  leadingAbbreviations,
  sentenceStarters,
  trailingAbbreviations,
} from './abbreviations'

/** The end of a sentence, weakest first. The stronger wins where two meet (a full stop at the end of a paragraph). */
export type SentenceEnd = 'none' | 'semicolon' | 'sentence' | 'newline' | 'ellipsis' | 'paragraph'
/** `text` includes the end mark and the closing quotes and brackets after it. */
export type Sentence = { text: string; end: SentenceEnd }

const strength: SentenceEnd[] = ['none', 'semicolon', 'sentence', 'newline', 'ellipsis', 'paragraph']

const marks = '[.!?…。！？；｡؟۔।॥]'
const closers = `["'”’»」』）)\\]】》〉›]`
/** Marks (group 1), closing quotes and brackets (2) and white space; or a newline on its own. */
const candidate = new RegExp(`(${marks}+)(${closers}*)(\\s*)|\\s*\\n\\s*`, 'gu')

export function splitSentences(text: string): Sentence[] {
  const sentences: Sentence[] = []
  let start = 0
  const endAt = (end: number, next: number, by: SentenceEnd) => {
    addSentence(sentences, { text: text.slice(start, end).trim(), end: by })
    start = next
  }
  for (const match of text.matchAll(candidate)) {
    const after = match.index + match[0].length
    const run = match[1]
    if (run === undefined) {
      if (!isWrappedLine(text, start, match.index, after, match[0])) endAt(match.index, after, newlineEnd(match[0]))
      continue
    }
    const space = match[3]!
    const byMark = markEnd(run)
    const byNewline = newlineEnd(space)
    const atEnd = after === text.length
    if (byNewline !== 'none' || atEnd || endsSentence(text, start, match.index, run, match[2]!, space, after)) {
      endAt(after - space.length, after, stronger(byMark, byNewline))
    }
  }
  endAt(text.length, text.length, 'none')
  return sentences
}

/** Adds a sentence. Marks without letters join the sentence before them. */
function addSentence(sentences: Sentence[], sentence: Sentence): void {
  if (sentence.text === '') return
  const previous = sentences.at(-1)
  if (previous !== undefined && !/[\p{L}\p{N}\p{S}@&%#*]/u.test(sentence.text)) {
    previous.text += sentence.text
    previous.end = stronger(previous.end, sentence.end)
  } else {
    sentences.push(sentence)
  }
}

function stronger(a: SentenceEnd, b: SentenceEnd): SentenceEnd {
  return strength.indexOf(a) > strength.indexOf(b) ? a : b
}

function markEnd(run: string): SentenceEnd {
  if (run.includes('…') && !/[!?！？]/.test(run)) return 'ellipsis'
  return run === '；' ? 'semicolon' : 'sentence'
}

function newlineEnd(space: string): SentenceEnd {
  const newlines = space.split('\n').length - 1
  return newlines === 0 ? 'none' : newlines === 1 ? 'newline' : 'paragraph'
}

/** E-mail and plain text files break lines at a fixed width, in the middle of a sentence. */
function isWrappedLine(text: string, start: number, end: number, next: number, space: string): boolean {
  const lineStart = Math.max(start, text.lastIndexOf('\n', end - 1) + 1)
  return newlineEnd(space) === 'newline' && end - lineStart >= 50 && /\p{Ll}/u.test(text[next] ?? '')
}

function endsSentence(
  text: string,
  start: number,
  at: number,
  run: string,
  closing: string,
  space: string,
  after: number,
): boolean {
  if (/[。！？；｡؟۔।॥]/.test(run)) return true
  const next = text.slice(after, after + 24)
  const nextWord = /^["'“‘«„¿¡([]*([\p{L}\p{N}]+)/u.exec(next)?.[1] ?? ''
  if (space === '')
    return /[!?…]/.test(run) && /^[\p{L}\p{S}]/u.test(next) && closing === '' && !isInAddress(text, start, at)
  // `"Stop!" he said` and `Wait… what` go on.
  if (run !== '.') return !(/^\p{Ll}/u.test(nextWord) && (closing !== '' || run.endsWith('…')))
  if (closing !== '') return true
  return !stopBelongsToWord(text, start, at, nextWord)
}

/** A question mark inside a web address begins its query: `example.com/a?b=1`. */
function isInAddress(text: string, start: number, at: number): boolean {
  const word = /\S*$/.exec(text.slice(Math.max(start, at - 120), at))![0]
  return /:\/\/|^www\.|[\w-]\.[a-z]{2,}\//i.test(word)
}

/** Whether the full stop at `at` is part of an abbreviation, an initial or an ordinal. */
function stopBelongsToWord(text: string, start: number, at: number, nextWord: string): boolean {
  const before = text.slice(Math.max(start, at - 24), at)
  const word = /(?:^|[\s("'“‘«[/—–-])([\p{L}\p{N}][\p{L}\p{N}.&-]*)$/u.exec(before)?.[1]
  if (word === undefined) return false
  const lower = word.toLowerCase()
  const capitalNext = /^\p{Lu}/u.test(nextWord)
  const digitNext = /^\p{Nd}/u.test(nextWord)
  const starter = capitalNext && sentenceStarters.has(nextWord.toLowerCase())

  if (/^\p{Nd}{1,3}$/u.test(word)) {
    const enumerates = start + word.length >= at - 1 && before.trim() === word
    return enumerates || germanMonths.has(nextWord.toLowerCase()) || /^\p{Ll}/u.test(nextWord)
  }
  if (innerAbbreviations.has(lower)) return true
  if (countingAbbreviations.has(lower) && !/^\p{Lu}$/u.test(word))
    return digitNext || (lower.length === 1 && !capitalNext)
  if (leadingAbbreviations.has(lower) && !/^\p{Lu}$/u.test(word)) return !(starter && word === lower)
  if (trailingAbbreviations.has(lower)) return lower.includes('.') ? !starter : !capitalNext
  if (/^(?:\p{L}\.)+\p{L}$/u.test(word)) return !starter
  // One capital letter is an initial, unless the next word clearly begins a sentence.
  return /^\p{Lu}$/u.test(word) && word !== 'I' && capitalNext && !starter
}
