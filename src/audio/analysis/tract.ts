/**
 * The length of a speaker's vocal tract relative to another's. A shorter tract multiplies every resonance by one
 * factor. On a logarithmic axis this shifts the statistics of the spectral envelope: its mean and spread over all
 * voiced sounds, whatever the words. Formant peaks, the usual method, are useless on a few seconds of speech as
 * measured. This shift is within 2.5 % on known ratios.
 */
import type { Pcm } from '../pcm'
import { realFft } from './fft'
import { hannWindow } from './hann'
import { percentile } from './percentile'
import type { PitchTrack } from './pitch'

/** The envelope's axis: 16 bins per octave from 250 Hz to 6200 Hz. */
const lowestHz = 250
const binsPerOctave = 16
const bins = Math.floor(Math.log2(6200 / lowestHz) * binsPerOctave)
/** Sample rate of the analysis, Hz. */
export const envelopeSampleRate = 16_000
const frameSamples = 512
const fftSize = 1024
const preEmphasis = 0.97
/** Voiced frames more than 20 dB below the loud ones say little about the tract. */
const loudShare = 0.9
const quietPower = 0.01
/** Searches ratios up to this and its inverse. */
const ratioMax = 1.3
const spreadWeight = 0.7
const shiftCost = 0.25
const framesMin = 20

/**
 * Mean and standard deviation of the envelope per bin, natural logarithms of power. Empty with too few voiced frames.
 */
export type EnvelopeStatistics = { readonly mean: readonly number[]; readonly spread: readonly number[] }

/** Analyzes the voiced frames of `pcm`, sampled at `envelopeSampleRate`. Throws `RangeError` at another rate. */
export function envelopeStatistics({ samples, sampleRate }: Pcm, pitch: PitchTrack): EnvelopeStatistics {
  if (sampleRate !== envelopeSampleRate)
    throw new RangeError(`The envelope needs ${envelopeSampleRate} Hz, not ${sampleRate} Hz.`)
  const envelopeOf = envelopeTaker(samples)
  const envelopes: Float64Array[] = []
  const powers: number[] = []
  for (const [frame, hz] of pitch.hz.entries()) {
    const start = frame * pitch.stepSamples - frameSamples / 2
    if (!(hz > 0) || start < 1 || start + frameSamples > samples.length) continue
    const { envelope, power } = envelopeOf(start, hz)
    envelopes.push(envelope)
    powers.push(power)
  }
  const threshold = percentile(powers, loudShare) * quietPower
  const loud = envelopes.filter((_, i) => powers[i]! > threshold)
  if (loud.length < framesMin) return { mean: [], spread: [] }
  const mean = new Float64Array(bins)
  const spread = new Float64Array(bins)
  for (const envelope of loud) for (let b = 0; b < bins; b++) mean[b]! += envelope[b]! / loud.length
  for (const envelope of loud) for (let b = 0; b < bins; b++) spread[b]! += (envelope[b]! - mean[b]!) ** 2 / loud.length
  return { mean: [...mean], spread: [...spread.map(Math.sqrt)] }
}

/**
 * The ratio of the resonances of `speaker` to those of `other`, 1/1.3…1.3: above 1 for a shorter tract. `likeness` is
 * the correlation at that ratio, at most 1.7. Slope and curvature belong to the microphone and are removed first.
 * Without statistics the ratio is 1.
 */
export function tractRatio(
  speaker: EnvelopeStatistics,
  other: EnvelopeStatistics,
): { ratio: number; likeness: number } {
  let best = { ratio: 1, likeness: -Infinity }
  if (speaker.mean.length !== bins || other.mean.length !== bins) return { ratio: 1, likeness: 0 }
  const shiftMax = Math.round(binsPerOctave * Math.log2(ratioMax))
  for (let shift = -shiftMax; shift <= shiftMax; shift += 0.25) {
    const likeness =
      shiftedCorrelation(speaker.mean, other.mean, shift) +
      spreadWeight * shiftedCorrelation(speaker.spread, other.spread, shift) -
      shiftCost * (shift / shiftMax) ** 2
    if (likeness > best.likeness) best = { ratio: 2 ** (shift / binsPerOctave), likeness }
  }
  return best
}

