/** The first thing that a new person does here: hear a sentence, at one click. */
import { AudioLines } from 'lucide'
import { useMemo } from 'preact/hooks'
import type { Schema } from '../../client/client'
import { useSignedIn } from '../../client/session'
import { at } from '../../installation'
import { Button, LinkButton } from '../../parts/button'
import { words } from '../../words/words'
import { sampleText } from '../speak/sample-texts'
import { TakeCard } from '../speak/take-card'
import { openTakes, runningTake, speak, takes } from '../speak/takes'

export function FirstSentence({ voice }: { readonly voice: Schema<'Voice'> }) {
  const { overview } = words.value
  const { person } = useSignedIn()
  useMemo(() => openTakes(person.id), [person.id])
  const [newest] = takes.value
  const text = sampleText(voice.language)
  return (
    <>
      <section class="card first-sentence" aria-label={overview.firstTitle}>
        <div>
          <h2>{overview.firstTitle}</h2>
          <p class="faint">{overview.firstText(voice.display_name)}</p>
        </div>
        <blockquote lang={voice.language}>{text}</blockquote>
        <div class="actions">
          <Button
            kind="primary"
            icon={AudioLines}
            isBusy={runningTake() !== undefined}
            onClick={() => speak({ text, voice, speed: 1, format: 'mp3' })}
          >
            {overview.firstAction}
          </Button>
          <LinkButton href={at('/speak')}>{overview.ownText}</LinkButton>
        </div>
      </section>
      {newest && <TakeCard key={newest.id} take={newest} isNewest />}
    </>
  )
}
