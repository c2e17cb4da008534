/** The loudest samples of a sound, for drawing. */

const stretchSeconds = 0.02

/** The largest magnitude of every 20 ms, 0 to 1. */
export function peaksOf(samples: Float32Array, sampleRate: number): Float32Array {
  const stretch = Math.round(stretchSeconds * sampleRate)
  const peaks = new Float32Array(Math.ceil(samples.length / stretch))
  for (let i = 0; i < samples.length; i++) {
    const level = Math.abs(samples[i]!)
    const at = Math.floor(i / stretch)
    if (level > peaks[at]!) peaks[at] = level
  }
  return peaks
}

/** Reduces peaks to `count` bars of 0 to 1, the loudest of all being 1. */
export function toBars(peaks: readonly Float32Array[], count: number): number[] {
  const length = peaks.reduce((sum, each) => sum + each.length, 0)
  const bars = new Array<number>(count).fill(0)
  let at = 0
  for (const each of peaks) {
    for (const peak of each) {
      const bar = Math.min(count - 1, Math.floor((at++ * count) / length))
      bars[bar] = Math.max(bars[bar]!, peak)
    }
  }
  // A sound shorter than the bars leaves some without a peak of their own.
  for (let bar = 1; bar < count; bar++) if (length < count && bars[bar] === 0) bars[bar] = bars[bar - 1]!
  const loudest = Math.max(...bars, 1e-6)
  return bars.map((peak) => peak / loudest)
}
