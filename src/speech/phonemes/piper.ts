/**
 * What a Piper voice is fed for a text, as Piper itself does it (https://github.com/OHF-Voice/piper1-gpl:
 * `phonemize_espeak.py`, `voice.py`, `phoneme_ids.py`): clauses of phonemes → sentences of code points → ids.
 */
import type { Clause, Phonemizer } from './espeak'
import { toPinyinIds } from './piper-pinyin'

/** Where the phonemes of a voice come from: eSpeak NG, the text's own code points, or its pinyin. */
export const piperPhonemeTypes = ['espeak', 'text', 'pinyin'] as const
export type PiperPhonemeType = (typeof piperPhonemeTypes)[number]

/** What a voice was trained to read, from its configuration. */
export type PiperAlphabet = {
  readonly phonemeType: PiperPhonemeType
  /** eSpeak NG's name of the voice. */
  readonly espeakVoice: string
  /** `phoneme_id_map`; it has `^`, `_` and `$`. */
  readonly ids: ReadonlyMap<string, readonly number[]>
  /** `phoneme_map`: what is said instead. */
  readonly replacements: ReadonlyMap<string, readonly string[]>
  /** `vowel_clusters`: phonemes that are one symbol when they follow one another. */
  readonly vowelClusters: readonly (readonly string[])[]
}

/** A sentence: what the graph is run with once. */
export type PiperRun = {
  /** `^ _ (id _)* $`. */
  readonly ids: readonly number[]
  /** None where it is not known which ids say what. */
  readonly clauses: readonly SpokenClause[]
}

export type SpokenClause = {
  /** '' where that is not known. */
  readonly text: string
  /** Its words as they are spoken, each with the ids that are its own: from `start` to before `end`. */
  readonly sounds: readonly { readonly phonemes: string; readonly start: number; readonly end: number }[]
}

/** Between phonemes, at the beginning and at the end. */
const [pad, begin, finish] = ['_', '^', '$']
/** `^ _ $`: a sentence with nothing to say. */
const emptyIds = 3

/**
 * The sentences of `text`, a normalized reading, that have something to say. `loadPhonemizer`: eSpeak NG, for voices that
 * need it. Throws when it does not have the voice.
 */
export async function readPiper(
  text: string,
  alphabet: PiperAlphabet,
  loadPhonemizer: () => Promise<Phonemizer>,
): Promise<PiperRun[]> {
  const { phonemeType, espeakVoice } = alphabet
  if (phonemeType === 'pinyin') {
    const sentences = await toPinyinIds(text, alphabet.ids)
    return sentences.map((ids) => ({ ids, clauses: [] }))
  }
  const sentences =
    phonemeType === 'text'
      ? [[{ text, symbols: symbolsOf(text) }]]
      : toSentences(await (await loadPhonemizer()).clauses(text, espeakVoice), alphabet)
  return sentences.map((sentence) => toRun(sentence, alphabet)).filter(({ ids }) => ids.length > emptyIds)
}

/** A code point, or several that are one symbol. `word`: which of its clause's; −1 of blanks and marks. */
type Symbol = { readonly text: string; readonly word: number }
type SymbolClause = { readonly text: string; readonly symbols: readonly Symbol[] }

function toSentences(clauses: readonly Clause[], { vowelClusters }: PiperAlphabet): SymbolClause[][] {
  const sentences: SymbolClause[][] = []
  let sentence: SymbolClause[] = []
  for (const { text, phonemes, terminator, endsSentence } of clauses) {
    const plain = phonemes.replaceAll('_', '').replace(/\([^)]+\)/g, '')
    const mark = terminator && /[,:;]/.test(terminator) ? `${terminator} ` : terminator
    const symbols = [...symbolsOf(plain), ...Array.from(mark, (character) => ({ text: character, word: -1 }))]
    sentence.push({ text, symbols })
    if (!endsSentence) continue
    // As Piper does: not in what is left when the text ends without a mark.
    sentences.push(sentence.map((clause) => ({ ...clause, symbols: mergeClusters(clause.symbols, vowelClusters) })))
    sentence = []
  }
  if (sentence.length > 0) sentences.push(sentence)
  return sentences
}

/** In Unicode's decomposed form (NFD). */
function symbolsOf(text: string): Symbol[] {
  return text.split(' ').flatMap((word, index) => {
    const symbols = Array.from(word.normalize('NFD'), (character) => ({ text: character, word: index }))
    return index === 0 ? symbols : [{ text: ' ', word: -1 }, ...symbols]
  })
}

/** The longest cluster at each place becomes one symbol. */
function mergeClusters(symbols: readonly Symbol[], clusters: readonly (readonly string[])[]): readonly Symbol[] {
  if (clusters.length === 0) return symbols
  const longestFirst = clusters.toSorted((a, b) => b.length - a.length)
  const merged: Symbol[] = []
  for (let at = 0; at < symbols.length;) {
    const fits = (cluster: readonly string[]) => cluster.every((text, ahead) => symbols[at + ahead]?.text === text)
    const cluster = longestFirst.find((one) => one.length > 1 && fits(one))
    merged.push({ text: cluster?.join('') ?? symbols[at]!.text, word: symbols[at]!.word })
    at += cluster?.length ?? 1
  }
  return merged
}

/** Symbols that the voice does not have are left out. */
function toRun(sentence: readonly SymbolClause[], { ids: map, replacements }: PiperAlphabet): PiperRun {
  const padding = map.get(pad)!
  const ids = [...map.get(begin)!, ...padding]
  const clauses = sentence.map(({ text, symbols }) => {
    const sounds: { word: number; phonemes: string; start: number; end: number }[] = []
    for (const symbol of symbols) {
      const start = ids.length
      for (const one of replacements.get(symbol.text) ?? [symbol.text]) {
        const found = map.get(one)
        if (found) ids.push(...found, ...padding)
      }
      if (symbol.word < 0 || ids.length === start) continue
      let sound = sounds.at(-1)
      if (sound?.word !== symbol.word) sounds.push((sound = { word: symbol.word, phonemes: '', start, end: start }))
      sound.phonemes += symbol.text
      sound.end = ids.length
    }
    return { text, sounds: sounds.map(({ phonemes, start, end }) => ({ phonemes, start, end })) }
  })
  ids.push(...map.get(finish)!)
  return { ids, clauses }
}
