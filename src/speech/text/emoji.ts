/**
 * Emoji: what one is (a joined family, a flag and a keycap are one each) and what it is called. Names are the CLDR
 * short names. Skin tones are not spoken: people do not say them.
 */
import { emojiNameLines } from './emoji-names' with { type: 'macro' }

const person = '\\p{Extended_Pictographic}[\\u{1F3FB}-\\u{1F3FF}\\uFE0F]{0,2}'
/** One whole emoji sequence. Bounded, so that an endless chain of joiners is several. */
export const emojiPattern =
  `\\p{RI}\\p{RI}|[#*0-9]\\uFE0F?\\u20E3|` +
  `${person}(?:[\\u{E0030}-\\u{E007A}]{1,8}\\u{E007F}|(?:\\u200D${person}){1,7})?`

const lines = { en: emojiNameLines('en'), zh: emojiNameLines('zh') }
const tables: { [language in keyof typeof lines]?: Map<string, string> } = {}

/** Made when the first emoji is met: most texts have none, and a start should not wait for it. */
function namesIn(language: keyof typeof lines): Map<string, string> {
  return (tables[language] ??= new Map(lines[language].split('\n').map((line) => line.split('\t') as [string, string])))
}

const emoji = new RegExp(emojiPattern, 'gu')

/** Puts `say(name)` in place of every emoji; one without a name goes, an unknown sequence is named part by part. */
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
