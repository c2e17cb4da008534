/** The new voice: to hear beside its recording, with advice, and to speak with. */
import { AudioLines, CircleCheck } from 'lucide'
import { useEffect, useRef } from 'preact/hooks'
import { formatNumber } from '../../format'
import { at } from '../../installation'
import { Button, LinkButton } from '../../parts/button'
import { Icon } from '../../parts/icon'
import { Card } from '../../parts/page'
import { words } from '../../words/words'
import { Advice } from '../voices/advice'
import type { Voice } from '../voices/filters'
import { Heard, lengthOf, recordingOf } from '../voices/own-voices'
import { playgroundOf } from '../voices/voice-card'
import type { Cloned } from './send'

type Made = Pick<Voice, 'id' | 'display_name' | 'demo_url' | 'duration_sec' | 'warnings' | 'method'>

type Props = {
  readonly voice: Made
  /** Undefined after the page was loaded again. */
  readonly cloned: Cloned | undefined
  readonly onAnother: () => void
}

export function Made({ voice, cloned, onAnother }: Props) {
  const { clone, voices } = words.value
  const title = useRef<HTMLHeadingElement>(null)
  // The form with the focus is gone.
  useEffect(() => title.current?.focus(), [])
  const { id, display_name: name, demo_url: demo, method, warnings = [] } = voice
  return (
    <div class="made">
      <Card>
        <div class="made-head" role="status">
          <Icon of={CircleCheck} sizePixels={32} />
          <div>
            <h2 ref={title} tabIndex={-1}>
              {clone.ready(name)}
            </h2>
            <p class="small faint">
              {cloned && (cloned.duplicate ? clone.isDuplicate : clone.charged(formatNumber(cloned.units)))}
            </p>
          </div>
        </div>
        <div class="compare">
          <Heard url={demo} what={voices.demo} name={voices.demoOf(name)} />
          <Heard url={recordingOf(id)} what={voices.recording} name={voices.recordingOf(name)} note={lengthOf(voice)} />
        </div>
        {method && <p class="small faint">{voices.methodText[method]}</p>}
        {warnings.length > 0 && (
          <div class="note warn">
            <p class="strong">{clone.better}</p>
            <Advice of={warnings} />
          </div>
        )}
        <div class="actions">
          <LinkButton href={playgroundOf(id)} kind="primary" icon={AudioLines}>
            {clone.speak}
          </LinkButton>
          <Button onClick={onAnother}>{clone.another}</Button>
          <LinkButton href={at('/voices')}>{clone.toVoices}</LinkButton>
        </div>
      </Card>
    </div>
  )
}
