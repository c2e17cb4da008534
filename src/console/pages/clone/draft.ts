/** The form of a new clone as far as it is filled in, its faults, and the steps that are still to be done. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ApiError } from '../../client/client'
import { formatLanguage } from '../../format'
import { sayError } from '../../parts/errors'
import { language as shown, words } from '../../words/words'
import type { Voice } from '../voices/filters'
import type { Price } from './price'
import { partOf, type Recording } from './recording'
import { useOrigin } from './source'

type Chosen = { readonly recording: Recording | undefined; readonly startSeconds: number }
const none: Chosen = { recording: undefined, startSeconds: 0 }

export type Draft = ReturnType<typeof useDraft>

export function useDraft(languages: readonly { readonly value: string }[]) {
  const [origin] = useOrigin()
  const [chosen, setChosen] = useState<Chosen>(none)
  const { recording, startSeconds } = chosen
  const settled = useSettled(chosen)
  const settledSeconds = settled.recording === recording ? settled.startSeconds : startSeconds
  const part = useMemo(() => recording && partOf(recording, settledSeconds), [recording, settledSeconds])
  const [url, setUrl] = useState('')
  const [name, setName] = useState('')
  const [language, setLanguage] = useState('')
  const [isRightful, setRightful] = useState(false)
  /** The name that the last file gave; the name of another file replaces it. */
  const [givenName, setGivenName] = useState('')

  function choose(next: Recording | undefined): void {
    setChosen({ recording: next, startSeconds: 0 })
    if (next && !(next.file instanceof File)) {
      // The text to read aloud is in the language of the page.
      if (language === '' && languages.some(({ value }) => value === shown.value)) setLanguage(shown.value)
      return
    }
    if (!next || name !== givenName) return
    setName(nameFrom(next.name))
    setGivenName(nameFrom(next.name))
  }

  const draft = { origin, recording, part, startSeconds, url, name, language, isRightful }
  const setStart = (seconds: number) => setChosen({ recording, startSeconds: seconds })
  return { ...draft, setStart, choose, setUrl, setName, setLanguage, setRightful }
}

/** Lets the browser ask before the page is closed or loaded again. */
export function useLeavingQuestion(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isAsked])
}

const settlesMs = 200

/** The value once it has not changed for a moment: a slider on its way says many. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settlesMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

const nameCharactersMax = 64
const forbidden = /[\\/:*?"<>|\p{Cc}]/gu

export const isName = (name: string): boolean => {
  const trimmed = name.trim()
  return trimmed !== '' && [...trimmed].length <= nameCharactersMax && trimmed.search(forbidden) === -1
}

/** A name for the voice from the name of its file. */
const nameFrom = (fileName: string): string =>
  [...fileName.replace(/\.[^.]*$/, '').replace(forbidden, ' ')].slice(0, nameCharactersMax).join('').trim()

export function sayFault({ recording, url, origin }: Draft, refusal: ApiError | undefined): string | undefined {
  const { clone } = words.value
  if (refusal) return refusal.code === 'invalid_params' ? refusal.message : sayError(refusal)
  if (origin === 'address') return isBegun(url) || isAddress(url) ? undefined : clone.faults.address
  return recording?.fault && clone.faults[recording.fault]
}

/** Whether the beginning of an address has been typed, as far as it goes. */
const isBegun = (url: string): boolean => ['https://', 'http://'].some((beginning) => beginning.startsWith(url.trim()))

const isAddress = (url: string): boolean => /^https?:\/\/[^\s/]+/i.test(url.trim())

/** The steps that are still to be done, in words. */
export function missingOf({ origin, recording, url, name, isRightful }: Draft, price: Price): string[] {
  const { needs } = words.value.clone
  const hasSource = origin === 'address' ? isAddress(url) : recording !== undefined && !recording.fault
  const isTooDear = price.units !== undefined && price.balance !== undefined && price.units > price.balance
  return [
    hasSource ? '' : needs.recording,
    isName(name) ? '' : needs.name,
    isRightful ? '' : needs.right,
    isTooDear && !price.own ? needs.balance : '',
  ].filter(Boolean)
}

export const languagesOf = (voices: readonly Voice[]) => {
  const known = new Set(voices.flatMap(({ language, owned }) => (owned ? [] : language.split('-')[0]!)))
  return [...known]
    .map((value) => ({ value, label: formatLanguage(value) }))
    .sort((a, b) => a.label.localeCompare(b.label, shown.value))
}
