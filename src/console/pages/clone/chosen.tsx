/** The chosen recording: what it is, its shape, and which part of it is sent. */
import { useEffect, useMemo } from 'preact/hooks'
import { formatDuration, formatSize } from '../../format'
import { Button } from '../../parts/button'
import { ListenFault, PlayButton } from '../../parts/listen'
import { Waveform } from '../../parts/waveform'
import { words } from '../../words/words'
import { isTooMuch, secondsMax, type Recording } from './recording'

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
        {sound && <Shape recording={recording} url={url} startSeconds={startSeconds} isCut={isCut} />}
      </div>
      <ListenFault url={url} />
      {isCut && sound && sound.seconds > secondsMax && (
        <Window seconds={sound.seconds} startSeconds={startSeconds} onStart={onStart} />
      )}
    </div>
  )
}

type ShapeProps = {
  readonly recording: Recording
  readonly url: string
  readonly startSeconds: number
  readonly isCut: boolean
}

function Shape({ recording: { sound }, url, startSeconds, isCut }: ShapeProps) {
  const { peaks, seconds } = sound!
  if (!isCut) return <Waveform peaks={peaks} url={url} />
  const selected = { from: startSeconds / seconds, to: (startSeconds + secondsMax) / seconds }
  return <Waveform peaks={peaks} selected={selected} />
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
