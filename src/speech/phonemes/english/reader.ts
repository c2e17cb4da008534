/**
 * English text → misaki's phonemes, as Kokoro was trained on them (misaki 0.9.4, Apache-2.0; without spaCy and eSpeak
 * NG). Words are read from the last to the first, because many depend on the sound that follows. Numbers, money, dates
 * and abbreviations are words already (speech/text).
 */
import type { Accent, EnglishData } from './data'
import { type Following, type Lexicon, lexiconOf } from './lexicon'
import { cutWords, type Piece } from './pieces'
import { applyStress, isConsonant, isVowel, primary, weigh } from './stress'
import { tagText } from './tags'
import { splitTokens } from './tokens'
import { isTo, readWord } from './words'

/** A word or mark. `start` and `end`: offsets in the given text, in UTF-16 units. `phonemes` may be ''. */
export type ReadPart = {
  readonly start: number
  readonly end: number
  readonly phonemes: string
  readonly isWord: boolean
  readonly spaceAfter: boolean
}

export type EnglishReading = {
  readonly parts: readonly ReadPart[]
  /** The whole text's, with its marks and spaces. */
  readonly phonemes: string
}

/** Reads a word of letters and apostrophes that the lexicons lack. May return ''. */
export type ReadUnknownWord = (word: string) => Promise<string>

export type EnglishReader = {
  /** `text`: normalized, of one or more sentences. Throws what `readUnknownWord` throws. */
  read(text: string): Promise<EnglishReading>
}

/** Use one `data` for all readers of a process. */
export function createEnglishReader(
  data: EnglishData,
  accent: Accent,
  readUnknownWord: ReadUnknownWord,
): EnglishReader {
  const lexicon = lexiconOf(data, accent)
  return {
    async read(text) {
      const tokens = splitTokens(text, data.specialCase)
      const words = cutWords(tokens, tagText(tokens, data.tagger))
      const parts: ReadPart[] = []
      let following: Following = { vowel: undefined, to: false }
      for (const word of words.reverse()) {
        const read = await readPieces(lexicon, word, following, readUnknownWord)
        following = read.following
        const last = word.at(-1)!
        const isEnd = parts.length === 0
        parts.push({
          start: word[0]!.start,
          end: last.start + last.text.length,
          phonemes: finish(read.phonemes, isEnd && last.text.endsWith('.')),
          isWord: word.some((piece) => /[\p{L}\p{N}]/u.test(piece.text)),
          spaceAfter: last.spaceAfter,
        })
      }
      parts.reverse()
      const phonemes = parts.map((part) => part.phonemes + (part.spaceAfter ? ' ' : '')).join('')
      return { parts, phonemes: phonemes.trim() }
    },
  }
}

/** `endsSentence`: the dot of an abbreviation is the sentence's too; misaki drops it. */
function finish(phonemes: string, endsSentence: boolean): string {
  const finished = phonemes.replaceAll('ɾ', 'T').replaceAll('ʔ', 't')
  return endsSentence && !pauses.has(finished.at(-1) ?? '') ? `${finished}.` : finished
}

type Read = { readonly phonemes: string; readonly following: Following }

/** The longest entry of the lexicons has 13 pieces: what-you-see-is-what-you-get. */
const runPiecesMax = 16
const leftmost = (right: number) => Math.max(0, right - runPiecesMax)

/** Reads the longest known runs of pieces from the right; the whole word is unknown when one piece is. */
async function readPieces(
  lexicon: Lexicon,
  word: readonly Piece[],
  behind: Following,
  readUnknownWord: ReadUnknownWord,
): Promise<Read> {
  const whole = merge(word)
  if (word.length === 1) {
    const phonemes =
      whole.phonemes ??
      readWord(lexicon, whole.text, { tag: whole.tag, following: behind }) ??
      (await readUnknown(lexicon, whole.text, readUnknownWord))
    return { phonemes, following: followingOf(behind, phonemes, whole) }
  }
  let following = behind
  let right = word.length
  let left = leftmost(right)
  while (right > 0) {
    const run = merge(word.slice(left, right))
    const phonemes = readWord(lexicon, run.text, { tag: run.tag, following })
    if (phonemes !== undefined) {
      word.slice(left, right).forEach((piece, at) => (piece.phonemes = at === 0 ? phonemes : ''))
      following = followingOf(following, phonemes, run)
      right = left
      left = leftmost(right)
    } else if (left + 1 < right) {
      left++
    } else {
      right--
      if (!isJunk(word[right]!.text))
        return { phonemes: await readUnknown(lexicon, whole.text, readUnknownWord), following }
      word[right]!.phonemes = ''
      left = leftmost(right)
    }
  }
  return { phonemes: joinPieces(word), following }
}

