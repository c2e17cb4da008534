/** A voice of the catalogue: its demo, what it is, and what to do with it. */
import { AudioLines } from 'lucide'
import { formatLanguage } from '../../format'
import { at } from '../../installation'
import { LinkButton } from '../../parts/button'
import { CopyButton } from '../../parts/copy'
import { Badge } from '../../parts/figures'
import { ListenFault, PlayButton } from '../../parts/listen'
import { words } from '../../words/words'
import { engineName, sayGender, type Voice } from './filters'

/** The playground with this voice. */
export const playgroundOf = (id: string): string => at(`/speak?voice=${encodeURIComponent(id)}`)

type Props = { readonly voice: Voice; readonly isDefault: boolean }

export function VoiceCard({ voice, isDefault }: Props) {
  const { voices } = words.value
  const { id, display_name: name, demo_url: demo, engine } = voice
  return (
    <li class="card voice">
      <div class="voice-head">
        <PlayButton url={demo} name={voices.demoOf(name)} />
        <div>
          <h3 class="row">
            {name}
            {isDefault ? (
              <span title={voices.isDefaultText}>
                <Badge tone="good">{voices.isDefault}</Badge>
              </span>
            ) : (
              voice.featured && <Badge>{voices.featured}</Badge>
            )}
          </h3>
          <p class="small faint">
            {formatLanguage(voice.language)}
            {voice.gender && ` · ${sayGender(voice.gender)}`}
            {engine && ` · ${engineName(engine)}`}
          </p>
        </div>
      </div>
      {voice.description && <p class="small">{voice.description}</p>}
      {voice.slow && <Slow />}
      <ListenFault url={demo} />
      <div class="row between voice-actions">
        <LinkButton href={playgroundOf(id)} kind="quiet" icon={AudioLines}>
          {voices.use}
        </LinkButton>
        <span class="voice-id">
          <code class="small faint">{id}</code>
          <CopyButton text={id} />
        </span>
      </div>
    </li>
  )
}

/** Marks a voice for which this machine needs a long time. */
export function Slow() {
  const { voices } = words.value
  return (
    <p class="small row">
      <Badge tone="warn">{voices.slow}</Badge>
      <span class="faint">{voices.slowText}</span>
    </p>
  )
}