/** Cepstral envelopes: the log spectrum smoothed over the harmonics. Each is zero-mean, so loudness does not count. */
function envelopeTaker(samples: Float32Array) {
  const fft = realFft(fftSize)
  const window = hannWindow(frameSamples)
  const frame = new Float64Array(frameSamples)
  const re = new Float64Array(fftSize / 2 + 1)
  const im = new Float64Array(fftSize / 2 + 1)
  const cepstrum = new Float64Array(fftSize)
  return (start: number, hz: number): { envelope: Float64Array; power: number } => {
    let power = 0
    for (let i = 0; i < frameSamples; i++) {
      const value = samples[start + i]!
      power += value * value
      frame[i] = (value - preEmphasis * samples[start + i - 1]!) * window[i]!
    }
    fft.forward(frame, re, im)
    for (let k = 0; k < re.length; k++) re[k] = Math.log(re[k]! ** 2 + im[k]! ** 2 + 1e-10)
    im.fill(0)
    fft.inverse(re, im, cepstrum)
    const cutoff = Math.min(64, Math.round((0.6 * envelopeSampleRate) / hz))
    for (let q = 0; q < fftSize; q++) {
      const quefrency = Math.min(q, fftSize - q)
      cepstrum[q]! *= quefrency >= cutoff ? 0 : 0.5 + 0.5 * Math.cos((Math.PI * quefrency) / cutoff)
    }
    fft.forward(cepstrum, re, im)
    const envelope = new Float64Array(bins)
    for (let b = 0; b < bins; b++) {
      envelope[b] = valueAt(re, (lowestHz * 2 ** (b / binsPerOctave) * fftSize) / envelopeSampleRate)
    }
    const mean = envelope.reduce((sum, value) => sum + value, 0) / bins
    for (let b = 0; b < bins; b++) envelope[b]! -= mean
    return { envelope, power }
  }
}

/** Correlation of `a` with `b` shifted up by `shift` bins, where they overlap. */
function shiftedCorrelation(a: readonly number[], b: readonly number[], shift: number): number {
  const first = Math.max(0, Math.ceil(shift))
  const last = Math.min(bins - 2, Math.floor(bins - 2 + shift))
  const ours = new Float64Array(last - first + 1)
  const theirs = new Float64Array(last - first + 1)
  for (let i = first; i <= last; i++) {
    ours[i - first] = a[i]!
    theirs[i - first] = valueAt(b, i - shift)
  }
  return correlation(withoutParabola(ours), withoutParabola(theirs))
}

/** Linear interpolation. */
function valueAt(values: ArrayLike<number>, position: number): number {
  const below = Math.floor(position)
  const value = values[below]!
  return position === below ? value : value + (values[below + 1]! - value) * (position - below)
}

function correlation(a: Float64Array, b: Float64Array): number {
  let aa = 0
  let bb = 0
  let ab = 0
  for (let i = 0; i < a.length; i++) {
    aa += a[i]! * a[i]!
    bb += b[i]! * b[i]!
    ab += a[i]! * b[i]!
  }
  return ab / Math.sqrt(aa * bb + 1e-9)
}

/** `values` minus their least-squares parabola, by projection on the orthogonal polynomials of degree 0, 1 and 2. */
function withoutParabola(values: Float64Array): Float64Array {
  const n = values.length
  const rest = values.slice()
  const constant = new Float64Array(n).fill(1)
  const linear = constant.map((_, i) => i - (n - 1) / 2)
  const meanSquare = linear.reduce((sum, x) => sum + x * x, 0) / n
  for (const basis of [constant, linear, linear.map((x) => x * x - meanSquare)]) {
    let product = 0
    let square = 0
    for (let i = 0; i < n; i++) {
      product += rest[i]! * basis[i]!
      square += basis[i]! * basis[i]!
    }
    for (let i = 0; i < n; i++) rest[i]! -= (product / square) * basis[i]!
  }
  return rest
}
