/**
 * The shape of a sound. A path in SVG follows the colours and the width of the page by itself; a range input on top gives
 * the position to mouse, keyboard and screen readers.
 */
import { useMemo } from 'preact/hooks'
import { toBars } from './peaks'

const barCount = 160

type Props = {
  /** The known parts of the sound, as `peaksOf` finds them. */
  readonly peaks: readonly Float32Array[]
  readonly atSeconds: number
  readonly totalSeconds: number
  /** The part that counts; by default all of it. */
  readonly selected?: { readonly fromSeconds: number; readonly toSeconds: number }
  /** Names the position for screen readers. */
  readonly label: string
  /** Says the position. */
  readonly says: string
  readonly onSeek: (seconds: number) => void
  /** Runs when the space bar is pressed on the position. */
  readonly onToggle: () => void
}

export function Waveform({ peaks, atSeconds, totalSeconds, selected, label, says, onSeek, onToggle }: Props) {
  const path = useMemo(() => {
    const bars = peaks.length > 0 ? toBars(peaks, barCount) : new Array<number>(barCount).fill(0)
    return bars.map((bar, i) => `M${i + 0.5} ${50 - Math.max(2, bar * 46)}V${50 + Math.max(2, bar * 46)}`).join('')
  }, [peaks.length, peaks[0]])
  const { fromSeconds, toSeconds } = selected ?? { fromSeconds: 0, toSeconds: totalSeconds }
  /** Draws the part between two times. */
  const draw = (kind: string, from: number, to: number) => {
    const share = (seconds: number) => (totalSeconds > 0 ? (100 * seconds) / totalSeconds : 0)
    const clipPath = `inset(0 ${(100 - share(to)).toFixed(2)}% 0 ${share(from).toFixed(2)}%)`
    return (
      <svg
        class={kind}
        viewBox={`0 0 ${barCount} 100`}
        preserveAspectRatio="none"
        aria-hidden="true"
        style={{ clipPath }}
      >
        <path d={path} />
      </svg>
    )
  }
  return (
    <div class="waveform">
      {selected && draw('waveform-outside', 0, totalSeconds)}
      {draw('waveform-rest', fromSeconds, totalSeconds > 0 ? toSeconds : 0)}
      {draw('waveform-played', fromSeconds, atSeconds)}
      <input
        type="range"
        aria-label={label}
        aria-valuetext={says}
        min={0}
        max={totalSeconds || 1}
        step={Math.max(0.05, totalSeconds / 200)}
        value={atSeconds}
        disabled={totalSeconds === 0}
        onInput={(event) => onSeek(event.currentTarget.valueAsNumber)}
        onKeyDown={(event) => {
          if (event.key !== ' ') return
          event.preventDefault()
          onToggle()
        }}
      />
    </div>
  )
}
