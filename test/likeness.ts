/**
 * Measures of the similarity of two voices, independent of the adaptation's own: pitch and harmonicity by normalized
 * cross-correlation of the signal itself (no window, no path search), the spectrum over all frames, and cepstra that
 * the adaptation does not use.
 */
import { powerOfTwoAbove, realFft } from '../src/audio/analysis/fft'
import type { Pcm } from '../src/audio/pcm'
import { resample } from '../src/audio/resample'
import { median } from './audio/signals'

const sampleRate = 16_000

export type Likeness = {
  pitchHz: number
  spreadSemitones: number
  harmonicityDb: number
  ltasDb: number[]
  cepstra: Cepstra
}
type Cepstra = { mean: number[]; variance: number[] }

/** Measures the voice in `pcm`. */
export function measureLikeness(pcm: Pcm): Likeness {
  const { samples } = resample(pcm, sampleRate)
  const { hz, harmonicity } = crossCorrelate(samples)
  if (hz.length === 0) throw new Error('nothing is voiced')
  const sorted = hz.map((value) => 12 * Math.log2(value)).sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!
  return {
    pitchHz: median(hz),
    spreadSemitones: (at(0.84) - at(0.16)) / 2,
    harmonicityDb: median(harmonicity),
    ltasDb: ltas(samples),
    cepstra: cepstra(samples),
  }
}

export type Difference = {
  pitchSemitones: number
  spreadSemitones: number
  ltasDb: number
  harmonicityDb: number
  cepstral: number
}

export function compareVoices(a: Likeness, b: Likeness): Difference {
  const squares = a.ltasDb.map((value, k) => (value - b.ltasDb[k]!) ** 2)
  return {
    pitchSemitones: Math.abs(12 * Math.log2(a.pitchHz / b.pitchHz)),
    spreadSemitones: Math.abs(a.spreadSemitones - b.spreadSemitones),
    ltasDb: Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / squares.length),
    harmonicityDb: Math.abs(a.harmonicityDb - b.harmonicityDb),
    cepstral: cepstralDivergence(a.cepstra, b.cepstra),
  }
}

/** Levels of quarter octaves from 168 Hz to 6727 Hz, dB, minus their mean over 200…4000 Hz. */
const ltasBandsHz = Array.from({ length: 22 }, (_, k) => 168.2 * 2 ** (k / 4))

function ltas(samples: Float32Array): number[] {
  const size = 512
  const mean = new Float64Array(size / 2 + 1)
  for (const { power } of activeFrames(samples, size, size / 2))
    for (let k = 0; k < mean.length; k++) mean[k]! += power[k]!
  const db = ltasBandsHz.map((hz) => {
    const first = Math.floor((hz * 2 ** -0.125 * size) / sampleRate)
    const last = Math.ceil((hz * 2 ** 0.125 * size) / sampleRate)
    const band = mean.subarray(first, last + 1)
    return 10 * Math.log10(band.reduce((sum, value) => sum + value, 1e-12) / band.length)
  })
  const middle = db.filter((_, k) => ltasBandsHz[k]! >= 200 && ltasBandsHz[k]! <= 4000)
  const level = middle.reduce((sum, value) => sum + value, 0) / middle.length
  return db.map((value) => value - level)
}

/** Power spectra of the frames within 30 dB of the loud ones. */
function activeFrames(samples: Float32Array, length: number, hop: number): { power: Float64Array }[] {
  const fft = realFft(powerOfTwoAbove(length))
  const frames: { power: Float64Array; energy: number }[] = []
  const frame = new Float64Array(length)
  for (let start = 0; start + length <= samples.length; start += hop) {
    let energy = 0
    for (let i = 0; i < length; i++) {
      const value = samples[start + i]!
      energy += value * value
      frame[i] = value * (0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / length))
    }
    const power = new Float64Array(fft.size / 2 + 1)
    const im = new Float64Array(fft.size / 2 + 1)
    fft.forward(frame, power, im)
    for (let k = 0; k < power.length; k++) power[k] = power[k]! ** 2 + im[k]! ** 2
    frames.push({ power, energy })
  }
  const energies = frames.map(({ energy }) => energy).sort((a, b) => a - b)
  const threshold = (energies[Math.floor(0.95 * energies.length)] ?? 0) * 1e-3
  return frames.filter(({ energy }) => energy > threshold)
}

