/** The words of the console in the reader's language. */
import { computed, effect, signal } from '@preact/signals'
import { en } from './en'
import { zh } from './zh'

export type Language = 'en' | 'zh'

/** Strings stay strings and functions keep their parameters; the values may differ. */
type Translated<Value> = Value extends string
  ? string
  : Value extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof Value]: Translated<Value[Key]> }

export type Words = Translated<typeof en>

const dictionaries: Record<Language, Words> = { en, zh }
const storageKey = 'sonant-language'

function chosen(): Language {
  const stored = localStorage.getItem(storageKey)
  if (stored === 'en' || stored === 'zh') return stored
  return navigator.languages.find((tag) => /^(en|zh)\b/.test(tag))?.startsWith('zh') ? 'zh' : 'en'
}

export const language = signal<Language>(chosen())
export const words = computed<Words>(() => dictionaries[language.value])

effect(() => {
  document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en'
})

export function chooseLanguage(next: Language): void {
  language.value = next
  localStorage.setItem(storageKey, next)
}
