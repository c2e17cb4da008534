/**
 * The first step: cleans pasted text for the later steps. It knows no language. It removes no letter or digit, except
 * from the unpronounceable runs listed below.
 *
 * Rules:
 * - Markup is text. `<b>hi</b>` keeps its words, the brackets become pauses ("b, hi, b"). A bracket between operands
 *   (`3 < 5`, `x<5`) stays for the normalizer to read.
 * - Markdown marks are removed (`**bold**`, `# heading`, `- item`, backquotes). A link keeps text and address.
 * - The same mark or emoji stands at most three times. A decorative line (`-----`, `=====`) becomes a dash.
 * - A run of mixed marks (`?!?!`, `!?.,;:`) becomes the strongest one in it.
 * - Spaces cut words over 60 letters, because engines slow down or stop on endless words.
 */
import { emojiPattern } from './emoji'

/** The letters of scripts in which ZWJ and ZWNJ change the spelling. */
const joining =
  '[\\p{scx=Arab}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}' +
  '\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}]'
/** Matches whole emoji first, so that only invisible characters outside of emoji are dropped. Group 1 is kept. */
const invisible = new RegExp(
  `(${emojiPattern}|(?<=${joining})[\\u200C\\u200D](?=${joining}))|` +
    '[\\0-\\x08\\x0E-\\x1F\\x7F-\\x84\\x86-\\x9F\\p{Cf}\\p{Co}\\p{Cn}\\uFFFC\\uFFFD\\u034F\\u115F\\u1160\\u3164\\uFFA0' +
    '\\u180B-\\u180F\\uFE00-\\uFE0F\\u{1F3FB}-\\u{1F3FF}\\u{E0100}-\\u{E01EF}]',
  'gu',
)

/** Full-width, circled, mathematical, ligature, presentation and squared forms of ordinary letters and digits. */
const compatibility =
  /[\uFF02-\uFF07\uFF0A\uFF0B\uFF0D-\uFF19\uFF1C-\uFF1E\uFF20-\uFF3A\uFF3C\uFF3E\uFF3F\uFF41-\uFF5A\uFF5C\uFF5E\uFF61-\uFF9F\u{1D400}-\u{1D7FF}\u2080-\u2089\u2460-\u24FF\u{1F100}-\u{1F16B}\uFB00-\uFDFB\uFE70-\uFEFC\u2160-\u217F\u3250-\u33FF\u203C\u2047-\u2049]/gu

/** The zero of each script's decimal digits; the nine others follow it in Unicode. */
const digitZeros = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
  0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1b50,
]
const asciiDigits = new Map(
  digitZeros.flatMap((zero) =>
    Array.from({ length: 10 }, (_, digit): [string, string] => [String.fromCodePoint(zero + digit), String(digit)]),
  ),
)

/** Sentence marks, strongest first. The strongest replaces a mixed run. */
const strongest = ['?', '？', '!', '！', '…', '.', '。', ';', '；', ':', '：', ',', '，', '、']

export function cleanText(text: string): string {
  return tidyLines(tidyMarks(tidyMarkup(tidyCharacters(text)))).trim()
}

function tidyCharacters(text: string): string {
  return (
    text
      .toWellFormed()
      .normalize('NFC')
      .replace(invisible, (_, kept?: string) => kept?.replace(/[\u{1F3FB}-\u{1F3FF}]/gu, '') ?? '')
      .replace(/(?<=\d)(?=[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])/g, ' ')
      .replace(/[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]/g, (fraction) => fraction.normalize('NFKC'))
      // These ligatures expand to whole phrases of up to 18 letters.
      .replace(/([\uFDF0-\uFDFB])(?: ?\1){3,}/g, '$1$1$1')
      .replace(compatibility, (form) => form.normalize('NFKC'))
      .replaceAll('⁄', '/')
      .replace(/\p{Nd}/gu, (digit) => asciiDigits.get(digit) ?? digit)
      .replace(/(?<=\p{Script=Latn})(\p{M}{2})\p{M}+/gu, '$1')
      .replace(/(\p{M}{4})\p{M}+/gu, '$1')
      .replace(/\r\n?|[\x85\u2028\u2029]/g, '\n')
      .replace(/[\t\v\f\p{Zs}\u2800]+/gu, ' ')
      .replace(/ ?\n ?/g, '\n')
  )
}

function tidyMarkup(text: string): string {
  return (
    text
      .replace(/^(?:#{1,6} |[-*+•‣◦] |> ?)/gm, '')
      .replace(/`+|~~+/g, ' ')
      .replace(/(?<![\p{L}\p{N}_])_{1,2}(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}.,!?])_{1,2}(?![\p{L}\p{N}_])/gu, '')
      .replace(/(?<=[\p{L}\p{P}])\*{2,3}|\*{2,3}(?=[\p{L}\p{P}])/gu, '')
      .replace(/(?<![\p{L}\p{N}*])\*(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}.,!?])\*(?![\p{L}\p{N}*])/gu, '')
      .replace(/\[{2,}|\]{2,}/g, (run) => run[0]!)
      // The normalizers read arrows as "to".
      .replace(/<?[-=]{1,3}>/g, '→')
      .replace(/<\/?|\/?>/g, (bracket, at: number, whole: string) =>
        isOperator(whole, at, bracket.length) ? bracket : ', ',
      )
      .replace(/^(?:, )+/gm, '')
      .replace(/, (?:, )+/g, ', ')
  )
}

/** Whether a digit stands on at least one side, or a space on both: `x<5`, `a < b`. */
function isOperator(text: string, at: number, length: number): boolean {
  const before = text[at - 1] ?? ''
  const after = text[at + length] ?? ''
  return /\d/.test(before) || /\d/.test(after) || (before === ' ' && after === ' ')
}

const repeatedMark = new RegExp(`(${emojiPattern}|[\\p{P}\\p{S}])(?: ?\\1){3,}`, 'gu')

function tidyMarks(text: string): string {
  return text
    .replace(/\.{2,}|。{2,}|…{2,}|(?:\. ){2,}\./g, '…')
    .replace(/[-–—_=*~#+|\\/^<>•·]{3,}/g, ' — ')
    .replace(/([$€£¥￥%&@^\\|])\1+/g, '$1')
    .replace(/(?:[!?.,;:…！？。；：，、] ?){3,}|(?:[!?！？] ?){2,}/g, (run) => {
      const mark = strongest.find((candidate) => run.includes(candidate))!
      return run.endsWith(' ') ? `${mark} ` : mark
    })
    .replace(repeatedMark, '$1$1$1')
}

function tidyLines(text: string): string {
  return text
    .replace(longWord, (word) => (/^\d+$/.test(word) ? word : word.replace(/.{60}/gu, '$& ')))
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
}

/** Excludes Han, kana, Thai and other scripts without spaces, where the length of a run means nothing. */
const longWord =
  /[[\p{L}\p{M}\p{Nd}]--[\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Thai}\p{Script=Laoo}\p{Script=Khmr}\p{Script=Mymr}\p{Script=Tibt}ー]]{61,}/gv
