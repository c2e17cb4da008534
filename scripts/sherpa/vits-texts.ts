/** Texts and packs for comparing our ids for VITS models with those of sherpa-onnx. The same in every run. */
import words from '@pinyin-pro/data/modern.json'
import { toSyllables } from '../../src/speech/phonemes/pinyin'

/** Park and Miller's generator: whole numbers below `limit`. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state * 48271) % 2147483647
    return state % limit
  }
}

const frequent = Object.entries(words as unknown as Record<string, [string, number]>)
  .filter(([, [, probability]]) => probability > 2e-9)
  .map(([word]) => word)
  .sort()

const marks = ['，', '，', '，', '。', '。', '！', '？', '、', '；', '：', '…', '“', '”', ',', '.', '!', '?', ' ', '——']
const foreign = ['OK', 'iPhone', 'A', 'wifi', "don't", 'café', '2024', '5G', 'x', '😀', 'Привет', '日本語の', '한국']

/** `count` texts of dictionary words with marks; every seventh also has other content. */
export function mandarinTexts(count: number): string[] {
  const random = createRandom(1)
  const pick = <T>(from: readonly T[]) => from[random(from.length)]!
  return Array.from({ length: count }, (_, i) => {
    let text = ''
    for (let n = 3 + random(14); n > 0; n--) {
      text += pick(frequent)
      if (random(4) === 0) text += pick(marks)
      if (i % 7 === 6 && random(4) === 0) text += pick(foreign)
      if (i % 50 === 49 && random(3) === 0) text += pick(marks) + pick(marks)
    }
    return text + pick(['', '。', '！', '？', '……', '。”'])
  })
}

/** The first article of the Universal Declaration of Human Rights, or its start. */
const declarations = [
  'All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience.',
  'Alle Menschen sind frei und gleich an Würde und Rechten geboren! Sie sind mit Vernunft und Gewissen begabt.',
  'Tous les êtres humains naissent libres et égaux en dignité et en droits: ils sont doués de raison?',
  'Todos los seres humanos nacen libres e iguales en dignidad y derechos.',
  'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.',
  'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.',
  'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।',
  '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心',
]
const latinMarks = ['.', '.', ',', '!', '?', ':', ';', '...', '?!', ' - ', "'", '"', '', '', '', '', '']

export function characterTexts(count: number): string[] {
  const random = createRandom(2)
  const pick = <T>(from: readonly T[]) => from[random(from.length)]!
  return Array.from({ length: count }, () => {
    const some = pick(declarations).split(' ')
    return Array.from({ length: 2 + random(12) }, () => pick(some) + pick(latinMarks)).join(' ')
  })
}

const englishWords = declarations[0]!.toLowerCase().match(/[a-z]+/g)!

export function englishTexts(count: number): string[] {
  const random = createRandom(3)
  const pick = <T>(from: readonly T[]) => from[random(from.length)]!
  return Array.from({ length: count }, () =>
    Array.from(
      { length: 2 + random(12) },
      () => pick([...englishWords, 'Human', 'unheard', '7']) + pick(latinMarks),
    ).join(' '),
  )
}

export type PackFiles = {
  readonly metadata: Readonly<Record<string, string | number>>
  readonly tokens: string
  readonly lexicon?: string
}

const numberLines = (symbols: Iterable<string>) =>
  [...new Set(symbols)].map((symbol, id) => `${symbol} ${id}\n`).join('')

type Entry = { readonly word: string; readonly phonemes: readonly string[]; readonly tones: readonly number[] }

/** Initials and finals of every possible segment of `texts`: characters, and words of up to four. */
function entriesOf(texts: readonly string[], { long }: { long: boolean }): Entry[] {
  const found = new Set<string>()
  for (const text of texts)
    for (const [run] of text.matchAll(/\p{Script=Han}+/gu)) {
      const characters = [...run]
      characters.forEach((character, i) => {
        found.add(character)
        for (let length = 2; long && length <= 4; length++) {
          const word = characters.slice(i, i + length).join('')
          if (word in words) found.add(word)
        }
      })
    }
  return [...found].sort().flatMap((word) => {
    const syllables = toSyllables(word).flatMap((syllable) => ('other' in syllable ? [] : [syllable]))
    if (syllables.length !== [...word].length) return []
    const phonemes = syllables.flatMap(({ initial, final }) => [initial || 'Ø', final])
    return [{ word, phonemes, tones: syllables.flatMap(({ tone }) => [tone, tone]) }]
  })
}

