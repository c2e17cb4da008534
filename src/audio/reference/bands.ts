/**
 * A recording's power in quarter octaves over time, and the measurements from it: pauses, noise, bandwidth and
 * reverberation.
 */
import { powerOfTwoAbove } from '../analysis/fft'
import type { Pcm } from '../pcm'
import { percentile } from '../analysis/percentile'
import { powerSpectrumTaker } from './power-spectrum'

export const frameStepSeconds = 0.016
export const frameSeconds = 0.032
/** Lower edges of the bands: 95 Hz to 6400 Hz, a quarter octave each. */
const edgesHz = Array.from({ length: 26 }, (_, k) => 95.14 * 2 ** (k / 4))
/** Usable share of the Nyquist frequency; anti-aliasing filters attenuate the rest. */
const usableShare = 0.96
/** Scales power to full scale 1 for any frame length and compensates the Hann window. */
const windowGain = 16 / 3
const powerMin = 1e-14

export type BandPowers = {
  /** Mean square of each frame, per band below the Nyquist frequency. */
  readonly bands: readonly Float64Array[]
  /** Mean square of each frame over all bands. */
  readonly total: Float64Array
}

export function measureBands({ samples, sampleRate }: Pcm): BandPowers {
  const size = powerOfTwoAbove(frameSeconds * sampleRate)
  const step = Math.round(frameStepSeconds * sampleRate)
  const frames = Math.max(0, Math.floor((samples.length - size) / step) + 1)
  const held = edgesHz.filter((_, k) => k > 0 && edgesHz[k]! <= (usableShare * sampleRate) / 2).length
  const bins = edgesHz.slice(0, held + 1).map((hz) => Math.ceil((hz * size) / sampleRate))
  const bands = Array.from({ length: held }, () => new Float64Array(frames).fill(powerMin))
  const total = new Float64Array(frames)

  const spectrumAt = powerSpectrumTaker(samples, size)
  for (let frame = 0; frame < frames; frame++) {
    const spectrum = spectrumAt(frame * step)
    for (let b = 0; b < held; b++) {
      bands[b]![frame]! += (windowGain * sumBetween(spectrum, bins[b]!, bins[b + 1]!)) / size ** 2
      total[frame]! += bands[b]![frame]!
    }
  }
  return { bands, total }
}

function sumBetween(values: Float64Array, from: number, to: number): number {
  let sum = 0
  for (let i = from; i < to; i++) sum += values[i]!
  return sum
}

/** The 95th percentile of the frames' power. It ignores single clicks. */
export function loudPower({ total }: BandPowers): number {
  return percentile(total, 0.95)
}

/**
 * The mean square of the background noise. Between the sounds of speech every band falls silent for moments, even where
 * the whole never does. So each band has its own floor (after Martin, "Noise power spectral density estimation based on
 * optimal smoothing and minimum statistics", IEEE TSAP 9, 2001).
 */
export function noisePower({ bands }: BandPowers): number {
  return bands.reduce((sum, powers) => sum + percentile(smoothed(powers), floorShare), 0)
}

const floorShare = 0.1
const smoothingFrames = 5

/** The mean of each value and its neighbors. */
function smoothed(values: Float64Array): Float64Array {
  const radius = smoothingFrames >> 1
  return values.map((_, at) => {
    const around = values.subarray(Math.max(0, at - radius), at + radius + 1)
    return around.reduce((sum, value) => sum + value, 0) / around.length
  })
}

/** Whether each frame exceeds `power`. Gaps up to 0.3 s, as between words, are filled. */
export function framesAbove({ total }: BandPowers, power: number): boolean[] {
  const above = Array.from(total, (value) => value > power)
  let last = -Infinity
  for (let frame = 0; frame < above.length; frame++) {
    if (!above[frame]) continue
    if ((frame - last) * frameStepSeconds <= wordGapSeconds) above.fill(true, last, frame)
    last = frame
  }
  return above
}

const wordGapSeconds = 0.3

/**
 * The level of fricatives (4.5 to 7.6 kHz) relative to vowels (0.95 to 3.2 kHz), in dB, each where it is loud. A
 * telephone line removes the fricatives.
 */
export function hissDb(powers: BandPowers): number {
  return 10 * Math.log10(loudPart(powers.bands.slice(22)) / loudPart(powers.bands.slice(13, 20)))
}

function loudPart(bands: readonly Float64Array[]): number {
  const sum = (bands[0] ?? new Float64Array(1)).map((_, frame) => bands.reduce((all, band) => all + band[frame]!, 0))
  return Math.max(powerMin, percentile(sum, 0.95))
}

/**
 * The fastest decay in dB per second. In a room with reverberation time T (60 dB) it hardly exceeds 60 / T (after Wen
 * et al., "Blind estimation of reverberation time based on the distribution of signal decay rates", ICASSP 2008).
 * Infinity with too few decays.
 */
export function decayDbPerSecond({ bands }: BandPowers): number {
  const slopes: number[] = []
  for (const powers of bands.slice(8, 22)) {
    const levels = powers.map((power) => 10 * Math.log10(power))
    const [floor, top] = [percentile(levels, floorShare), percentile(levels, 0.95)]
    for (let frame = 0; frame + slopeFrames <= levels.length; frame++) {
      const isLoud = levels[frame]! >= top - 20
      if (isLoud && levels[frame + slopeFrames - 1]! >= floor + 6) slopes.push(slopeAt(levels, frame))
    }
  }
  return slopes.length < slopesMin ? Infinity : -percentile(slopes, 0.05) / frameStepSeconds
}

const slopeFrames = 5
const slopesMin = 300

/** Slope of the least-squares line through `slopeFrames` values. */
function slopeAt(values: Float64Array, start: number): number {
  const middle = (slopeFrames - 1) / 2
  let products = 0
  let squares = 0
  for (let i = 0; i < slopeFrames; i++) {
    products += (i - middle) * values[start + i]!
    squares += (i - middle) ** 2
  }
  return products / squares
}
