/** Listens to a recording before it is paid for: the plainest of the faults about which the service warns. */

const secondsMin = 5
const quietDb = -42
const clippedNearness = 0.99
const clippedShareMax = 2e-4
/** Below this peak the steps of 8-bit files look like clipping. */
const clippedPeakMin = 0.25
/** Quieter stretches are pauses. */
const speechPeakShare = 0.1
const stretchSeconds = 0.02

export type HeardFault = 'short' | 'quiet' | 'clipped'

/** `samples`: the part that is sent. */
export function hearFaults(samples: Float32Array, sampleRate: number): HeardFault[] {
  const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  let clipped = 0
  for (const value of samples) if (Math.abs(value) >= clippedNearness * peak) clipped++
  const { seconds, power } = measureSpeech(samples, sampleRate, speechPeakShare * peak)
  return [
    ...(seconds < secondsMin ? (['short'] as const) : []),
    ...(10 * Math.log10(power) < quietDb ? (['quiet'] as const) : []),
    ...(peak > clippedPeakMin && clipped > clippedShareMax * samples.length ? (['clipped'] as const) : []),
  ]
}

function measureSpeech(samples: Float32Array, sampleRate: number, peakMin: number) {
  const stretch = Math.round(stretchSeconds * sampleRate)
  let squares = 0
  let count = 0
  let first = Infinity
  let last = 0
  for (let start = 0; start + stretch <= samples.length; start += stretch) {
    const part = samples.subarray(start, start + stretch)
    if (!part.some((value) => Math.abs(value) >= peakMin)) continue
    for (const value of part) squares += value * value
    count += stretch
    first = Math.min(first, start)
    last = start + stretch
  }
  // Pauses between words are speech, those before and after it are not.
  return { seconds: Math.max(0, last - first) / sampleRate, power: squares / Math.max(1, count) }
}
