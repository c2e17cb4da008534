/**
 * Aspiration noise in a voice: noise that follows the level and spectrum of the voiced sound. It is the sound itself
 * with random phases in its short-time spectrum, which keeps the envelope and removes the periods. The seed is fixed,
 * so every run gives the same noise.
 */
import { harmonicityDb } from './analysis/harmonicity'
import { powerOfTwoAbove, realFft } from './analysis/fft'
import { trackPitch, type PitchRange, type PitchTrack } from './analysis/pitch'
import type { Pcm } from './pcm'

/** Too short to resolve single harmonics. */
const frameSeconds = 0.012
/** Largest noise power, as a share of the voiced power. */
const noiseShareMax = 0.25
const seed = 0x2545f491

/**
 * Adds aspiration noise to the voiced sound of `pcm` until its harmonics-to-noise ratio is down to `targetDb`. A sound
 * already there stays as it is. `weight` is the voicing of each sample, 0 to 1; `range` bounds the pitch search.
 */
export function addAspirationNoise(pcm: Pcm, weight: Float32Array, targetDb: number, range: PitchRange): Pcm {
  const present = trackPitch(pcm, range)
  const share = noiseShare(targetDb) - noiseShare(harmonicityDb(present))
  if (!(share > 0) || !isAnyVoiced(present)) return pcm
  const noise = scrambled(pcm)
  for (let i = 0; i < noise.length; i++) noise[i]! *= weight[i]!
  const gain = Math.sqrt(Math.min(noiseShareMax, share) * (weightedPower(pcm.samples, weight) / power(noise)))
  if (!Number.isFinite(gain)) return pcm
  return { samples: pcm.samples.map((value, i) => value + gain * noise[i]!), sampleRate: pcm.sampleRate }
}

/** Noise power relative to that of the harmonics. */
function noiseShare(harmonicity: number): number {
  return 10 ** (-harmonicity / 10)
}

function isAnyVoiced({ hz }: PitchTrack): boolean {
  return hz.some((value) => value > 0)
}

function power(samples: Float32Array): number {
  return samples.reduce((sum, value) => sum + value * value, 0)
}

function weightedPower(samples: Float32Array, weight: Float32Array): number {
  return samples.reduce((sum, value, i) => sum + (value * weight[i]!) ** 2, 0)
}

/** The sound with random phases, with about the same power at every moment and in every part of the spectrum. */
function scrambled({ samples, sampleRate }: Pcm): Float32Array {
  const length = 2 * Math.round((frameSeconds * sampleRate) / 2)
  const hop = length / 2
  const fft = realFft(powerOfTwoAbove(length))
  const window = Float64Array.from({ length }, (_, i) => Math.sin((Math.PI * (i + 0.5)) / length))
  const re = new Float64Array(fft.size / 2 + 1)
  const im = new Float64Array(fft.size / 2 + 1)
  const frame = new Float64Array(length)
  const noise = new Float64Array(fft.size)
  const out = new Float32Array(samples.length)
  const random = randomTurns()
  for (let start = -hop; start < samples.length; start += hop) {
    for (let i = 0; i < length; i++) frame[i] = (samples[start + i] ?? 0) * window[i]!
    fft.forward(frame, re, im)
    for (let k = 0; k < re.length; k++) {
      const magnitude = Math.hypot(re[k]!, im[k]!)
      const phase = 2 * Math.PI * random()
      re[k] = magnitude * Math.cos(phase)
      im[k] = magnitude * Math.sin(phase)
    }
    fft.inverse(re, im, noise)
    const from = Math.max(0, -start)
    const to = Math.min(length, samples.length - start)
    for (let i = from; i < to; i++) out[start + i]! += noise[i]! * window[i]!
  }
  return out
}

/** Pseudo-random numbers in 0…1 from a fixed seed (xorshift32, Marsaglia 2003). */
function randomTurns(): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
