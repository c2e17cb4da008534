/** Whether a recording will do to make a voice from. */
import type { Pcm } from './pcm'

export type Warning = { readonly code: string; readonly message: string }

/** Below this peak there is nothing to hear, −60 dBFS. */
const peakMin = 0.001
const soundSecondsMin = 1
const frameSeconds = 0.02
/** Frames this far below the loudest are pauses, 30 dB. */
const pauseShare = 0.001

/** `error` where it will not: silence, or less than a second of sound. `warnings` say what to do better. */
export function checkReference({ samples, sampleRate }: Pcm): {
  error?: 'silent' | 'too_short'
  warnings: readonly Warning[]
} {
  const frame = Math.round(frameSeconds * sampleRate)
  const powers: number[] = []
  let peak = 0
  for (let start = 0; start + frame <= samples.length; start += frame) {
    let power = 0
    for (let i = start; i < start + frame; i++) {
      const value = samples[i]!
      power += value * value
      peak = Math.max(peak, Math.abs(value))
    }
    powers.push(power)
  }
  if (peak < peakMin) return { error: 'silent', warnings: [] }
  const loudest = Math.max(...powers)
  const sounding = powers.filter((power) => power > loudest * pauseShare).length
  return sounding * frameSeconds < soundSecondsMin ? { error: 'too_short', warnings: [] } : { warnings: [] }
}
