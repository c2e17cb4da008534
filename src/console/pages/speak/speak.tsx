/** The playground: a text, a voice, and the takes of this session. */
import { ChevronDown } from 'lucide'
import { useLocation } from 'preact-iso'
import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import { api, dataOf } from '../../client/client'
import { useLoad, usePoll } from '../../client/load'
import { useSignedIn } from '../../client/session'
import { formatDecimal } from '../../format'
import { ErrorNote } from '../../parts/errors'
import { Icon } from '../../parts/icon'
import { ListenButton } from '../../parts/listen'
import { Page } from '../../parts/page'
import { Skeleton } from '../../parts/states'
import { Segments } from '../../parts/segments'
import { words } from '../../words/words'
import { Composer } from './composer'
import { changeDraft, draft, openDraft, speedMax, speedMin, type Format } from './draft'
import { sampleText } from './sample-texts'
import { TakeCard } from './take-card'
import { openTakes, remaining, runningTake, speak as begin, takes, type Take } from './takes'
import { describeVoice, VoicePicker, type Voice } from './voice-picker'

const balancePollMs = 60_000

export default function Speak() {
  const { speak, navigation } = words.value
  const { person } = useSignedIn()
  useMemo(() => {
    openDraft(person.id)
    openTakes(person.id)
  }, [person.id])
  useChosenVoice()
  const voices = useLoad(() => dataOf(api.GET('/api/v1/voices')), [])
  const balance = useBalance()
  const { text: written, voiceId, speed, format } = draft.value
  const list = voices.data?.voices
  const voice = list?.find(({ id }) => id === voiceId) ?? list?.[0]
  const text = written ?? (list || voices.error ? sampleText(voice?.language) : '')
  const running = runningTake()

  function useAgain({ text, voice, speed, format }: Take): void {
    changeDraft({ text, voiceId: voice.id, speed, format })
    scrollTo({ top: 0, behavior: 'smooth' })
    document.querySelector<HTMLElement>('.composer textarea')?.focus({ preventScroll: true })
  }
  const obstacle = voice ? undefined : list ? speak.noVoice : voices.error ? speak.noVoices : words.value.common.loading
  const [newest, ...earlier] = takes.value
  return (
    <Page title={navigation.speak} lead={speak.lead}>
      <div class="desk">
        <Composer
          text={text}
          onText={(text) => changeDraft({ text })}
          balance={balance}
          isBusy={running !== undefined}
          obstacle={obstacle}
          onSpeak={() => voice && begin({ text, voice, speed, format })}
        />
        <section class="card" aria-label={speak.choices}>
          {voices.error && <ErrorNote error={voices.error} onRetry={voices.reload} />}
          {list ? (
            <VoiceField voices={list} voice={voice} isGone={voiceId !== undefined && voice?.id !== voiceId} />
          ) : (
            voices.isLoading && <Skeleton lines={2} />
          )}
          <SpeedField speed={speed} />
          <FormatField format={format} />
        </section>
      </div>
      {newest && <TakeCard key={newest.id} take={newest} isNewest onUseAgain={() => useAgain(newest)} />}
      {earlier.length > 0 && (
        <section class="stack" aria-label={speak.earlier}>
          <h2>{speak.earlier}</h2>
          <div class="takes">
            {earlier.map((take) => (
              <TakeCard key={take.id} take={take} isNewest={false} onUseAgain={() => useAgain(take)} />
            ))}
          </div>
        </section>
      )}
    </Page>
  )
}

/** Other pages lead here with a voice: `/speak?voice=ID`. It becomes the choice, which later choices replace. */
function useChosenVoice(): void {
  const { query, path, route } = useLocation()
  const { voice } = query
  useEffect(() => {
    if (voice === undefined) return
    changeDraft({ voiceId: voice })
    route(path, true)
  }, [voice])
}

/** The balance after the last take, or as the service says. */
function useBalance(): number | undefined {
  const loaded = usePoll(async () => {
    const before = remaining.peek()
    const { balance } = await dataOf(api.GET('/api/v1/balance'))
    // A take that ended meanwhile knows better.
    return { balance, isStale: remaining.peek() !== before }
  }, balancePollMs)
  useEffect(() => {
    if (loaded.data && !loaded.data.isStale) remaining.value = loaded.data.balance
  }, [loaded.data])
  return remaining.value
}

type VoiceFieldProps = {
  readonly voices: readonly Voice[]
  readonly voice: Voice | undefined
  /** Whether another voice was chosen before, which is not there any more. */
  readonly isGone: boolean
}

function VoiceField({ voices, voice, isGone }: VoiceFieldProps) {
  const { speak } = words.value
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  if (!voice) return <p>{speak.noVoice}</p>
  const choose = ({ id }: Voice) => {
    changeDraft({ voiceId: id })
    setOpen(false)
  }
  return (
    <div class="field">
      <span class="legend" id={id}>
        {speak.voice}
      </span>
      <div class="voice-field">
        <button type="button" class="voice-button" aria-describedby={id} onClick={() => setOpen(true)}>
          <span class="strong">{voice.display_name}</span>
          <span class="faint small">{describeVoice(voice)}</span>
          <Icon of={ChevronDown} />
        </button>
        <ListenButton url={voice.demo_url} name={voice.display_name} />
      </div>
      {isGone && <p class="below bad">{speak.voiceGone(voice.display_name)}</p>}
      {voice.slow && <p class="below faint">{speak.voiceSlow}</p>}
      {isOpen && <VoicePicker voices={voices} chosenId={voice.id} onChoose={choose} onClose={() => setOpen(false)} />}
    </div>
  )
}

function SpeedField({ speed }: { readonly speed: number }) {
  const { speak } = words.value
  const id = useId()
  const said = speak.times(formatDecimal(speed))
  return (
    <div class="field">
      <div class="row between">
        <label class="legend" for={id}>
          {speak.speed}
        </label>
        <output for={id} class="strong">
          {said}
        </output>
      </div>
      <input
        id={id}
        type="range"
        min={speedMin}
        max={speedMax}
        step={0.05}
        value={speed}
        aria-valuetext={said}
        onInput={(event) => changeDraft({ speed: event.currentTarget.valueAsNumber })}
        onDblClick={() => changeDraft({ speed: 1 })}
      />
      <div class="row between faint small" aria-hidden="true">
        <span>{speak.slow}</span>
        <span>{speak.fast}</span>
      </div>
    </div>
  )
}

const formats: readonly Format[] = ['mp3', 'wav']

function FormatField({ format }: { readonly format: Format }) {
  const { speak } = words.value
  return (
    <Segments
      label={speak.format}
      name="format"
      value={format}
      onValue={(chosen) => changeDraft({ format: chosen })}
      options={formats.map((value) => ({ value, label: value.toUpperCase() }))}
    />
  )
}
