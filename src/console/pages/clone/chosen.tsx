/** The chosen recording: what it is, its shape, and which part of it is sent. */
import { useComputed } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { formatDuration, formatSize } from '../../format'
import { Button } from '../../parts/button'
import { ListenFault, PlayButton } from '../../parts/listen'
import { listen, listening, pauseListening, progress, seekListening } from '../../parts/sound'
import { Waveform } from '../../parts/waveform'
import { words } from '../../words/words'
import { Advice } from '../voices/advice'
import { faultsOf, isTooMuch, secondsMax, type Recording } from './recording'

type Props = {
  readonly recording: Recording
  /** The part of it that is sent. */
  readonly part: Blob
  readonly startSeconds: number
  readonly onStart: (seconds: number) => void
  readonly onAgain: () => void
  readonly again: string
}

export function Chosen({ recording, part, startSeconds, onStart, onAgain, again }: Props) {
  const { clone } = words.value
  const { file, name, sound } = recording
  const url = useObjectUrl(part)
  const isCut = isTooMuch(recording)
  const faults = useMemo(() => faultsOf(recording, startSeconds), [recording, startSeconds])
  return (
    <div class="chosen">
      <div class="row between">
        <div>
          <p class="strong">{name}</p>
          <p class="small faint">
            {formatSize(file.size)} · {sound ? formatDuration(sound.seconds * 1000) : clone.lengthUnknown}
          </p>
        </div>
        <Button kind="quiet" onClick={onAgain}>
          {again}
        </Button>
      </div>
      <div class="chosen-sound">
        <PlayButton url={url} name={name} />
        {sound && <Shape {...{ sound, url, startSeconds, isCut }} />}
      </div>
      <ListenFault url={url} />
      {faults.length > 0 && (
        <div class="note warn">
          <p class="strong">{clone.beforePaying}</p>
          <Advice of={faults.map((code) => ({ code }))} />
        </div>
      )}
      {isCut && sound && sound.seconds > secondsMax && (
        <Window seconds={sound.seconds} startSeconds={startSeconds} onStart={onStart} />
      )}
    </div>
  )
}

type ShapeProps = {
  readonly sound: NonNullable<Recording['sound']>
  readonly url: string
  readonly startSeconds: number
  readonly isCut: boolean
}

/** The whole recording; only its selected part is played. */
function Shape({ sound: { peaks, seconds: totalSeconds }, url, startSeconds, isCut }: ShapeProps) {
  const { clone } = words.value
  const isHeard = useComputed(() => listening.value?.url === url).value
  const atSeconds = startSeconds + (isHeard ? progress.value.seconds : 0)
  const toSeconds = Math.min(totalSeconds, startSeconds + secondsMax)
  return (
    <Waveform
      peaks={[peaks]}
      atSeconds={atSeconds}
      totalSeconds={totalSeconds}
      {...(isCut && { selected: { fromSeconds: startSeconds, toSeconds } })}
      label={clone.position}
      says={formatDuration(atSeconds * 1000)}
      onSeek={(seconds) => seekListening(url, seconds - startSeconds)}
      onToggle={() => (listening.peek()?.state === 'playing' ? pauseListening() : listen(url))}
    />
  )
}

type WindowProps = {
  readonly seconds: number
  readonly startSeconds: number
  readonly onStart: (seconds: number) => void
}

/** Chooses which 15 seconds are sent. */
function Window({ seconds, startSeconds, onStart }: WindowProps) {
  const { clone } = words.value
  const say = (value: number) => formatDuration(value * 1000)
  const span = clone.window(say(startSeconds), say(startSeconds + secondsMax))
  return (
    <label class="field">
      <span class="legend">{clone.windowTitle}</span>
      <input
        type="range"
        min={0}
        max={seconds - secondsMax}
        step={0.1}
        value={startSeconds}
        aria-valuetext={span}
        onInput={(event) => onStart(event.currentTarget.valueAsNumber)}
      />
      <span class="below faint">{span}</span>
    </label>
  )
}

/** An address for the blob as long as it is shown. */
function useObjectUrl(blob: Blob): string {
  const url = useMemo(() => URL.createObjectURL(blob), [blob])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return url
}
