/**
 * Runs while bundling (a Bun macro): of the megabyte that the Unicode CLDR emoji lists weigh, only `emoji name` pairs
 * reach the executable.
 */
import en from 'emojibase-data/en/compact.json'
import zh from 'emojibase-data/zh/compact.json'

const lists = { en, zh }

/** One `emoji TAB name` per line. The emoji carry no variation selectors. */
export function emojiNameLines(language: keyof typeof lists): string {
  return lists[language].map(({ unicode, label }) => `${unicode.replaceAll('\uFE0F', '')}\t${label}`).join('\n')
}
