/**
 * misaki's dictionary look-up for English (misaki 0.9.4, Apache-2.0): gold before silver entries, parts of speech,
 * words in capitals, spelled letters, and the stems of words in -s, -ed and -ing.
 */
import type { Accent, Dictionary, EnglishData, Entry } from './data'
import { applyStress, primary, secondary } from './stress'

/** The context behind a word in its phrase. */
export type Following = {
  /** Whether the next sound is a vowel; undefined at the end of the phrase. */
  readonly vowel: boolean | undefined
  /** Whether the next word is "to". */
  readonly to: boolean
}

/** A word in its place. `stress`: see `applyStress`. */
export type Place = { readonly tag: string; readonly stress: number | undefined; readonly following: Following }

const symbolNames: Readonly<Record<string, string>> = { '%': 'percent', '&': 'and', '+': 'plus', '@': 'at' }

export function symbolName(word: string): string | undefined {
  return Object.hasOwn(symbolNames, word) ? symbolNames[word] : undefined
}

export type Lexicon = {
  readonly gold: Dictionary
  readonly silver: Dictionary
  readonly british: boolean
}

export function lexiconOf(data: EnglishData, accent: Accent): Lexicon {
  return { gold: data.gold[accent], silver: data.silver[accent], british: accent === 'british' }
}

export function isListed({ gold, silver }: Lexicon, word: string): boolean {
  return gold.find(word) !== undefined || silver.find(word) !== undefined
}

export function isUpperCase(word: string): boolean {
  return word === word.toUpperCase()
}

/** Whether `lookUp` finds it: listed, a single letter, or capitals that can be spelled. */
export function isKnown(lexicon: Lexicon, word: string): boolean {
  if (isListed(lexicon, word) || symbolName(word) !== undefined) return true
  if (!/^[A-Za-z]+$/.test(word)) return false
  if (word.length === 1 || (isUpperCase(word) && lexicon.gold.find(word.toLowerCase()) !== undefined)) return true
  return isUpperCase(word.slice(1))
}

/** The names of its letters, the last one stressed. Undefined when a letter has no name. */
export function spellLetters({ gold }: Lexicon, word: string): string | undefined {
  let names = ''
  for (const letter of word.match(/\p{L}/gu) ?? []) {
    const name = gold.find(letter.toUpperCase())
    if (typeof name !== 'string') return undefined
    names += name
  }
  const lowered = applyStress(names, 0)
  const last = lowered.lastIndexOf(secondary)
  return last < 0 ? lowered : lowered.slice(0, last) + primary + lowered.slice(last + 1)
}

export function lookUp(lexicon: Lexicon, given: string, { tag, stress, following }: Place): string | undefined {
  const isCapitals = isUpperCase(given) && lexicon.gold.find(given) === undefined
  const word = isCapitals ? given.toLowerCase() : given
  const isName = isCapitals && tag === 'NNP'
  const entry = lexicon.gold.find(word) ?? (isName ? undefined : lexicon.silver.find(word))
  const phonemes = readingOf(entry, tag, following)
  if (phonemes === undefined || (isName && !phonemes.includes(primary))) {
    const spelled = spellLetters(lexicon, word)
    if (spelled !== undefined) return spelled
  }
  return phonemes === undefined ? undefined : applyStress(phonemes, stress)
}

function readingOf(entry: Entry | undefined, tag: string, following: Following): string | undefined {
  if (entry === undefined || typeof entry === 'string') return entry
  const keys = [following.vowel === undefined ? 'None' : tag, tag, wordClass(tag), 'DEFAULT']
  const key = keys.find((key) => entry.has(key))
  return (key === undefined ? undefined : entry.get(key)) ?? undefined
}

/** The class of a Penn tag in the lexicons. */
export function wordClass(tag: string): string {
  if (tag.startsWith('VB')) return 'VERB'
  if (tag.startsWith('NN')) return 'NOUN'
  if (tag.startsWith('RB') || tag.startsWith('ADV')) return 'ADV'
  return tag.startsWith('JJ') || tag.startsWith('ADJ') ? 'ADJ' : tag
}