/** `tag`: of the piece with the most letters, where capitals count twice. */
function merge(pieces: readonly Piece[]): Pick<Piece, 'text' | 'tag' | 'phonemes'> {
  if (pieces.length === 1) return pieces[0]!
  let heaviest = { weight: 0, tag: '' }
  for (const { text, tag } of pieces) {
    const weight = [...text].reduce((sum, letter) => sum + (letter === letter.toLowerCase() ? 1 : 2), 0)
    if (weight > heaviest.weight) heaviest = { weight, tag }
  }
  return { text: pieces.map(({ text }) => text).join(''), tag: heaviest.tag, phonemes: undefined }
}

const pauses = new Set(';:,.!?—…')

function followingOf(behind: Following, phonemes: string, { text, tag }: Pick<Piece, 'text' | 'tag'>): Following {
  const sound = [...phonemes].find((phoneme) => isVowel(phoneme) || isConsonant(phoneme) || pauses.has(phoneme))
  const vowel = sound === undefined ? behind.vowel : pauses.has(sound) ? undefined : isVowel(sound)
  return { vowel, to: isTo(text, tag) }
}

const junk = /^[',\-._‘’/]*$/

/** Whether a piece without phonemes is silent. */
function isJunk(text: string): boolean {
  return junk.test(text)
}

/** Joins the phonemes of a word's pieces; halves the stress of compounds. */
function joinPieces(pieces: readonly Piece[]): string {
  const text = pieces.map((piece) => piece.text).join('')
  const phonemes = pieces.map((piece) => piece.phonemes ?? '')
  const kinds = new Set([...text].filter((character) => !isJunk(character)).map(kindOf))
  if (text.includes('/') || kinds.size > 1)
    return phonemes.reduce((joined, next) =>
      joined && next && !joined.endsWith(' ') ? `${joined} ${next}` : joined + next,
    )
  const stressed = phonemes
    .map((own, at) => ({ at, own, hasPrimary: own.includes(primary) ? 1 : 0, weight: weigh(own) }))
    .filter(({ own }) => own !== '')
  const lower = (at: number) => (phonemes[at] = applyStress(phonemes[at]!, -0.5))
  if (stressed.length === 2 && pieces[stressed[0]!.at]!.text.length === 1) lower(stressed[1]!.at)
  else if (
    stressed.length >= 2 &&
    stressed.reduce((sum, { hasPrimary }) => sum + hasPrimary, 0) > Math.floor((stressed.length + 1) / 2)
  )
    stressed
      .toSorted((a, b) => a.hasPrimary - b.hasPrimary || a.weight - b.weight || a.at - b.at)
      .slice(0, Math.floor(stressed.length / 2))
      .forEach(({ at }) => lower(at))
  return phonemes.join('')
}

function kindOf(character: string): 'letter' | 'digit' | 'other' {
  if (/\p{L}/u.test(character)) return 'letter'
  return /[0-9]/.test(character) ? 'digit' : 'other'
}

/** Sounds of symbols that normalization leaves inside of words. */
const symbols: Readonly<Record<string, string>> = {
  '/': 'slˈæʃ',
  '=': 'ˈikwᵊlz',
  '+': 'plˈʌs',
  '&': 'ænd',
  '@': 'æt',
  '%': 'pəɹsˈɛnt',
  '#': 'hˈæʃ',
  '*': 'ˈæstəɹˌɪsk',
  '~': 'tˈɪldə',
  '^': 'kˈɛɹət',
  '<': 'lˈɛs ðən',
  '>': 'ɡɹˈATəɹ ðən',
  '—': '—',
}
const digitNames = 'zero one two three four five six seven eight nine'.split(' ')
const unknownPiece = /[\p{L}\p{Nl}\p{No}]+(?:['’][\p{L}\p{Nl}\p{No}]+)*|\p{Nd}|[^\p{L}\p{N}_\s]/gu

/** Letters go to `readUnknownWord`; a digit or symbol has a name. */
async function readUnknown(lexicon: Lexicon, text: string, readUnknownWord: ReadUnknownWord): Promise<string> {
  const sounds: string[] = []
  for (const [piece] of text.matchAll(unknownPiece)) {
    if (/^\p{L}/u.test(piece)) sounds.push(await readUnknownWord(piece))
    else if (/^[0-9]$/.test(piece))
      sounds.push(
        readWord(lexicon, digitNames[Number(piece)]!, { tag: 'CD', following: { vowel: true, to: false } }) ?? '',
      )
    else sounds.push(symbols[piece] ?? '')
  }
  return sounds.filter((sound) => sound !== '').join(' ')
}
