/**
 * Text → tokens for KittenTTS, as in kittenml/kittentts_legacy/onnx_model.py of https://github.com/KittenML/KittenTTS
 * (36ef309): eSpeak NG's American IPA, with spaces between words and marks ("hello , world ."), in the alphabet of
 * StyleTTS 2. Characters other than letters and digits are isolated, including the syllabic mark (`n ̩`).
 */
import type { Phonemizer } from './espeak'
import { speak, type PhonemizedText, type Token } from './spoken'
import type { Vocabulary } from './runs'

/** `TextCleaner` of the same file: of two equal symbols the later id counts. */
export const kittenVocabulary: Vocabulary = new Map(
  [
    '$;:,.!?¡¿—…"«»"" ',
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    'ɑɐɒæɓʙβɔɕçɗɖðʤəɘɚɛɜɝɞɟʄɡɠɢʛɦɧħɥʜɨɪʝɭɬɫɮʟɱɯɰŋɳɲɴøɵɸθœɶʘɹɺɾɻʀʁɽʂʃʈʧʉʊʋⱱʌɣɤʍχʎʏʑʐʒʔʡʕʢǀǁǂǃ',
    "ˈˌːˑʼʴʰʱʲʷˠˤ˞↓↑→↗↘'\u0329'ᵻ",
  ]
    .flatMap((symbols) => [...symbols])
    .map((symbol, id) => [symbol, id] as const),
)

/** `text`: a normalized English text. */
export async function speakKitten(phonemizer: Phonemizer, text: string): Promise<PhonemizedText> {
  const { tokens, words } = await speak(phonemizer, text, {
    voice: 'en-us',
    spell: (word) => word.replaceAll('_', ''),
    spellMarks: (marks) => marks.replace(/\s+/g, ' '),
  })
  return { tokens: spaceOut(tokens), words }
}

const isWord = ({ text }: Token) => /[\p{L}\p{N}_]/u.test(text)

/** Puts one space between words and around all other tokens. */
function spaceOut(tokens: readonly Token[]): Token[] {
  const spaced: Token[] = []
  let before: Token | undefined
  for (const token of tokens) {
    if (token.text === ' ') {
      before = undefined
      continue
    }
    const joined = before !== undefined && isWord(before) && isWord(token)
    if (spaced.length > 0 && !joined) {
      const inside = before !== undefined && before.word === token.word ? token.word : -1
      spaced.push({ text: ' ', word: inside })
    }
    spaced.push(token)
    before = token
  }
  return spaced
}