const withTones = ({ phonemes, tones }: Entry) =>
  phonemes.map((phoneme, i) => (i % 2 ? `${phoneme}${tones[i]}` : phoneme))
const base = { model_type: 'vits', sample_rate: 16_000, language: 'Chinese' }
const letters = (phonemesOf: (letter: string) => string) =>
  [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `${letter} ${phonemesOf(letter)}\n`).join('')

/** One pack of each kind that the engine distinguishes. */
export function createPacks(mandarin: readonly string[], characters: readonly string[]) {
  const short = entriesOf(mandarin, { long: false })
  const long = entriesOf(mandarin, { long: true })
  const lines = (entries: readonly Entry[]) =>
    entries.map((entry) => `${entry.word} ${withTones(entry).join(' ')}\n`).join('')
  const symbols = long.flatMap(withTones)
  const packs: Record<string, PackFiles> = {
    // As in aishell3: silence at both ends, one kind of pause for all marks.
    aishell3: {
      metadata: { ...base, comment: 'aishell3', n_speakers: 1, punctuation: '， 。 ！ ？ 、 ； ： “ ” , . ! ?' },
      tokens: numberLines(['sil', 'eos', 'sp', '#0', '#1', ...symbols]),
      lexicon: lines(short),
    },
    // As in zh-hf-fanchen: its own marks, blanks between all ids.
    fanchen: {
      metadata: { ...base, comment: 'vits', n_speakers: 1, add_blank: 1, punctuation: ', . ! ? - … ~ ， 。 ！ ？' },
      tokens: numberLines(['_', ',', '.', '!', '?', '-', '，', '。', '！', '？', ' ', ...symbols]),
      lexicon: lines(short),
    },
    segmented: {
      metadata: { ...base, comment: 'vits', n_speakers: 1, add_blank: 1, jieba: 1 },
      tokens: numberLines(['_', '，', '。', '！', '？', '…', ...symbols]),
      lexicon: lines(long),
    },
    melo: {
      metadata: {
        ...base,
        model_type: 'melo-vits',
        comment: 'melo',
        language: 'Chinese + English',
        version: 2,
        n_speakers: 1,
        speaker_id: 1,
        add_blank: 1,
        jieba: 1,
      },
      tokens: numberLines([
        '_',
        ',',
        '.',
        '!',
        '?',
        '…',
        "'",
        '-',
        ...long.flatMap(({ phonemes }) => phonemes),
        'ey',
        'UNK',
      ]),
      lexicon:
        long.map(({ word, phonemes, tones }) => `${word} ${[...phonemes, ...tones].join(' ')}\n`).join('') +
        letters(() => 'ey 7'),
    },
    mms: {
      metadata: {
        ...base,
        comment: 'mms',
        language: 'eng',
        n_speakers: 1,
        add_blank: 1,
        frontend: 'characters',
        use_eos_bos: 0,
      },
      tokens: numberLines(
        [...new Set(characters.join('').toLowerCase())]
          .filter((character) => !/[,.;"१।ь]/.test(character))
          .map((c) => (c === ' ' ? '' : c)),
      ),
    },
    coqui: {
      metadata: {
        ...base,
        comment: 'coqui',
        language: 'English',
        n_speakers: 1,
        add_blank: 1,
        blank_id: 3,
        bos_id: 1,
        eos_id: 2,
        frontend: 'characters',
      },
      tokens: `<PAD> 0\n<BOS> 1\n<EOS> 2\n<BLNK> 3\n${[...'abcdefghijklmnopqrstuvwxyz.,:!?'].map((letter, i) => `${letter} ${i + 4}\n`).join('')}  40\n`,
    },
    english: {
      metadata: {
        ...base,
        comment: 'ljspeech',
        language: 'English',
        n_speakers: 1,
        add_blank: 1,
        punctuation: "; : , . ! ? ' -",
      },
      tokens: numberLines(['_', ';', ':', ',', '.', '!', '?', "'", '-', '', ...'abcdefghijklmnopqrstuvwxyz']),
      lexicon: [...new Set([...englishWords, 'unheard'])]
        .filter((word) => word !== 'unheard')
        .map((word) => `${word} ${[...word].join(' ')}\n`)
        .join(''),
    },
  }
  return packs
}
