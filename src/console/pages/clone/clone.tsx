/** The page on which a voice is cloned: the recording, its name, the right to it, and then the voice. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { api, ApiError, dataOf } from '../../client/client'
import { useLoad } from '../../client/load'
import { useQuery } from '../../client/query'
import { sayError } from '../../parts/errors'
import { CheckField, Form, SelectField, TextField } from '../../parts/form'
import { Card, Page } from '../../parts/page'
import { Skeleton } from '../../parts/states'
import { toast } from '../../parts/toast'
import { language as shown, words } from '../../words/words'
import type { Voice } from '../voices/filters'
import { isName, languagesOf, missingOf, sayFault, useDraft, useLeavingQuestion, type Draft } from './draft'
import { Made } from './made'
import { PriceNote, usePrice } from './price'
import { Progress } from './progress'
import { partOf } from './recording'
import { sendClone, type Cloned, type Source as Sent, type Stage } from './send'
import { Source } from './source'

export default function Clone() {
  const { clone, voices } = words.value
  const list = useLoad(() => dataOf(api.GET('/api/v1/voices')), [])
  const [madeId, setMadeId] = useQuery('made')
  const [cloned, setCloned] = useState<Cloned>()
  const known = cloned?.voice.id === madeId ? cloned.voice : list.data?.voices.find(({ id }) => id === madeId)
  return (
    <Page title={voices.clone} lead={madeId && known ? undefined : clone.lead}>
      {madeId && (known || list.isLoading) ? (
        known ? (
          <Made voice={known} cloned={cloned} onAnother={() => setMadeId('')} />
        ) : (
          <Skeleton />
        )
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
  // A file can be chosen again; what was spoken cannot.
  const isSpoken = draft.recording !== undefined && !(draft.recording.file instanceof File)
  useLeavingQuestion(isSpoken || stage !== undefined)
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
              isDisabled={stage !== undefined}
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
