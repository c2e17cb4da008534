/** Language tags (BCP 47), as far as the speech room reads them. */

/** `zh-CN` → `zh`. */
export function baseLanguage(language: string): string {
  return language.split('-')[0]!.toLowerCase()
}

/** Of a recording of which nobody said it. */
export const languageByDefault = 'en'
