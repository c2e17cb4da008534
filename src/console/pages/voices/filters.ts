/** Which voices the page shows: the filters, which stand in the address, and their options. */
import { useLocation } from 'preact-iso'
import type { Schema } from '../../client/client'
import { useQuery } from '../../client/query'
import { formatLanguage } from '../../format'
import { matchWords } from '../../parts/match-words'
import { language as shown, words } from '../../words/words'

export type Voice = Schema<'Voice'>

const baseOf = (tag: string) => tag.split('-')[0]!

/** Engines as their authors write them. */
const engineNames: Readonly<Record<string, string>> = {
  espeak: 'eSpeak NG',
  flite: 'Flite',
  hibari: 'Hibari',
  kitten: 'KittenTTS',
  kokoro: 'Kokoro',
  piper: 'Piper',
  vits: 'VITS',
}
export const engineName = (engine: string): string => engineNames[engine] ?? engine

export function sayGender(gender: Voice['gender']): string {
  const { voices } = words.value
  return gender === null ? voices.genderUnknown : voices[gender]
}

export function useFilters() {
  const [search, setSearch] = useQuery('q')
  const [language, setLanguage] = useQuery('language')
  const [gender, setGender] = useQuery('gender')
  const [engine, setEngine] = useQuery('engine')
  const [whose, setWhose] = useQuery('whose')
  const { path, route } = useLocation()
  const values = [search, language, gender, engine, whose]
  const isSet = values.some((value) => value !== '')
  /** Other filters, other key. */
  const key = JSON.stringify(values)
  const clear = () => route(path, true)
  return {
    clear,
    isSet,
    key,
    whose,
    setWhose,
    search,
    setSearch,
    language,
    setLanguage,
    gender,
    setGender,
    engine,
    setEngine,
  }
}

export type Filters = Pick<ReturnType<typeof useFilters>, 'search' | 'language' | 'gender' | 'engine' | 'whose'>

function remembering(of: (key: string) => string): (key: string) => string {
  const known = new Map<string, string>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, (value = of(key)))
    return value
  }
}

/** Every word of the search occurs in the name, the id, the language or the description. */
export function filterVoices(voices: readonly Voice[], { search, language, gender, engine, whose }: Filters): Voice[] {
  const nameOf = remembering(formatLanguage)
  const matches = matchWords(search)
  return voices.filter((voice) => {
    if (whose !== '' && whose !== (voice.owned ? 'own' : 'catalogue')) return false
    if (language !== '' && baseOf(voice.language) !== language) return false
    if (gender !== '' && String(voice.gender) !== gender) return false
    if (engine !== '' && voice.engine !== engine) return false
    const { id, display_name: name, description } = voice
    return search === '' || matches(name, id, voice.language, nameOf(voice.language), description)
  })
}

type Option = { readonly value: string; readonly label: string }

/** The values that occur, each with its name, and before them the choice of all. */
export function optionsOf(voices: readonly Voice[]): Record<'language' | 'gender' | 'engine', Option[]> {
  const all = { value: '', label: words.value.common.all }
  const list = (values: readonly string[], nameOf: (value: string) => string): Option[] => {
    const options = [...new Set(values)].map((value) => ({ value, label: nameOf(value) }))
    return [all, ...options.sort((a, b) => a.label.localeCompare(b.label, shown.value))]
  }
  return {
    language: list(
      voices.map(({ language }) => baseOf(language)),
      formatLanguage,
    ),
    gender: list(
      voices.map(({ gender }) => String(gender)),
      (value) => sayGender(value === 'null' ? null : (value as Voice['gender'])),
    ),
    engine: list(
      voices.flatMap(({ engine }) => engine ?? []),
      engineName,
    ),
  }
}
