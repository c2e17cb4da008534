/**
 * Maps eSpeak NG's phonemes to Kokoro's training alphabet. Kokoro's own front end, misaki, has dictionaries for English
 * and uses eSpeak NG for all other words. These are its mappings (`EspeakFallback` for English, `EspeakG2P` for other
 * languages, in misaki/espeak.py of https://github.com/hexgrad/misaki, d0123ee; `ɾ` → `T` in kokoro/pipeline.py of
 * https://github.com/hexgrad/kokoro). misaki has eSpeak NG tie the letters of one phoneme with `^`; ours separates
 * phonemes with `_`, which is equivalent.
 * There are two intentional differences. misaki's rules for British `eə` and `iə` (`ɛː` and `ɪə`) never apply, because
 * it changes `e` to `A` before the one and forgets the tie in the other. And misaki transcribes one word at a time; in
 * a sentence eSpeak NG writes `fˈaɪɚ ɹ` for a "fire" before a vowel, whose `ɹ` is already in the `əɹ` for `ɚ`.
 */

export type Alphabet = 'american' | 'british' | 'other' | 'ipa'

type Rule = readonly [RegExp, string]
const rules = (pairs: Readonly<Record<string, string>>): Rule[] =>
  Object.entries(pairs)
    .sort(([a], [b]) => b.length - a.length)
    .map(([from, to]) => [new RegExp(from.replaceAll('^', '\\^'), 'g'), to])

const syllabic = '\u0329'
const nasal = '\u0303'

const english = rules({
  [`ʔˌn${syllabic}`]: 'tn',
  [`ʔn${syllabic}`]: 'tn',
  ʔn: 'tn',
  ʔ: 't',
  'a^ɪ': 'I',
  'a^ʊ': 'W',
  'd^ʒ': 'ʤ',
  'e^ɪ': 'A',
  e: 'A',
  't^ʃ': 'ʧ',
  'ɔ^ɪ': 'Y',
  'ə^l': 'ᵊl',
  ʲo: 'jo',
  ʲə: 'jə',
  ʲ: '',
  ɚɹ: 'əɹ',
  ɚ: 'əɹ',
  r: 'ɹ',
  x: 'k',
  ç: 'k',
  ɐ: 'ə',
  ɬ: 'l',
  [nasal]: '',
})

const after: Readonly<Record<Alphabet, readonly Rule[]>> = {
  american: [
    [/o\^ʊ/g, 'O'],
    [/ɜːɹ/g, 'ɜɹ'],
    [/ɜː/g, 'ɜɹ'],
    [/ɪə/g, 'iə'],
    [/ː/g, ''],
    [/o/g, 'ɔ'],
    [/ɾ/g, 'T'],
  ],
  british: [
    [/ə\^ʊ/g, 'Q'],
    [/o/g, 'ɔ'],
    [/ɾ/g, 'T'],
  ],
  other: rules({
    'a^ɪ': 'I',
    'a^ʊ': 'W',
    'd^z': 'ʣ',
    'd^ʒ': 'ʤ',
    'e^ɪ': 'A',
    'o^ʊ': 'O',
    'ə^ʊ': 'Q',
    's^s': 'S',
    't^s': 'ʦ',
    't^ʃ': 'ʧ',
    'ɔ^ɪ': 'Y',
    '-': '',
  }),
  // As kokoro.js does for Kokoro v0.19, which was trained on eSpeak NG's own IPA.
  ipa: [
    [/ʲ/g, 'j'],
    [/r/g, 'ɹ'],
    [/x/g, 'k'],
    [/ɬ/g, 'l'],
  ],
}

/** `word`: from eSpeak NG, with `_` between its phonemes and without flags. */
export function toMisaki(word: string, alphabet: Alphabet): string {
  let phonemes = word
    .split('_')
    .map((unit) => unit.replace(/(?<=\p{L}\p{M}*)(?=\p{L})(?!ː|ʲ|ˈ|ˌ)(?<!ˈ|ˌ)/gu, '^'))
    .join('')
  if (alphabet === 'british') phonemes = phonemes.replaceAll('e^ə', 'ɛː').replace(/i\^?ə/g, 'ɪə')
  if (alphabet === 'american' || alphabet === 'british')
    phonemes = apply(english, phonemes)
      .replace(/(\S)\u0329/gu, 'ᵊ$1')
      .replaceAll(syllabic, '')
  return apply(after[alphabet], phonemes).replaceAll('^', '')
}

function apply(rules: readonly Rule[], phonemes: string): string {
  return rules.reduce((text, [from, to]) => text.replace(from, to), phonemes)
}
