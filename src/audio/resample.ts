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
/** Outputs of a block, whose inputs stay in the cache while all phases use them. */
const blockFramesMin = 4096
const sampleRateMin = 1000
const sampleRateMax = 384_000

/** `filters` holds `phases + 1` filters of `taps` each; phase p is for a position p/phases past a sample. */
type FilterBank = { readonly phases: number; readonly taps: number; readonly filters: Float64Array }

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
  const bank = filterBank(pcm.sampleRate, sampleRate, up)
  const fill = bank.phases === up ? fillByPhase : fillBetweenPhases
  const out = new Float32Array(Math.round((pcm.samples.length * sampleRate) / pcm.sampleRate))
  // Each block begins at a sample of the input and at one of the output.
  const cycles = Math.max(1, Math.ceil(blockFramesMin / up))
  const inputs = new Float64Array(cycles * down + bank.taps)
  for (let block = 0; block * cycles * up < out.length; block++) {
    copyPart(pcm.samples, block * cycles * down + 1 - bank.taps / 2, inputs)
    fill(out.subarray(block * cycles * up, (block + 1) * cycles * up), inputs, bank, { up, down })
  }
  return { samples: out, sampleRate }
}

/** Fills `into` with the samples from `from` on, and with zeros outside of them. Doubles spare conversions later. */
function copyPart(samples: Float32Array, from: number, into: Float64Array): void {
  const before = Math.min(into.length, Math.max(0, -from))
  const part = samples.subarray(from + before, Math.max(0, from + into.length))
  into.fill(0, 0, before)
  into.set(part, before)
  into.fill(0, before + part.length)
}

/** Up to `down` samples of the input for `up` of the output. */
type Ratio = { readonly up: number; readonly down: number }

/**
 * Fills `out` from `inputs`, whose first samples are those of the first output. Four outputs of one phase at a time use
 * each tap of its filter at once.
 */
function fillByPhase(
  out: Float32Array,
  inputs: Float64Array,
  { taps, filters }: FilterBank,
  { up, down }: Ratio,
): void {
  for (let first = 0; first < Math.min(up, out.length); first++) {
    const part = (first * down) % up
    const filter = part * taps
    let start = (first * down - part) / up
    let i = first
    for (; i + 3 * up < out.length; i += 4 * up, start += 4 * down) {
      let a = 0
      let b = 0
      let c = 0
      let d = 0
      for (let k = 0; k < taps; k += 4) {
        const at = start + k
        const f0 = filters[filter + k]!
        const f1 = filters[filter + k + 1]!
        const f2 = filters[filter + k + 2]!
        const f3 = filters[filter + k + 3]!
        a += inputs[at]! * f0 + inputs[at + 1]! * f1 + inputs[at + 2]! * f2 + inputs[at + 3]! * f3
        const nextB = at + down
        b += inputs[nextB]! * f0 + inputs[nextB + 1]! * f1 + inputs[nextB + 2]! * f2 + inputs[nextB + 3]! * f3
        const nextC = nextB + down
        c += inputs[nextC]! * f0 + inputs[nextC + 1]! * f1 + inputs[nextC + 2]! * f2 + inputs[nextC + 3]! * f3
        const nextD = nextC + down
        d += inputs[nextD]! * f0 + inputs[nextD + 1]! * f1 + inputs[nextD + 2]! * f2 + inputs[nextD + 3]! * f3
      }
      out[i] = a
      out[i + up] = b
      out[i + 2 * up] = c
      out[i + 3 * up] = d
    }
    for (; i < out.length; i += up, start += down) out[i] = dotProduct(inputs, start, filters, filter, taps)
  }
}

/** The same for more phases than the bank has: interpolates between the outputs of two filters. */
function fillBetweenPhases(
  out: Float32Array,
  inputs: Float64Array,
  { phases, taps, filters }: FilterBank,
  { up, down }: Ratio,
): void {
  for (let i = 0; i < out.length; i++) {
    const part = (i * down) % up
    const start = (i * down - part) / up
    const position = (part / up) * phases
    const phase = Math.floor(position)
    const before = dotProduct(inputs, start, filters, phase * taps, taps)
    const after = dotProduct(inputs, start, filters, (phase + 1) * taps, taps)
    out[i] = before + (after - before) * (position - phase)
  }
}

/** Sums four taps at a time, as `fillByPhase` does. `taps` is a multiple of 4. */
function dotProduct(inputs: Float64Array, start: number, filters: Float64Array, filter: number, taps: number): number {
  let sum = 0
  for (let k = 0; k < taps; k += 4) {
    const s = start + k
    const f = filter + k
    sum +=
      inputs[s]! * filters[f]! +
      inputs[s + 1]! * filters[f + 1]! +
      inputs[s + 2]! * filters[f + 2]! +
      inputs[s + 3]! * filters[f + 3]!
  }
  return sum
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

  const filters = new Float64Array((phases + 1) * taps)
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
