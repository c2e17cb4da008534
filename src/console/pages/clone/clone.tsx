/** The page on which a voice is cloned: the recording, its name, the right to it, and then the voice. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { api, ApiError, dataOf } from '../../client/client'
import { useLoad } from '../../client/load'
import { useQuery } from '../../client/query'
import { formatLanguage, formatNumber } from '../../format'
import { at } from '../../installation'
import { LinkButton } from '../../parts/button'
import { sayError } from '../../parts/errors'
import { CheckField, Form, SelectField, TextField } from '../../parts/form'
import { Card, Page } from '../../parts/page'
import { toast } from '../../parts/toast'
import { language as shown, words } from '../../words/words'
import type { Voice } from '../voices/filters'
import { Made } from './made'
import { Progress } from './progress'
import { hashOf, partOf, type Recording } from './recording'
import { precheck, sendClone, unknownHash, type Cloned, type Source as Sent, type Stage } from './send'
import { Source, useOrigin } from './source'

export default function Clone() {
  const { clone, voices } = words.value
  const list = useLoad(() => dataOf(api.GET('/api/v1/voices')), [])
  const [madeId, setMadeId] = useQuery('made')
  const [cloned, setCloned] = useState<Cloned>()
  const known = cloned?.voice.id === madeId ? cloned.voice : list.data?.voices.find(({ id }) => id === madeId)
  return (
    <Page title={voices.clone} lead={madeId && known ? undefined : clone.lead}>
      {madeId && (known || list.isLoading) ? (
        known && <Made voice={known} cloned={cloned} onAnother={() => setMadeId('')} />
      ) : (
        <div class="clone">
          <CloneForm
            of={list.data?.voices ?? []}
            onCloned={(made) => {
              setCloned(made)
              setMadeId(made.voice.id)
            }}
          />
          <Hints />
        </div>
      )}
    </Page>
  )
}

function Hints() {
  const { clone } = words.value
  return (
    <Card title={clone.hintsTitle}>
      <ul class="advice">
        {Object.values(clone.hints).map((hint) => (
          <li key={hint}>{hint}</li>
        ))}
      </ul>
      <p class="small faint">{clone.kept}</p>
    </Card>
  )
}

type FormProps = { readonly of: readonly Voice[]; readonly onCloned: (cloned: Cloned) => void }

function CloneForm({ of, onCloned }: FormProps) {
  const { clone, common } = words.value
  const languages = useMemo(() => languagesOf(of), [of, shown.value])
  const draft = useDraft(languages)
  const { name, language, isRightful } = draft
  const price = usePrice(draft.part)
  const { stage, refusal, submit, cancel } = useSending(draft, onCloned)
  const missing = missingOf(draft, price)
  return (
    <Card>
      <Form
        action={clone.action}
        fields={['name', 'language', 'file', 'url']}
        isDisabled={missing.length > 0}
        onSubmit={submit}
      >
        <fieldset class="steps" disabled={stage !== undefined}>
          <section class="step">
            <h2>{clone.step1}</h2>
            <Source
              choice={draft}
              fault={sayFault(draft, refusal)}
              onRecording={draft.choose}
              onStart={draft.setStart}
              onUrl={draft.setUrl}
            />
          </section>
          <section class="step">
            <h2>{clone.step2}</h2>
            <div class="pair">
              <TextField
                label={clone.name}
                name="name"
                autocomplete="off"
                fault={name !== '' && !isName(name) ? clone.nameFault : undefined}
                hint={clone.nameHint}
                value={name}
                onValue={draft.setName}
              />
              <SelectField
                label={clone.language}
                name="language"
                hint={clone.languageHint}
                value={language}
                onValue={draft.setLanguage}
                options={[{ value: '', label: clone.languageByName }, ...languages]}
              />
            </div>
          </section>
          <section class="step">
            <h2>{clone.step3}</h2>
            <CheckField label={clone.right} isChecked={isRightful} onCheck={draft.setRightful} />
            <PriceNote {...price} />
          </section>
        </fieldset>
        {stage && <Progress stage={stage} onCancel={cancel} />}
        {!stage && missing.length > 0 && (
          <p class="small faint">
            {clone.missing} {missing.join(common.listSeparator)}
          </p>
        )}
      </Form>
    </Card>
  )
}

type Draft = ReturnType<typeof useDraft>

function useDraft(languages: readonly { readonly value: string }[]) {
  const [origin] = useOrigin()
  const [recording, setRecording] = useState<Recording>()
  const [startSeconds, setStart] = useState(0)
  const settledSeconds = useSettled(startSeconds)
  const part = useMemo(() => recording && partOf(recording, settledSeconds), [recording, settledSeconds])
  const [url, setUrl] = useState('')
  const [name, setName] = useState('')
  const [language, setLanguage] = useState('')
  const [isRightful, setRightful] = useState(false)
  /** The name that the last file gave; the name of another file replaces it. */
  const [givenName, setGivenName] = useState('')

  function choose(chosen: Recording | undefined): void {
    setRecording(chosen)
    setStart(0)
    if (chosen && !(chosen.file instanceof File)) {
      // The text to read aloud is in the language of the page.
      if (language === '' && languages.some(({ value }) => value === shown.value)) setLanguage(shown.value)
      return
    }
    if (!chosen || name !== givenName) return
    setName(nameFrom(chosen.name))
    setGivenName(nameFrom(chosen.name))
  }

  // A file can be chosen again; what was spoken cannot.
  useLeavingQuestion(recording !== undefined && !(recording.file instanceof File))

  const draft = { origin, recording, part, startSeconds, url, name, language, isRightful }
  return { ...draft, setStart, choose, setUrl, setName, setLanguage, setRightful }
}