/** Fundamental frequency (60…500 Hz) and harmonicity of clearly voiced frames of 40 ms, every 10 ms. */
function crossCorrelate(samples: Float32Array): { hz: number[]; harmonicity: number[] } {
  const length = 640
  const [lagMin, lagMax] = [sampleRate / 500, Math.ceil(sampleRate / 60)]
  const loudest = activeEnergy(samples, length)
  const hz: number[] = []
  const harmonicity: number[] = []
  const likeness = new Float64Array(lagMax + 2)
  for (let start = 0; start + length + lagMax + 1 < samples.length; start += 160) {
    let here = 0
    for (let i = start; i < start + length; i++) here += samples[i]! ** 2
    if (here < loudest * 0.003) continue
    let there = 0
    for (let i = start + lagMin - 1; i < start + lagMin - 1 + length; i++) there += samples[i]! ** 2
    for (let lag = lagMin - 1; lag <= lagMax + 1; lag++) {
      let product = 0
      for (let i = start; i < start + length; i++) product += samples[i]! * samples[i + lag]!
      likeness[lag] = product / Math.sqrt(here * there + 1e-12)
      there += samples[start + lag + length]! ** 2 - samples[start + lag]! ** 2
    }
    let most = 0
    for (let lag = lagMin; lag <= lagMax; lag++) most = Math.max(most, likeness[lag]!)
    if (most < 0.65) continue
    for (let lag = lagMin; lag <= lagMax; lag++) {
      const [a, b, c] = [likeness[lag - 1]!, likeness[lag]!, likeness[lag + 1]!]
      if (b < 0.9 * most || b < a || b < c) continue
      hz.push(sampleRate / (lag + (a - c) / (2 * (a - 2 * b + c))))
      break
    }
    const share = Math.min(0.9999, most)
    harmonicity.push(10 * Math.log10(share / (1 - share)))
  }
  return { hz, harmonicity }
}

function activeEnergy(samples: Float32Array, length: number): number {
  let loudest = 0
  for (let start = 0; start + length <= samples.length; start += length)
    loudest = Math.max(
      loudest,
      samples.subarray(start, start + length).reduce((sum, value) => sum + value * value, 0),
    )
  return loudest
}

/** Means and variances of 20 mel-frequency cepstral coefficients (without the level). */
function cepstra(samples: Float32Array): Cepstra {
  const [length, channels, count] = [400, 26, 20]
  const size = powerOfTwoAbove(length)
  const mel = (hz: number) => 2595 * Math.log10(1 + hz / 700)
  const [low, high] = [mel(80), mel(7500)]
  const edges = Array.from({ length: channels + 2 }, (_, i) => {
    return (700 * (10 ** ((low + ((high - low) * i) / (channels + 1)) / 2595) - 1) * size) / sampleRate
  })
  const rows = activeFrames(samples, length, 160).map(({ power }) => {
    const logs = Array.from({ length: channels }, (_, c) => {
      let sum = 1e-10
      for (let k = Math.ceil(edges[c]!); k <= edges[c + 2]!; k++) {
        const rising = (k - edges[c]!) / (edges[c + 1]! - edges[c]!)
        const falling = (edges[c + 2]! - k) / (edges[c + 2]! - edges[c + 1]!)
        sum += Math.max(0, Math.min(rising, falling)) * power[k]!
      }
      return Math.log(sum)
    })
    return Array.from({ length: count }, (_, k) =>
      logs.reduce((sum, value, c) => sum + value * Math.cos((Math.PI * (k + 1) * (c + 0.5)) / channels), 0),
    )
  })
  const mean = Array.from({ length: count }, (_, k) => rows.reduce((sum, row) => sum + row[k]!, 0) / rows.length)
  const variance = mean.map((m, k) => rows.reduce((sum, row) => sum + (row[k]! - m) ** 2, 1e-6) / rows.length)
  return { mean, variance }
}

/** Symmetric Kullback–Leibler divergence of two normal distributions, mean over the coefficients. */
function cepstralDivergence(a: Cepstra, b: Cepstra): number {
  let sum = 0
  for (let k = 0; k < a.mean.length; k++) {
    const square = (a.mean[k]! - b.mean[k]!) ** 2
    const [va, vb] = [a.variance[k]!, b.variance[k]!]
    sum += 0.5 * ((va + square) / vb + (vb + square) / va) - 1
  }
  return sum / a.mean.length
}
