/**
 * A Bun macro that runs while bundling. The Unicode CLDR emoji lists weigh a megabyte; only `emoji name` pairs reach
 * the executable.
 */
import en from 'emojibase-data/en/compact.json'
import zh from 'emojibase-data/zh/compact.json'

const lists = { en, zh }

/** One `emoji TAB name` per line. The emoji carry no variation selectors. */
export function emojiNameLines(language: keyof typeof lists): string {
  return lists[language].map(({ unicode, label }) => `${unicode.replaceAll('\uFE0F', '')}\t${label}`).join('\n')
}
