/**
 * The input of a Piper voice for a text, as in Piper itself (https://github.com/OHF-Voice/piper1-gpl:
 * `phonemize_espeak.py`, `voice.py`, `phoneme_ids.py`): clauses of phonemes → sentences of code points → ids.
 */
import type { Clause, Phonemizer } from './espeak'
import { toPinyinIds } from './piper-pinyin'

/** Source of a voice's phonemes: eSpeak NG, the text's code points, or its pinyin. */
export const piperPhonemeTypes = ['espeak', 'text', 'pinyin'] as const
export type PiperPhonemeType = (typeof piperPhonemeTypes)[number]

/** The alphabet of a voice, from its configuration. */
export type PiperAlphabet = {
  readonly phonemeType: PiperPhonemeType
  /** eSpeak NG's name of the voice. */
  readonly espeakVoice: string
  /** `phoneme_id_map`; it has `^`, `_` and `$`. */
  readonly ids: ReadonlyMap<string, readonly number[]>
  /** `phoneme_map`: replacements of phonemes. */
  readonly replacements: ReadonlyMap<string, readonly string[]>
  /** `vowel_clusters`: sequences of phonemes that form one token. */
  readonly vowelClusters: readonly (readonly string[])[]
}

/** A sentence: the input of one run of the graph. */
export type PiperRun = {
  /** `^ _ (id _)* $`. */
  readonly ids: readonly number[]
  /** Empty when the words of the ids are unknown. */
  readonly clauses: readonly SpokenClause[]
}

export type SpokenClause = {
  /** '' when unknown. */
  readonly text: string
  /** The spoken words, each with its own ids: from `start` to before `end`. */
  readonly sounds: readonly { readonly phonemes: string; readonly start: number; readonly end: number }[]
}

/** The pad between phonemes, the first and the last token. */
const [pad, begin, finish] = ['_', '^', '$']
/** `^ _ $`: an empty sentence. */
const emptyIds = 3

/**
 * The non-empty sentences of `text`, a normalized text. `loadPhonemizer`: eSpeak NG, for voices that need it. Throws
 * when it lacks the voice.
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
      ? [[{ text, tokens: tokensOf(text) }]]
      : toSentences(await (await loadPhonemizer()).clauses(text, espeakVoice), alphabet)
  return sentences.map((sentence) => toRun(sentence, alphabet)).filter(({ ids }) => ids.length > emptyIds)
}

/** A code point, or a cluster. `word`: index in its clause; −1 for spaces and marks. */
type Token = { readonly text: string; readonly word: number }
type TokenClause = { readonly text: string; readonly tokens: readonly Token[] }

function toSentences(clauses: readonly Clause[], { vowelClusters }: PiperAlphabet): TokenClause[][] {
  const sentences: TokenClause[][] = []
  let sentence: TokenClause[] = []
  for (const { text, phonemes, terminator, endsSentence } of clauses) {
    const plain = phonemes.replaceAll('_', '').replace(/\([^)]+\)/g, '')
    const mark = terminator && /[,:;]/.test(terminator) ? `${terminator} ` : terminator
    const tokens = [...tokensOf(plain), ...Array.from(mark, (character) => ({ text: character, word: -1 }))]
    sentence.push({ text, tokens })
    if (!endsSentence) continue
    // As in Piper: not at the end of a text without a final mark.
    sentences.push(sentence.map((clause) => ({ ...clause, tokens: mergeClusters(clause.tokens, vowelClusters) })))
    sentence = []
  }
  if (sentence.length > 0) sentences.push(sentence)
  return sentences
}

/** In Unicode's decomposed form (NFD). */
function tokensOf(text: string): Token[] {
  return text.split(' ').flatMap((word, index) => {
    const tokens = Array.from(word.normalize('NFD'), (character) => ({ text: character, word: index }))
    return index === 0 ? tokens : [{ text: ' ', word: -1 }, ...tokens]
  })
}

/** Merges the longest cluster at each position into one token. */
function mergeClusters(tokens: readonly Token[], clusters: readonly (readonly string[])[]): readonly Token[] {
  if (clusters.length === 0) return tokens
  const longestFirst = clusters.toSorted((a, b) => b.length - a.length)
  const merged: Token[] = []
  for (let at = 0; at < tokens.length;) {
    const fits = (cluster: readonly string[]) => cluster.every((text, ahead) => tokens[at + ahead]?.text === text)
    const cluster = longestFirst.find((one) => one.length > 1 && fits(one))
    merged.push({ text: cluster?.join('') ?? tokens[at]!.text, word: tokens[at]!.word })
    at += cluster?.length ?? 1
  }
  return merged
}

/** Drops tokens that the voice lacks. */
function toRun(sentence: readonly TokenClause[], { ids: map, replacements }: PiperAlphabet): PiperRun {
  const padding = map.get(pad)!
  const ids = [...map.get(begin)!, ...padding]
  const clauses = sentence.map(({ text, tokens }) => {
    const sounds: { word: number; phonemes: string; start: number; end: number }[] = []
    for (const token of tokens) {
      const start = ids.length
      for (const one of replacements.get(token.text) ?? [token.text]) {
        const found = map.get(one)
        if (found) ids.push(...found, ...padding)
      }
      if (token.word < 0 || ids.length === start) continue
      let sound = sounds.at(-1)
      if (sound?.word !== token.word) sounds.push((sound = { word: token.word, phonemes: '', start, end: start }))
      sound.phonemes += token.text
      sound.end = ids.length
    }
    return { text, sounds: sounds.map(({ phonemes, start, end }) => ({ phonemes, start, end })) }
  })
  ids.push(...map.get(finish)!)
  return { ids, clauses }
}
