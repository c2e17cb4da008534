/** The shape of a sound, to see and to click into. */
import { useComputed } from '@preact/signals'
import { listening, progress, seekListening } from './sound'

const bars = 120

/** The largest magnitude in each part of the samples, relative to the largest of all. */
export function peaksOf(samples: Float32Array, count = bars): number[] {
  const step = samples.length / count
  const peaks = Array.from({ length: count }, (_, i) => {
    let peak = 0
    for (let j = Math.floor(i * step); j < Math.floor((i + 1) * step); j++) peak = Math.max(peak, Math.abs(samples[j]!))
    return peak
  })
  const most = Math.max(...peaks, 1e-4)
  return peaks.map((peak) => peak / most)
}

type Props = {
  /** From 0 to 1. */
  readonly peaks: readonly number[]
  /** The sound that is played, and sought by a click. */
  readonly url?: string
  /** The part that counts, from 0 to 1. */
  readonly selected?: { readonly from: number; readonly to: number }
}

const heightOf = (peak: number) => Math.max(4, 100 * peak)

export function Waveform({ peaks, url, selected }: Props) {
  const played = useComputed(() => {
    if (url === undefined || listening.value?.url !== url) return 0
    const { seconds, durationSeconds } = progress.value
    return durationSeconds > 0 ? seconds / durationSeconds : 0
  }).value
  const seek = (event: MouseEvent & { currentTarget: SVGElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    if (url !== undefined) seekListening(url, (event.clientX - left) / width)
  }
  return (
    <svg
      class={url === undefined ? 'shape' : 'shape is-playable'}
      viewBox={`0 0 ${peaks.length * 2} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
      onClick={seek}
    >
      {peaks.map((peak, i) => {
        const at = (i + 0.5) / peaks.length
        const isOutside = selected !== undefined && (at < selected.from || at > selected.to)
        const height = heightOf(peak)
        return (
          <rect
            key={i}
            class={isOutside ? 'outside' : at < played ? 'played' : ''}
            x={i * 2 + 0.3}
            y={50 - height / 2}
            width="1.4"
            height={height}
            rx="0.7"
          />
        )
      })}
    </svg>
  )
}
