/**
 * The long-term average spectrum of speech: power in quarter octaves over all frames that are not pauses, separately
 * for voiced and unvoiced sounds. It describes what stays the same from sentence to sentence: the voice and the
 * microphone.
 */
import type { Pcm } from '../pcm'
import { powerOfTwoAbove, realFft } from './fft'
import { hannWindow } from './hann'
import { percentile } from './percentile'
import type { PitchTrack } from './pitch'

/** Band centers, a quarter octave apart, 100 to 6400 Hz. */
export const bandsHz: readonly number[] = Array.from({ length: 25 }, (_, k) => 100 * 2 ** (k / 4))

const frameSeconds = 0.032
/** Frames more than 30 dB below the loud ones are pauses. */
const loudShare = 0.95
const pausePower = 1e-3
/** Floor of every band; it stands for silence. */
const powerMin = 1e-12

/** Mean power of each band in dB, against full scale per FFT bin, over `seconds` of sound. */
export type BandLevels = { readonly db: Float64Array; readonly seconds: number }

export type LongTermSpectrum = { readonly all: BandLevels; readonly voiced: BandLevels; readonly unvoiced: BandLevels }

/** The spectrum of `pcm`; `pitch` says which frames are voiced. Bands above Nyquist repeat the last one below. */
export function longTermSpectrum(pcm: Pcm, pitch: PitchTrack): LongTermSpectrum {
  const { samples, sampleRate } = pcm
  const size = powerOfTwoAbove(frameSeconds * sampleRate)
  const hop = size / 2
  const frames = Math.max(0, Math.floor((samples.length - size) / hop) + 1)
  const powers = framePowers(samples, frames, size, hop)
  const threshold = Math.max(powerMin, percentile(powers, loudShare) * pausePower)

  const fft = realFft(size)
  const window = hannWindow(size)
  const frame = new Float64Array(size)
  const re = new Float64Array(size / 2 + 1)
  const im = new Float64Array(size / 2 + 1)
  const sums = { voiced: new Float64Array(size / 2 + 1), unvoiced: new Float64Array(size / 2 + 1) }
  const counts = { voiced: 0, unvoiced: 0 }
  for (let f = 0; f < frames; f++) {
    if (!(powers[f]! >= threshold)) continue
    for (let i = 0; i < size; i++) frame[i] = samples[f * hop + i]! * window[i]!
    fft.forward(frame, re, im)
    const kind = isVoicedAt(pitch, f * hop + hop) ? 'voiced' : 'unvoiced'
    const sum = sums[kind]
    counts[kind]++
    for (let k = 0; k < sum.length; k++) sum[k]! += re[k]! ** 2 + im[k]! ** 2
  }

  const levels = (sum: Float64Array, count: number): BandLevels => ({
    db: bandLevels(sum, count, sampleRate / size),
    seconds: (count * hop) / sampleRate,
  })
  const both = sums.voiced.map((value, k) => value + sums.unvoiced[k]!)
  return {
    all: levels(both, counts.voiced + counts.unvoiced),
    voiced: levels(sums.voiced, counts.voiced),
    unvoiced: levels(sums.unvoiced, counts.unvoiced),
  }
}

export function isVoicedAt({ hz, stepSamples }: PitchTrack, sample: number): boolean {
  return hz.length > 0 && hz[Math.min(hz.length - 1, Math.round(sample / stepSamples))]! > 0
}

/** The mean of a spectrum over the bands with centers in 200…4000 Hz, which determine loudness. */
export function meanLevelDb(db: ArrayLike<number>): number {
  let sum = 0
  let count = 0
  for (const [k, hz] of bandsHz.entries()) {
    if (hz < 200 || hz > 4000) continue
    sum += db[k]!
    count++
  }
  return sum / count
}

function framePowers(samples: Float32Array, frames: number, size: number, hop: number): Float64Array {
  const powers = new Float64Array(frames)
  for (let f = 0; f < frames; f++) {
    let sum = 0
    for (let i = f * hop; i < f * hop + size; i++) sum += samples[i]! * samples[i]!
    powers[f] = sum / size
  }
  return powers
}

function bandLevels(sum: Float64Array, count: number, binHz: number): Float64Array {
  const out = new Float64Array(bandsHz.length)
  for (const [band, hz] of bandsHz.entries()) {
    const first = Math.max(1, Math.floor((hz * 2 ** (-1 / 8)) / binHz))
    const last = Math.min(sum.length - 1, Math.ceil((hz * 2 ** (1 / 8)) / binHz))
    if (first > last) {
      out[band] = out[band - 1]!
      continue
    }
    let power = 0
    for (let k = first; k <= last; k++) power += sum[k]!
    out[band] = 10 * Math.log10(power / (last - first + 1) / Math.max(1, count) + powerMin)
  }
  return out
}
