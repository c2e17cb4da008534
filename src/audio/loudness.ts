/**
 * Brings every sentence of every voice to the same loudness, ITU-R BS.1770-4 for one channel: K-weighting, then the
 * mean power of the gated blocks. A look-ahead limiter reduces peaks above the ceiling.
 */
import type { Pcm } from './pcm'

/** Speech peaks stand 15 to 19 dB above its loudness, so few sentences need the limiter at this target. */
export const targetLufs = -20
/** The highest sample value that `normalizeLoudness` returns: −1 dBFS. */
export const peakMax = 10 ** (-1 / 20)
/** Largest gain. Sound that needs more is not speech, only noise. */
const gainDbMax = 40
const limiterLookAheadSeconds = 0.01

const blockSeconds = 0.4
const blockStepSeconds = 0.1
const absoluteGateLufs = -70
const relativeGateLu = -10

/**
 * Brings `pcm` to −20 LUFS with no sample above −1 dBFS. Silence and sound without a finite loudness stay as they are.
 */
export function normalizeLoudness(pcm: Pcm): Pcm {
  const lufs = loudnessLufs(pcm)
  if (!Number.isFinite(lufs)) return pcm
  const gain = 10 ** (Math.min(gainDbMax, targetLufs - lufs) / 20)
  const samples = new Float32Array(pcm.samples.length)
  for (let i = 0; i < samples.length; i++) samples[i] = pcm.samples[i]! * gain
  limitPeaks(samples, Math.max(1, Math.round(limiterLookAheadSeconds * pcm.sampleRate)))
  return { samples, sampleRate: pcm.sampleRate }
}

/**
 * Gated loudness in LUFS; −Infinity for silence, NaN with a sample that is not finite. Sound shorter than one block
 * (400 ms) is one ungated block.
 */
export function loudnessLufs(pcm: Pcm): number {
  const weighted = kWeight(pcm)
  const blockSamples = Math.round(blockSeconds * pcm.sampleRate)
  if (weighted.length < blockSamples) return powerToLufs(weighted.length === 0 ? 0 : meanSquare(weighted))

  const blocks = blockPowers(weighted, blockSamples, blockStepSeconds * pcm.sampleRate)
  if (blocks.some(Number.isNaN)) return NaN
  const audible = blocks.filter((power) => powerToLufs(power) >= absoluteGateLufs)
  const gateLufs = powerToLufs(mean(audible)) + relativeGateLu
  return powerToLufs(mean(audible.filter((power) => powerToLufs(power) >= gateLufs)))
}

function powerToLufs(power: number): number {
  return -0.691 + 10 * Math.log10(power)
}

function mean(values: number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

function meanSquare(samples: Float32Array): number {
  return samples.reduce((sum, value) => sum + value * value, 0) / samples.length
}

function blockPowers(samples: Float32Array, blockSamples: number, stepSamples: number): number[] {
  const squaresBefore = new Float64Array(samples.length + 1)
  for (let i = 0; i < samples.length; i++) squaresBefore[i + 1] = squaresBefore[i]! + samples[i]! * samples[i]!
  const powers: number[] = []
  for (let block = 0; ; block++) {
    const start = Math.round(block * stepSamples)
    const end = start + blockSamples
    if (end > samples.length) return powers
    powers.push((squaresBefore[end]! - squaresBefore[start]!) / blockSamples)
  }
}

/** Direct form I: y = b0·x + b1·x₁ + b2·x₂ − a1·y₁ − a2·y₂. */
type Biquad = { b0: number; b1: number; b2: number; a1: number; a2: number }

function kWeight(pcm: Pcm): Float32Array {
  return applyBiquad(applyBiquad(pcm.samples, shelfFilter(pcm.sampleRate)), highPassFilter(pcm.sampleRate))
}

/**
 * The two filters of BS.1770-4 are given for 48 kHz only. These are their analog prototypes (De Man, "Evaluation of
 * Implementations of the EBU R128 Loudness Measurement", AES 145, 2018), transformed to any rate.
 */
function shelfFilter(sampleRate: number): Biquad {
  const k = Math.tan((Math.PI * 1681.974450955533) / sampleRate)
  const q = 0.7071752369554196
  const high = 10 ** (3.999843853973347 / 20)
  const band = high ** 0.4996667741545416
  const a0 = 1 + k / q + k * k
  return {
    b0: (high + (band * k) / q + k * k) / a0,
    b1: (2 * (k * k - high)) / a0,
    b2: (high - (band * k) / q + k * k) / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - k / q + k * k) / a0,
  }
}

function highPassFilter(sampleRate: number): Biquad {
  const k = Math.tan((Math.PI * 38.13547087602444) / sampleRate)
  const q = 0.5003270373238773
  const a0 = 1 + k / q + k * k
  return { b0: 1, b1: -2, b2: 1, a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 }
}

function applyBiquad(samples: Float32Array, { b0, b1, b2, a1, a2 }: Biquad): Float32Array {
  const out = new Float32Array(samples.length)
  let x1 = 0
  let x2 = 0
  let y1 = 0
  let y2 = 0
  for (let i = 0; i < samples.length; i++) {
    const x = samples[i]!
    const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
    out[i] = y
    x2 = x1
    x1 = x
    y2 = y1
    y1 = y
  }
  return out
}

/**
 * Limits peaks to the ceiling, in place. A running minimum spreads the required gain to its surroundings. A running
 * mean of the same width smooths it and so never exceeds the required gain.
 */
function limitPeaks(samples: Float32Array, lookAheadSamples: number): void {
  if (!samples.some((value) => Math.abs(value) > peakMax)) return
  const needed = samples.map((value) => Math.min(1, peakMax / Math.abs(value)))
  const gain = runningMean(runningMinimum(needed, lookAheadSamples), lookAheadSamples)
  for (let i = 0; i < samples.length; i++) {
    // The clamp only corrects rounding errors of the mean.
    samples[i] = Math.max(-peakMax, Math.min(peakMax, samples[i]! * gain[i]!))
  }
}

/** out[i] = the minimum of values[i − radius … i + radius]. `queue` holds the candidates, so time is linear. */
function runningMinimum(values: Float32Array, radius: number): Float32Array {
  const out = new Float32Array(values.length)
  const queue = new Int32Array(values.length)
  let head = 0
  let tail = 0
  let next = 0
  for (let i = 0; i < values.length; i++) {
    for (; next < values.length && next <= i + radius; next++) {
      while (tail > head && values[queue[tail - 1]!]! >= values[next]!) tail--
      queue[tail++] = next
    }
    while (queue[head]! < i - radius) head++
    out[i] = values[queue[head]!]!
  }
  return out
}

/** out[i] = the mean of values[i − radius … i + radius]; the outermost values continue beyond the ends. */
function runningMean(values: Float32Array, radius: number): Float32Array {
  const out = new Float32Array(values.length)
  const last = values.length - 1
  const at = (i: number) => values[Math.max(0, Math.min(last, i))]!
  let sum = 0
  for (let i = -radius; i <= radius; i++) sum += at(i)
  for (let i = 0; i < values.length; i++) {
    out[i] = sum / (2 * radius + 1)
    sum += at(i + radius + 1) - at(i - radius)
  }
  return out
}
