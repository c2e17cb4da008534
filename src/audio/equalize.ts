/**
 * Equalizes sound by a curve in dB with minimum-phase filters, which smear no plosive backwards in time (Oppenheim &
 * Schafer, "Discrete-Time Signal Processing", 13.5: the cepstrum folded onto its causal side).
 */
import { powerOfTwoAbove, realFft } from './analysis/fft'
import { bandsHz } from './analysis/spectrum'

const designSize = 2048
const tapSeconds = 0.016
const dbMax = 60

/**
 * Filters `samples` with the gains `bandsDb`, in dB at `bandsHz`: linear between the band centers, constant beyond the
 * outermost. Returns as many samples, without delay.
 */
export function equalize(samples: Float32Array, sampleRate: number, bandsDb: readonly number[]): Float32Array {
  if (bandsDb.every((gain) => gain === 0)) return samples.slice()
  return convolve(samples, minimumPhaseFilter(bandsDb, sampleRate))
}

export function minimumPhaseFilter(bandsDb: readonly number[], sampleRate: number): Float64Array {
  const fft = realFft(designSize)
  const bins = designSize / 2 + 1
  const re = new Float64Array(bins)
  const im = new Float64Array(bins)
  const cepstrum = new Float64Array(designSize)
  for (let k = 0; k < bins; k++) re[k] = (gainAt(bandsDb, (k * sampleRate) / designSize) * Math.LN10) / 20
  fft.inverse(re, im, cepstrum)
  for (let q = 1; q < designSize / 2; q++) cepstrum[q]! *= 2
  cepstrum.fill(0, designSize / 2 + 1)
  fft.forward(cepstrum, re, im)
  for (let k = 0; k < bins; k++) {
    const magnitude = Math.exp(re[k]!)
    const phase = im[k]!
    re[k] = magnitude * Math.cos(phase)
    im[k] = magnitude * Math.sin(phase)
  }
  const response = new Float64Array(designSize)
  fft.inverse(re, im, response)
  const taps = Math.min(designSize / 2, Math.round(tapSeconds * sampleRate))
  const filter = response.slice(0, taps)
  // Fade the end out instead of cutting it.
  for (let i = taps >> 1; i < taps; i++) filter[i]! *= 0.5 + 0.5 * Math.cos((Math.PI * (2 * i - taps)) / taps)
  return filter
}

/** The gain in dB at a frequency, linear between two bands on the logarithmic axis. */
function gainAt(bandsDb: readonly number[], hz: number): number {
  const octaves = Math.log2(Math.max(hz, 1) / bandsHz[0]!)
  const place = Math.max(0, Math.min(bandsHz.length - 1, octaves * 4))
  const below = Math.floor(place)
  const low = bandsDb[below] ?? 0
  const high = bandsDb[Math.min(bandsHz.length - 1, below + 1)] ?? 0
  return Math.max(-dbMax, Math.min(dbMax, low + (high - low) * (place - below)))
}

/** Fast convolution by overlap-add. Returns as many samples as `samples` has. */
export function convolve(samples: Float32Array, filter: Float64Array): Float32Array {
  const fft = realFft(powerOfTwoAbove(4 * filter.length))
  const block = fft.size - filter.length + 1
  const bins = fft.size / 2 + 1
  const [filterRe, filterIm] = [new Float64Array(bins), new Float64Array(bins)]
  fft.forward(filter, filterRe, filterIm)
  const [re, im] = [new Float64Array(bins), new Float64Array(bins)]
  const part = new Float64Array(fft.size)
  const out = new Float32Array(samples.length)
  for (let start = 0; start < samples.length; start += block) {
    fft.forward(samples.subarray(start, start + block), re, im)
    for (let k = 0; k < bins; k++) {
      const product = re[k]! * filterRe[k]! - im[k]! * filterIm[k]!
      im[k] = re[k]! * filterIm[k]! + im[k]! * filterRe[k]!
      re[k] = product
    }
    fft.inverse(re, im, part)
    const end = Math.min(samples.length - start, fft.size)
    for (let i = 0; i < end; i++) out[start + i]! += part[i]!
  }
  return out
}
