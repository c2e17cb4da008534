/**
 * Mandarin in the alphabets of Kokoro's models, from misaki (https://github.com/hexgrad/misaki):
 * - v1.0: IPA with arrows for tones, words separated by spaces, citation tones. `ZHG2P.legacy_call` of misaki/zh.py,
 * tables of misaki/transcription.py, which adapts https://github.com/stefantaubert/pinyin-to-ipa.
 * - v1.1-zh: Bopomofo and other characters, one per initial and final, digits for spoken tones, `R` for 儿, words
 * separated by `/`. misaki/zh_frontend.py, which adapts PaddleSpeech's frontend.
 * Interjections without a vowel (呣, 哼) have no symbol in misaki's table for v1.1-zh; they get the nearest ones here.
 */
import type { HanSyllable } from './syllable'

export type KokoroMandarin = '1.0' | '1.1-zh'

/** `word`: the word of the text; '' for marks and spaces. */
export type SpelledPiece = { readonly symbols: string; readonly word: string }

/**
 * `text`: a normalized text. `spellOther` transcribes a word in other letters to Kokoro's alphabet; spaces surround it.
 * The model reads the joined symbols of all pieces.
 */
export async function toKokoroMandarin(
  text: string,
  version: KokoroMandarin,
  spellOther: (word: string) => string | Promise<string>,
): Promise<SpelledPiece[]> {
  const { toSyllables } = await import('./pinyin')
  const pieces: SpelledPiece[] = []
  const add = (symbols: string, word = '') => {
    const before = pieces.at(-1)
    if (symbols === ' ' && (!before || before.symbols.endsWith(' '))) return
    if (symbols.startsWith(' ') && before?.symbols.endsWith(' ')) symbols = symbols.slice(1)
    if (symbols) pieces.push({ symbols, word })
  }
  for (const part of groupWords(toSyllables(text))) {
    if (typeof part !== 'string') {
      if (pieces.at(-1)?.word) add(version === '1.0' ? ' ' : '/')
      add(spellWord(part, version), part.map(({ hanzi }) => hanzi).join(''))
    } else if (/[\p{L}\p{N}]/u.test(part)) {
      const symbols = await spellOther(part)
      if (!symbols) continue
      add(' ')
      add(symbols, part)
      add(' ')
    } else add(marks[part] ?? part)
  }
  return withoutOuterBlanks(pieces)
}

function groupWords(syllables: readonly (HanSyllable | { other: string })[]): (HanSyllable[] | string)[] {
  const parts: (HanSyllable[] | string)[] = []
  for (const syllable of syllables) {
    const before = parts.at(-1)
    if ('other' in syllable) parts.push(syllable.other)
    else if (Array.isArray(before) && !syllable.wordStart) before.push(syllable)
    else parts.push([syllable])
  }
  return parts
}

/** Full-width marks as ASCII with a space, as in `map_punctuation` of misaki/zh.py. */
const marks: Readonly<Record<string, string>> = {
  '、': ', ',
  '，': ', ',
  '。': '. ',
  '．': '. ',
  '！': '! ',
  '：': ': ',
  '；': '; ',
  '？': '? ',
  '«': ' “',
  '»': '” ',
  '《': ' “',
  '》': '” ',
  '「': ' “',
  '」': '” ',
  '【': ' “',
  '】': '” ',
  '（': ' (',
  '）': ') ',
}

function withoutOuterBlanks(pieces: SpelledPiece[]): SpelledPiece[] {
  const edit = (at: number, change: (symbols: string) => string) =>
    pieces.map((piece, i) => (i === at ? { ...piece, symbols: change(piece.symbols) } : piece))
  pieces = edit(0, (symbols) => symbols.trimStart())
  pieces = edit(pieces.length - 1, (symbols) => symbols.trimEnd())
  return pieces.filter(({ symbols }) => symbols)
}

function spellWord(word: readonly HanSyllable[], version: KokoroMandarin): string {
  if (version === '1.0') return word.map(spellIpa).join('')
  return word
    .map((syllable, i) => (syllable.rhotic && i > 0 ? '' : spellBopomofo(syllable, word[i + 1]?.rhotic === true)))
    .join('')
}

const ipaInitials: Readonly<Record<string, string>> = {
  b: 'p',
  p: 'pʰ',
  m: 'm',
  f: 'f',
  d: 't',
  t: 'tʰ',
  n: 'n',
  l: 'l',
  g: 'k',
  k: 'kʰ',
  h: 'x',
  j: 'ʨ',
  q: 'ʨʰ',
  x: 'ɕ',
  zh: '\uAB67',
  ch: '\uAB67ʰ',
  sh: 'ʂ',
  r: 'ɻ',
  z: 'ʦ',
  c: 'ʦʰ',
  s: 's',
}

