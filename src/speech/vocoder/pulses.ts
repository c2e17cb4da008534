/**
 * The pulse train of voiced speech: at each sample the sum of all harmonics of the fundamental frequency up to a cutoff,
 * with equal amplitude. The closed form of that sum is Dirichlet's kernel.
 */
import { vocoderRate, hopSamples } from './format'
import { sine } from './tables'

/** Lower frequencies count as unvoiced. */
const voicedAboveHz = 40
const cutoffHz = 11_000
/** Denominators of the closed form at or below this value give its limit. */
const limitBelow = 2e-3

/**
 * Writes the pulse train of `f0` (Hz; 0 where unvoiced; one value per frame of `hopSamples` samples) to `samples` from
 * `offset` on: `f0.length` · `hopSamples` samples. Frequencies are interpolated linearly between the centers of frames.
 */
export function writePulses(f0: Float32Array, samples: Float64Array, offset: number): void {
  const last = f0.length - 1
  let turns = 0
  let at = offset
  for (let frame = 0; frame <= last; frame++) {
    const here = f0[frame]!
    const before = f0[Math.max(0, frame - 1)]!
    const after = f0[Math.min(last, frame + 1)]!
    for (let i = 0; i < hopSamples; i++) {
      const place = (i + 0.5) / hopSamples - 0.5
      const hz = place < 0 ? here - place * (before - here) : here + place * (after - here)
      const isVoiced = hz > voicedAboveHz
      // The phase goes on through unvoiced speech.
      const usedHz = isVoiced ? hz : voicedAboveHz
      turns += usedHz / vocoderRate
      turns -= Math.floor(turns)
      samples[at++] = isVoiced ? sumOfHarmonics(turns, Math.floor(cutoffHz / hz)) : 0
    }
  }
}

/** Σ cos(2π · h · `turns`) for h = 1 … `count`. */
export function sumOfHarmonics(turns: number, count: number): number {
  const denominator = 2 * sine(0.5 * turns)
  if (Math.abs(denominator) <= limitBelow) return count
  return sine((count + 0.5) * turns) / denominator - 0.5
}
