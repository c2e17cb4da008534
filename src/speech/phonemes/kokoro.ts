/**
 * Text → tokens for Kokoro. The first letter of a voice's name gives its language (VOICES.md of
 * https://huggingface.co/hexgrad/Kokoro-82M). Kokoro v1.0 was trained on misaki's alphabet, v0.19 on eSpeak NG's IPA;
 * only the former's vocabulary has `ᵊ`.
 */
import { type Accent, type EnglishReader, englishVoices, speakEnglish } from './english-reading'
import { toKokoroMandarin } from './kokoro-mandarin'
import { type Alphabet, toMisaki } from './misaki'
import type { Phonemizer } from './espeak'
import type { Vocabulary } from './runs'
import { speak, type PhonemizedText, type Token } from './spoken'

export type KokoroLanguage = {
  /** BCP 47. */
  readonly language: string
  /** eSpeak NG's voice with an alphabet, or another front end; null without a front end. */
  readonly frontEnd: { readonly voice: string; readonly alphabet: Alphabet } | 'mandarin' | null
}

/** By the first letter of a voice's name. */
const languages: Readonly<Record<string, KokoroLanguage>> = {
  a: { language: 'en-US', frontEnd: { voice: englishVoices.american, alphabet: 'american' } },
  b: { language: 'en-GB', frontEnd: { voice: englishVoices.british, alphabet: 'british' } },
  e: { language: 'es', frontEnd: { voice: 'es', alphabet: 'other' } },
  f: { language: 'fr', frontEnd: { voice: 'fr', alphabet: 'other' } },
  h: { language: 'hi', frontEnd: { voice: 'hi', alphabet: 'other' } },
  i: { language: 'it', frontEnd: { voice: 'it', alphabet: 'other' } },
  // Japanese needs a dictionary (misaki/ja.py: pyopenjtalk); eSpeak NG reads no kanji.
  j: { language: 'ja', frontEnd: null },
  p: { language: 'pt-BR', frontEnd: { voice: 'pt-br', alphabet: 'other' } },
  z: { language: 'zh', frontEnd: 'mandarin' },
}

/** Language of a voice such as `af_heart`. Other names count as American English. */
export function kokoroLanguage(voice: string): KokoroLanguage {
  return (/^[a-z][fm](_|$)/.test(voice) && languages[voice[0]!]) || languages['a']!
}

/** Whether the model was trained on misaki's alphabet. */
export function readsMisaki(vocabulary: Vocabulary): boolean {
  return vocabulary.has('ᵊ')
}

export type KokoroReaders = {
  readonly phonemizer: Phonemizer
  /** misaki's English; undefined in a build without its data: eSpeak NG reads English. */
  readonly english: ((accent: Accent) => Promise<EnglishReader>) | undefined
}

/**
 * `text`: a normalized text. Throws when the voice's language has no front end. The result may hold tokens that the
 * vocabulary lacks.
 */
export async function speakKokoro(
  { phonemizer, english }: KokoroReaders,
  text: string,
  voice: string,
  vocabulary: Vocabulary,
): Promise<PhonemizedText> {
  const { language, frontEnd } = kokoroLanguage(voice)
  if (frontEnd === null) throw new Error(`Kokoro's voice ${voice} speaks ${language}, which has no phonemizer yet`)
  if (frontEnd === 'mandarin') return speakMandarin({ phonemizer, english }, text, vocabulary)
  const alphabet = readsMisaki(vocabulary) ? frontEnd.alphabet : 'ipa'
  if (english && (alphabet === 'american' || alphabet === 'british')) return speakEnglish(await english(alphabet), text)
  return speak(phonemizer, spellQuotes(text, alphabet), {
    voice: frontEnd.voice,
    spell: (word) => toMisaki(word, alphabet),
    spellMarks: (marks) => marks.replace(/\s+/g, ' ').replaceAll('–', '—'),
  })
}

/** v1.1-zh writes Mandarin in Bopomofo, v1.0 in IPA; English words as in American English. */
async function speakMandarin(
  { phonemizer, english }: KokoroReaders,
  text: string,
  vocabulary: Vocabulary,
): Promise<PhonemizedText> {
  const spellOther = async (word: string) => {
    if (english) return (await (await english('american')).read(word)).phonemes
    const { tokens } = await speak(phonemizer, word, {
      voice: 'en-us',
      spell: toAmerican,
      spellMarks: (marks) => marks,
    })
    return tokens.map((token) => token.text).join('')
  }
  const tokens: Token[] = []
  const words: string[] = []
  for (const piece of await toKokoroMandarin(text, vocabulary.has('ㄅ') ? '1.1-zh' : '1.0', spellOther)) {
    if (piece.word) words.push(piece.word)
    for (const token of piece.symbols) tokens.push({ text: token, word: piece.word ? words.length - 1 : -1 })
  }
  return { tokens, words }
}

const toAmerican = (word: string) => toMisaki(word, 'american')

/** misaki has opening and closing quotation marks. In languages other than English only `«»` become these. */
function spellQuotes(text: string, alphabet: Alphabet): string {
  if (alphabet === 'ipa') return text
  const curled = text.replaceAll('«', '“').replaceAll('»', '”')
  if (alphabet === 'other') return curled
  return curled.replace(/(^|[\s([{“—–])"/g, '$1“').replaceAll('"', '”')
}