/**
 * `0` marks the position of the tone. The non-syllabic mark of a diphthong's second half is missing, because Kokoro
 * lacks it.
 */
const ipaFinals: Readonly<Record<string, string>> = {
  a: 'a0',
  ai: 'ai0',
  an: 'a0n',
  ang: 'a0ŋ',
  ao: 'au0',
  e: 'ɤ0',
  ei: 'ei0',
  en: 'ə0n',
  eng: 'ə0ŋ',
  i: 'i0',
  ia: 'ja0',
  ian: 'jɛ0n',
  iang: 'ja0ŋ',
  iao: 'jau0',
  ie: 'je0',
  in: 'i0n',
  iou: 'jou0',
  ing: 'i0ŋ',
  iong: 'jʊ0ŋ',
  ong: 'ʊ0ŋ',
  ou: 'ou0',
  u: 'u0',
  uei: 'wei0',
  ua: 'wa0',
  uai: 'wai0',
  uan: 'wa0n',
  uen: 'wə0n',
  uang: 'wa0ŋ',
  ueng: 'wə0ŋ',
  uo: 'wo0',
  o: 'wo0',
  v: 'y0',
  ve: 'ɥe0',
  van: 'ɥɛ0n',
  vn: 'y0n',
  er: 'ɚ0',
  io: 'jɔ0',
  ê: 'ɛ0',
  m: 'm0',
  n: 'n0',
  ng: 'ŋ0',
  hm: 'hm0',
  hng: 'hŋ0',
}

const arrows = ['', '→', '↗', '↓', '↘', ''] as const

function spellIpa({ initial, final, citationTone }: HanSyllable): string {
  const vowel =
    final === 'i' && /^(?:[zcs]h?|r)$/.test(initial) ? 'ɨ0' : final === 'o' && !initial ? 'ɔ0' : ipaFinals[final]!
  return `${ipaInitials[initial] ?? ''}${vowel.replace('0', arrows[citationTone])}`
}

const bopomofoInitials: Readonly<Record<string, string>> = {
  b: 'ㄅ',
  p: 'ㄆ',
  m: 'ㄇ',
  f: 'ㄈ',
  d: 'ㄉ',
  t: 'ㄊ',
  n: 'ㄋ',
  l: 'ㄌ',
  g: 'ㄍ',
  k: 'ㄎ',
  h: 'ㄏ',
  j: 'ㄐ',
  q: 'ㄑ',
  x: 'ㄒ',
  zh: 'ㄓ',
  ch: 'ㄔ',
  sh: 'ㄕ',
  r: 'ㄖ',
  z: 'ㄗ',
  c: 'ㄘ',
  s: 'ㄙ',
}

const bopomofoFinals: Readonly<Record<string, string>> = {
  a: 'ㄚ',
  o: 'ㄛ',
  e: 'ㄜ',
  ie: 'ㄝ',
  ai: 'ㄞ',
  ei: 'ㄟ',
  ao: 'ㄠ',
  ou: 'ㄡ',
  an: 'ㄢ',
  en: 'ㄣ',
  ang: 'ㄤ',
  eng: 'ㄥ',
  er: 'ㄦ',
  i: 'ㄧ',
  u: 'ㄨ',
  v: 'ㄩ',
  ve: '月',
  ia: '压',
  ian: '言',
  iang: '阳',
  iao: '要',
  in: '阴',
  ing: '应',
  iong: '用',
  iou: '又',
  ong: '中',
  ua: '穵',
  uai: '外',
  uan: '万',
  uang: '王',
  uei: '为',
  uen: '文',
  ueng: '瓮',
  uo: '我',
  van: '元',
  vn: '云',
  io: 'ㄧㄛ',
  ê: 'ㄟ',
  m: 'ㄇ',
  n: 'ㄣ',
  ng: 'ㄥ',
  hm: 'ㄏㄇ',
  hng: 'ㄏㄥ',
}

/** `rhotic`: whether 儿 colors the syllable; 歌儿 then sounds like 儿 itself. */
function spellBopomofo({ initial, final, tone }: HanSyllable, rhotic: boolean): string {
  const vowel =
    final === 'i' && /^[zcs]$/.test(initial)
      ? 'ㄭ'
      : final === 'i' && /^(?:[zcs]h|r)$/.test(initial)
        ? '十'
        : bopomofoFinals[final]!
  const coloured = !rhotic ? vowel : initial && final === 'e' ? 'ㄦ' : `${vowel}R`
  return `${bopomofoInitials[initial] ?? ''}${coloured}${tone}`
}
