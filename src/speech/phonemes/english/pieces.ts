/**
 * Pieces of tokens as misaki looks them up: a token is cut at changes of case, at hyphens and apostrophes, and pieces
 * without a space between them form a word. Marks have their phonemes at once.
 */
import type { TextToken } from './tokens'

export type Piece = {
  readonly text: string
  readonly tag: string
  /** Offset in the given text, in UTF-16 units. */
  readonly start: number
  readonly spaceAfter: boolean
  /** Undefined until it is read. */
  phonemes: string | undefined
}

const letter = '[\\p{L}\\p{Nl}\\p{No}]'
const lower = 'a-zß-öø-ÿ'
const upper = 'A-ZÀ-ÖØ-Þ'
const apostrophes = "'‘’"
const pieceShape = new RegExp(
  [
    `^[${apostrophes}]+`,
    `[${upper}](?=[${upper}][${lower}])`,
    '(?:^-)?(?:\\p{Nd}?[,.]?\\p{Nd})+',
    '[\\-_]+',
    `[${apostrophes}]{2,}`,
    `${letter}*?(?:[${apostrophes}]${letter})*?[${lower}](?=[${upper}])`,
    `${letter}+(?:[${apostrophes}]${letter})*`,
    `[^\\p{L}\\p{N}_\\-${apostrophes}]`,
    `[${apostrophes}]+$`,
  ].join('|'),
  'gu',
)

/** Tags of marks. */
const markTags = new Set(['.', ',', '-LRB-', '-RRB-', '``', '""', "''", ':', '$', '#', 'NFP'])
const marksByTag: Readonly<Record<string, string>> = {
  '-LRB-': '(',
  '-RRB-': ')',
  '``': '“',
  '""': '”',
  "''": '”',
}
const marks = new Set(';:,.!?—…"“”')

/** Words of one or more pieces each, in order. */
export function cutWords(tokens: readonly TextToken[], tags: readonly string[]): Piece[][] {
  const words: Piece[][] = []
  // Whether the next piece may join the last word.
  let isOpen = false
  for (const [at, token] of tokens.entries())
    for (const piece of cutToken(token, tags[at]!)) {
      const isMark = piece.phonemes !== undefined
      if (isOpen && !isMark) words.at(-1)!.push(piece)
      else words.push([piece])
      isOpen = !isMark && !piece.spaceAfter
    }
  return words
}

function cutToken({ text, start, spaceAfter }: TextToken, tag: string): Piece[] {
  const found = [...text.matchAll(pieceShape)]
  return found.map(({ 0: piece, index }, at) => ({
    text: piece,
    tag,
    start: start + index,
    spaceAfter: spaceAfter && at === found.length - 1,
    phonemes: readMark(piece, tag),
  }))
}

function readMark(text: string, tag: string): string | undefined {
  if (tag === ':' && (text === '-' || text === '–')) return '—'
  if (!markTags.has(tag) || /^[A-Za-z]+$/.test(text)) return undefined
  return marksByTag[tag] ?? [...text].filter((character) => marks.has(character)).join('')
}
