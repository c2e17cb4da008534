/** Language tags (BCP 47). */

/** `zh-CN` → `zh`. */
export function baseLanguage(language: string): string {
  return language.split('-')[0]!.toLowerCase()
}

/** Language of a recording without a stated language. */
export const languageByDefault = 'en'

const syllabic: ReadonlySet<string> = new Set(['zh', 'cmn', 'yue', 'ja', 'ko'])

/** Whether one character of the language is a syllable or a word. */
export function isSyllabic(language: string): boolean {
  return syllabic.has(baseLanguage(language))
}
