/** Language tags (BCP 47). */

/** `zh-CN` → `zh`. */
export function baseLanguage(language: string): string {
  return language.split('-')[0]!.toLowerCase()
}

/** Language of a recording without a stated language. */
export const languageByDefault = 'en'