/** Lets the browser ask before the page is closed or loaded again. */
function useLeavingQuestion(isAsked: boolean): void {
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

const isName = (name: string): boolean => {
  const trimmed = name.trim()
  return trimmed !== '' && [...trimmed].length <= nameCharactersMax && trimmed.search(forbidden) === -1
}

/** A name for the voice from the name of its file. */
const nameFrom = (fileName: string): string =>
  [...fileName.replace(/\.[^.]*$/, '').replace(forbidden, ' ')].slice(0, nameCharactersMax).join('').trim()

function sayFault({ recording, url, origin }: Draft, refusal: ApiError | undefined): string | undefined {
  const { clone } = words.value
  if (refusal) return refusal.code === 'invalid_params' ? refusal.message : sayError(refusal)
  if (origin === 'address') return isBegun(url) || isAddress(url) ? undefined : clone.faults.address
  return recording?.fault && clone.faults[recording.fault]
}

/** Whether the beginning of an address has been typed, as far as it goes. */
const isBegun = (url: string): boolean => ['https://', 'http://'].some((beginning) => beginning.startsWith(url.trim()))

const isAddress = (url: string): boolean => /^https?:\/\/[^\s/]+/i.test(url.trim())

/** The steps that are still to be done, in words. */
function missingOf({ origin, recording, url, name, isRightful }: Draft, price: Price): string[] {
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

const languagesOf = (voices: readonly Voice[]) => {
  const known = new Set(voices.flatMap(({ language, owned }) => (owned ? [] : language.split('-')[0]!)))
  return [...known]
    .map((value) => ({ value, label: formatLanguage(value) }))
    .sort((a, b) => a.label.localeCompare(b.label, shown.value))
}

type Price = {
  readonly units: number | undefined
  readonly balance: number | undefined
  /** The account's voice that was made from the same file. */
  readonly own: string | undefined
}

/** The price of a clone of this file, or of a new one. */
function usePrice(part: Blob | undefined): Price {
  const balance = useLoad(() => dataOf(api.GET('/api/v1/balance')), [])
  const checked = useLoad(async () => precheck((part && (await hashOf(part))) ?? unknownHash), [part])
  return {
    units: checked.data?.fee_units,
    balance: balance.data?.balance,
    own: checked.data?.own_voice?.display_name,
  }
}

function PriceNote({ units, balance, own }: Price) {
  const { clone, navigation } = words.value
  if (own !== undefined) return <p class="note good">{clone.isOwn(own)}</p>
  if (units === undefined || balance === undefined) return null
  return (
    <div class={units > balance ? 'note warn' : 'price'}>
      <p>{clone.price(formatNumber(units), formatNumber(balance))}</p>
      {units > balance && <LinkButton href={at('/balance')}>{navigation.balance}</LinkButton>}
    </div>
  )
}

const withMessage = ({ code, status, requestId, retryAfterSeconds }: ApiError, message: string, param?: string) =>
  new ApiError(code, message, status, param, requestId, retryAfterSeconds)

/** Refusals of the recording; they stand beside it. */
const ofRecording = new Set(['file', 'url', 'hash'])

function useSending(
  { origin, recording, startSeconds, url, name, language }: Draft,
  onCloned: (cloned: Cloned) => void,
) {
  const [stage, setStage] = useState<Stage>()
  const [failure, setFailure] = useState<{ error: ApiError; of: unknown }>()
  const controller = useRef<AbortController>(undefined)
  const isGone = useGone()
  // A refusal belongs to the recording that was refused.
  const sent = origin === 'address' ? url : recording

  async function submit(): Promise<void> {
    const { signal } = (controller.current = new AbortController())
    setFailure(undefined)
    const source: Sent =
      origin === 'address' ? { url: url.trim() } : { file: partOf(recording!, startSeconds), name: recording!.name }
    try {
      const fields = { name: name.trim(), ...(language !== '' && { language }) }
      const cloned = await sendClone(source, fields, { onStage: setStage, signal })
      if (isGone.current) toast(words.peek().clone.ready(cloned.voice.display_name))
      else onCloned(cloned)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof ApiError)) throw error
      if (isGone.current) return toast(sayError(error), 'bad')
      if (error.code === 'conflict') throw withMessage(error, words.peek().clone.tooMany)
      if (error.param === undefined || !ofRecording.has(error.param)) throw error
      setFailure({ error, of: sent })
      throw withMessage(error, error.message, 'file')
    } finally {
      setStage(undefined)
    }
  }

  return {
    stage,
    refusal: failure?.of === sent ? failure?.error : undefined,
    submit,
    cancel: () => controller.current?.abort(),
  }
}

/** Whether the page has been left; what was sent goes on. */
function useGone(): { readonly current: boolean } {
  const isGone = useRef(false)
  useEffect(() => () => void (isGone.current = true), [])
  return isGone
}
