/**
 * Changes the sample rate with a windowed sinc, one filter per output phase (Smith, "Digital Audio Resampling", CCRMA).
 * The filter is flat to 0.92 of the lower Nyquist frequency, 110 dB down at it, and has no delay.
 */
import type { Pcm } from './pcm'

/** Passband edge as a share of the lower Nyquist frequency. */
const passband = 0.92
const stopbandDb = 110
/** Ratios with more phases interpolate between neighbors: with 1024 phases the error is below −115 dB. */
const phasesMax = 1024
const cachedBanksMax = 8
const sampleRateMin = 1000
const sampleRateMax = 384_000

/** `filters` holds `phases + 1` filters of `taps` each; phase p is for a position p/phases past a sample. */
type FilterBank = { readonly phases: number; readonly taps: number; readonly filters: Float32Array }

const banks = new Map<string, FilterBank>()

/**
 * The same sound at another rate: round(n · out / in) samples, aligned at the first. Throws `RangeError` on a rate
 * outside 1000…384000 Hz.
 */
export function resample(pcm: Pcm, sampleRate: number): Pcm {
  for (const rate of [pcm.sampleRate, sampleRate]) {
    if (!Number.isInteger(rate) || rate < sampleRateMin || rate > sampleRateMax) {
      throw new RangeError(`Sample rate ${rate} Hz is not a whole number in ${sampleRateMin}…${sampleRateMax}.`)
    }
  }
  if (pcm.sampleRate === sampleRate) return pcm

  const divisor = greatestCommonDivisor(pcm.sampleRate, sampleRate)
  const up = sampleRate / divisor
  const down = pcm.sampleRate / divisor
  const { phases, taps, filters } = filterBank(pcm.sampleRate, sampleRate, up)
  const out = new Float32Array(Math.round((pcm.samples.length * sampleRate) / pcm.sampleRate))
  const padded = new Float32Array(pcm.samples.length + 2 * taps)
  padded.set(pcm.samples, taps / 2 - 1)

  const wholeStep = Math.floor(down / up)
  const partStep = down % up
  // The position in the input is start + part/up.
  let start = 0
  let part = 0
  for (let i = 0; i < out.length; i++) {
    if (phases === up) {
      out[i] = dotProduct(padded, start, filters, part * taps, taps)
    } else {
      const position = (part / up) * phases
      const phase = Math.floor(position)
      const before = dotProduct(padded, start, filters, phase * taps, taps)
      const after = dotProduct(padded, start, filters, (phase + 1) * taps, taps)
      out[i] = before + (after - before) * (position - phase)
    }
    start += wholeStep
    part += partStep
    if (part >= up) {
      part -= up
      start++
    }
  }
  return { samples: out, sampleRate }
}

/** Four parallel sums: a single one would wait for each addition. `taps` is a multiple of 4. */
function dotProduct(signal: Float32Array, start: number, filters: Float32Array, offset: number, taps: number): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  for (let i = 0; i < taps; i += 4) {
    const s = start + i
    const f = offset + i
    a += signal[s]! * filters[f]!
    b += signal[s + 1]! * filters[f + 1]!
    c += signal[s + 2]! * filters[f + 2]!
    d += signal[s + 3]! * filters[f + 3]!
  }
  return a + b + c + d
}

function filterBank(inputRate: number, outputRate: number, up: number): FilterBank {
  const key = `${inputRate}/${outputRate}`
  const known = banks.get(key)
  if (known) return known
  const oldest = banks.size < cachedBanksMax ? undefined : banks.keys().next().value
  if (oldest !== undefined) banks.delete(oldest)
  const bank = designFilterBank(inputRate, outputRate, Math.min(up, phasesMax))
  banks.set(key, bank)
  return bank
}

/** Kaiser's formulas for the window's shape and length: Oppenheim & Schafer, "Discrete-Time Signal Processing", 7.6. */
function designFilterBank(inputRate: number, outputRate: number, phases: number): FilterBank {
  const nyquistHz = Math.min(inputRate, outputRate) / 2
  const transition = ((1 - passband) * nyquistHz * 2 * Math.PI) / inputRate
  // −6 dB in the middle of the transition band; relative to the input's Nyquist frequency.
  const cutoff = ((1 + passband) * nyquistHz) / inputRate
  const taps = 4 * Math.ceil((stopbandDb - 7.95) / (2.285 * transition) / 4)
  const half = taps / 2
  const beta = 0.1102 * (stopbandDb - 8.7)
  const windowScale = 1 / besselI0(beta)

  const filters = new Float32Array((phases + 1) * taps)
  const filter = new Float64Array(taps)
  for (let phase = 0; phase <= phases; phase++) {
    let sum = 0
    for (let k = 0; k < taps; k++) {
      const distance = k - half + 1 - phase / phases
      const inWindow = distance / half
      const angle = Math.PI * cutoff * distance
      const sinc = angle === 0 ? 1 : Math.sin(angle) / angle
      const window = Math.abs(inWindow) >= 1 ? 0 : besselI0(beta * Math.sqrt(1 - inWindow * inWindow)) * windowScale
      filter[k] = sinc * window
      sum += filter[k]!
    }
    // Normalize each phase's DC gain to 1; otherwise the phases would be heard as a tone.
    for (let k = 0; k < taps; k++) filters[phase * taps + k] = filter[k]! / sum
  }
  return { phases, taps, filters }
}

/** Modified Bessel function of the first kind, order 0, by its power series. */
function besselI0(x: number): number {
  let sum = 1
  let term = 1
  for (let k = 1; term > 1e-16 * sum; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
