/** The account's own cloned voices, each with its recording to hear beside its demo. */
import { AudioLines, Trash2 } from 'lucide'
import { api, ApiError, dataOf } from '../../client/client'
import { formatAgo, formatDuration, formatLanguage, formatTime } from '../../format'
import { baseUrl } from '../../installation'
import { IconButton, LinkButton } from '../../parts/button'
import { CopyButton } from '../../parts/copy'
import { ask } from '../../parts/dialog'
import { Badge } from '../../parts/figures'
import { ListenFault, PlayButton } from '../../parts/listen'
import { LongList } from '../../parts/long-list'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'
import { Advice } from './advice'
import { sayGender, type Voice } from './filters'
import { Heading } from './heading'
import { playgroundOf, Slow } from './voice-card'

export const recordingOf = (id: string): string => `${baseUrl}/api/v1/voices/clone/${id}/recording`

type Props = {
  readonly of: readonly Voice[]
  readonly all: readonly Voice[]
  readonly onDeleted: () => void
}

export function OwnVoices({ of, all, onDeleted }: Props) {
  const { voices } = words.value
  return (
    <section class="stack" aria-labelledby="own-voices">
      <Heading id="own-voices" title={voices.own} shown={of} of={all} />
      <LongList of={of}>
        {(shown) => (
          <ul class="voices own">
            {shown.map((voice) => (
              <OwnVoice key={voice.id} voice={voice} onDeleted={onDeleted} />
            ))}
          </ul>
        )}
      </LongList>
    </section>
  )
}

type OwnProps = { readonly voice: Voice; readonly onDeleted: () => void }

function OwnVoice({ voice, onDeleted }: OwnProps) {
  const { voices, common } = words.value
  const { id, display_name: name, demo_url: demo, method, warnings = [], created_at: created } = voice
  const recording = recordingOf(id)
  return (
    <li class="card voice">
      <div class="voice-head">
        <div>
          <h3 class="row">
            {name}
            {method && (
              <span title={voices.methodText[method]}>
                <Badge>{voices.method[method]}</Badge>
              </span>
            )}
          </h3>
          <p class="small faint">
            {formatLanguage(voice.language)}
            {voice.gender && ` · ${sayGender(voice.gender)}`}
            {created && <span title={formatTime(created)}> · {voices.created(formatAgo(created))}</span>}
          </p>
        </div>
      </div>
      <div class="compare">
        <Heard url={recording} what={voices.recording} name={voices.recordingOf(name)} note={lengthOf(voice)} />
        <Heard url={demo} what={voices.demo} name={voices.demoOf(name)} />
      </div>
      {voice.slow && <Slow />}
      {voice.engine === null && (
        <div class="note warn small">
          <p class="strong">{voices.unavailable}</p>
          <p>{voices.unavailableText}</p>
        </div>
      )}
      {warnings.length > 0 && (
        <details class="small">
          <summary>{voices.advice(warnings.length)}</summary>
          <Advice of={warnings} />
        </details>
      )}
      <div class="row between voice-actions">
        <LinkButton href={playgroundOf(id)} kind="quiet" icon={AudioLines}>
          {voices.use}
        </LinkButton>
        <span class="voice-id">
          <CopyButton text={id} />
          <IconButton icon={Trash2} label={`${common.delete}: ${name}`} onClick={() => askToDelete(voice, onDeleted)} />
        </span>
      </div>
    </li>
  )
}

export const lengthOf = ({ duration_sec: seconds }: Pick<Voice, 'duration_sec'>) =>
  seconds === undefined ? undefined : formatDuration(seconds * 1000)

type HeardProps = {
  readonly url: string
  readonly what: string
  readonly name: string
  readonly note?: string | undefined
}

/** One of two sounds that stand side by side. */
export function Heard({ url, what, name, note }: HeardProps) {
  return (
    <div class="heard">
      <PlayButton url={url} name={name} isSmall />
      <div>
        <p>{what}</p>
        {note && <p class="small faint">{note}</p>}
        <ListenFault url={url} />
      </div>
    </div>
  )
}

function askToDelete({ id, display_name: name }: Voice, onDeleted: () => void): void {
  const { voices } = words.value
  ask({
    title: voices.deleteTitle(name),
    text: (
      <div class="stack">
        <p>{voices.deleteText}</p>
        <p>{voices.deletePrice}</p>
      </div>
    ),
    action: voices.deleteAction,
    async run() {
      try {
        await dataOf(api.DELETE('/api/v1/voices/clone', { params: { query: { voice_id: id } } }))
      } catch (error) {
        // Another tab was faster.
        if (!(error instanceof ApiError) || error.code !== 'voice_not_found') throw error
      }
      onDeleted()
      toast(voices.deleted(name))
    },
  })
}
