/**
 * Emoji: the pattern of one sequence (a joined family, a flag and a keycap are one each) and its name, the CLDR short
 * name. Skin tones are not spoken, because people do not say them.
 */
import { emojiNameLines } from './emoji-names' with { type: 'macro' }

const person = '\\p{Extended_Pictographic}[\\u{1F3FB}-\\u{1F3FF}\\uFE0F]{0,2}'
/** One whole emoji sequence. Its length is bounded, so an endless chain of joiners is several sequences. */
export const emojiPattern =
  `\\p{RI}\\p{RI}|[#*0-9]\\uFE0F?\\u20E3|` +
  `${person}(?:[\\u{E0030}-\\u{E007A}]{1,8}\\u{E007F}|(?:\\u200D${person}){1,7})?`

const lines = { en: emojiNameLines('en'), zh: emojiNameLines('zh') }
const tables: { [language in keyof typeof lines]?: Map<string, string> } = {}

/** Builds the table on first use, because most texts have no emoji and it would slow the start. */
function namesIn(language: keyof typeof lines): Map<string, string> {
  return (tables[language] ??= new Map(lines[language].split('\n').map((line) => line.split('\t') as [string, string])))
}

const emoji = new RegExp(emojiPattern, 'gu')

/** Replaces every emoji by `say(name)`. Removes emoji without a name; names unknown sequences part by part. */
export function nameEmoji(text: string, language: keyof typeof lines, say: (name: string) => string): string {
  const table = namesIn(language)
  return text.replace(emoji, (sequence) => {
    const key = sequence.replace(/[\u{1F3FB}-\u{1F3FF}\uFE0F]/gu, '')
    const whole = table.get(key)
    if (whole !== undefined) return say(whole)
    return key
      .split('\u200D')
      .map((part) => table.get(part))
      .map((name) => (name === undefined ? ' ' : say(name)))
      .join('')
  })
}