/** Reads a word in -s, -ed or -ing that is no entry by its stem. */
export function lookUpStem(lexicon: Lexicon, word: string, place: Place): string | undefined {
  return (
    readStem(lexicon, findStemOfS(lexicon, word), place, addS) ??
    readStem(lexicon, findStemOfEd(lexicon, word), place, addEd) ??
    readStem(lexicon, findStemOfIng(lexicon, word), { ...place, stress: place.stress ?? 0.5 }, addIng)
  )
}

type AddEnding = (stem: string, british: boolean) => string | undefined

function readStem(lexicon: Lexicon, stem: string | undefined, place: Place, add: AddEnding): string | undefined {
  const phonemes = stem === undefined ? undefined : lookUp(lexicon, stem, place)
  return phonemes ? add(phonemes, lexicon.british) : undefined
}

/** The first candidate that is known; undefined stands for a shape that does not fit. */
function firstKnown(lexicon: Lexicon, candidates: readonly (string | false)[]): string | undefined {
  for (const candidate of candidates) if (candidate !== false && isKnown(lexicon, candidate)) return candidate
  return undefined
}

function findStemOfS(lexicon: Lexicon, word: string): string | undefined {
  if (word.length < 3 || !word.endsWith('s')) return undefined
  const isEs = word.length > 4 && word.endsWith('es')
  const isIes = isEs && word.endsWith('ies')
  return firstKnown(lexicon, [
    !word.endsWith('ss') && word.slice(0, -1),
    (word.endsWith("'s") || (isEs && !isIes)) && word.slice(0, -2),
    isIes && `${word.slice(0, -3)}y`,
  ])
}

function findStemOfEd(lexicon: Lexicon, word: string): string | undefined {
  if (word.length < 4 || !word.endsWith('d')) return undefined
  return firstKnown(lexicon, [
    !word.endsWith('dd') && word.slice(0, -1),
    word.length > 4 && word.endsWith('ed') && !word.endsWith('eed') && word.slice(0, -2),
  ])
}

function findStemOfIng(lexicon: Lexicon, word: string): string | undefined {
  if (word.length < 5 || !word.endsWith('ing')) return undefined
  return firstKnown(lexicon, [
    word.length > 5 && word.slice(0, -3),
    `${word.slice(0, -3)}e`,
    word.length > 5 && /(?:([bcdgklmnprstvxz])\1|ck)ing$/.test(word) && word.slice(0, -4),
  ])
}

/** Sounds before which an American t is flapped. */
const flapping = new Set('AIOWYiuæɑəɛɪɹʊʌ')

function isFlapped(stem: string, british: boolean): boolean {
  return !british && stem.endsWith('t') && flapping.has(stem.at(-2) ?? '')
}

function addS(stem: string, british: boolean): string {
  if (/[ptkfθ]$/.test(stem)) return `${stem}s`
  return /[szʃʒʧʤ]$/.test(stem) ? `${stem}${british ? 'ɪ' : 'ᵻ'}z` : `${stem}z`
}

function addEd(stem: string, british: boolean): string {
  if (/[pkfθʃsʧ]$/.test(stem)) return `${stem}t`
  if (stem.endsWith('d')) return `${stem}${british ? 'ɪ' : 'ᵻ'}d`
  if (!stem.endsWith('t')) return `${stem}d`
  if (british || stem.length < 2) return `${stem}ɪd`
  return isFlapped(stem, british) ? `${stem.slice(0, -1)}ɾᵻd` : `${stem}ᵻd`
}

/** British stems in ə and ː have none. */
function addIng(stem: string, british: boolean): string | undefined {
  if (british && /[əː]$/.test(stem)) return undefined
  return isFlapped(stem, british) ? `${stem.slice(0, -1)}ɾɪŋ` : `${stem}ɪŋ`
}
