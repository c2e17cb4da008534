/**
 * Text → what KittenTTS reads, by kittenml/kittentts_legacy/onnx_model.py of https://github.com/KittenML/KittenTTS
 * (36ef309): eSpeak NG's American IPA, with blanks between words and marks ("hello , world ."), in the alphabet of
 * StyleTTS 2. As there, what is neither letter nor digit stands alone, a mark of a syllable (`n ̩`) too.
 */
import type { Phonemizer } from './espeak'
import { speak, type Spoken, type Symbol } from './spoken'
import type { Vocabulary } from './runs'

/** `TextCleaner` of the same file: where two symbols are the same, the later id is it. */
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

/** `text`: a normalized English reading. */
export async function speakKitten(phonemizer: Phonemizer, text: string): Promise<Spoken> {
  const { symbols, words } = await speak(phonemizer, text, {
    voice: 'en-us',
    spell: (word) => word.replaceAll('_', ''),
    spellMarks: (marks) => marks.replace(/\s+/g, ' '),
  })
  return { symbols: spaceOut(symbols), words }
}

const isWord = ({ text }: Symbol) => /[\p{L}\p{N}_]/u.test(text)

/** One blank between words, and around everything that is none. */
function spaceOut(symbols: readonly Symbol[]): Symbol[] {
  const spaced: Symbol[] = []
  let before: Symbol | undefined
  for (const symbol of symbols) {
    if (symbol.text === ' ') {
      before = undefined
      continue
    }
    const joined = before !== undefined && isWord(before) && isWord(symbol)
    if (spaced.length > 0 && !joined) {
      const inside = before !== undefined && before.word === symbol.word ? symbol.word : -1
      spaced.push({ text: ' ', word: inside })
    }
    spaced.push(symbol)
    before = symbol
  }
  return spaced
}
