/**
 * The vocoder's inner loop as WebAssembly, in AssemblyScript: a group of four frames at a time, one in each lane of a
 * vector. `scripts/assembly.ts` compiles this folder to `vocoder.wasm`.
 */
import { cosineOf, exp, round, sineOf, smallCosine, smallSine, tanh, wholeOf } from './functions'
import { addTransposed, storeTransposed } from './lanes'
import { noise, seedNoise, writeNoise } from './noise'
import { resetPulses } from './pulses'
import { bins, complexBytes, cosine, forward, inverse, prepareRoots, samples, signals, spectra } from './transform'

export { directions, radii } from './noise'
export { pulses, writePulses } from './pulses'
export { circle } from './transform'

const frames: usize = 4
const hop: usize = 300
/** Samples that the windows of a group cover. */
const groupSamples: usize = samples + (frames - 1) * hop
const rowLength: usize = 5 * bins
const vectorBytes: usize = 16
const logGainMax: f32 = 7

/** Input: four rows of spectra, and room for a vector. */
export const rows: usize = memory.data(4 * 3005 * 4 + 16, 16)
/** Input: the pulse train under the windows of the group. */
export const source: usize = memory.data(2100 * 4, 16)
/** Output: the group's sound, of which later groups change all but the first four hops. */
export const sound: usize = memory.data(2100 * 4, 16)

/** The rows as vectors, in the parts below. */
const values: usize = memory.data(3008 * 16, 16)
const harmonicGain: usize = values
const harmonicPhase: usize = values + bins * vectorBytes
const noiseGain: usize = values + 2 * bins * vectorBytes
const freeGain: usize = values + 3 * bins * vectorBytes
const freePhase: usize = values + 4 * bins * vectorBytes

/** A unit cosine peaks at half of this window's sum, so that the filter's gain is the magnitude of a harmonic. */
const analysisWindow: usize = memory.data(1200 * 4, 16)
/** Divided by the sum of the squared windows that overlap at a sample, away from both ends. */
const synthesisWindow: usize = memory.data(1200 * 4, 16)
const fullOverlap: f64 = 1.5

/** Makes tables of `circle`; once. */
export function prepare(): void {
  prepareRoots()
  for (let i: usize = 0; i < samples; i++) {
    const window = 0.5 - 0.5 * cosine(i)
    // `forward` doubles, `inverse` gives 1,200 times as much and the wrong sign to odd samples.
    store<f32>(analysisWindow + i * 4, <f32>(window / 300 / 2))
    store<f32>(synthesisWindow + i * 4, <f32>((i & 1 ? -window : window) / fullOverlap / 1200))
  }
}

/** Begins a sound. */
export function begin(): void {
  seedNoise()
  resetPulses()
  memory.fill(sound, 0, groupSamples * 4)
}

/** Adds the sound of a group of frames to `sound`. */
export function addGroup(): void {
  readRows()
  writeNoise()
  if (readSource()) {
    forward()
    filter()
  } else memory.fill(spectra, 0, bins * complexBytes)
  addNoise()
  addFree()
  // A real signal has none.
  v128.store(spectra, f32x4.splat(0), 16)
  v128.store(spectra + (bins - 1) * complexBytes, f32x4.splat(0), 16)
  inverse()
  overlap()
}

/** Drops the group's four hops. */
export function advance(): void {
  const doneBytes = frames * hop * 4
  memory.copy(sound, sound + doneBytes, groupSamples * 4 - doneBytes)
  memory.fill(sound + groupSamples * 4 - doneBytes, 0, doneBytes)
}

function readRows(): void {
  const stride = rowLength * 4
  for (let i: usize = 0; i < rowLength; i += 4) {
    const a = rows + i * 4
    const b = a + stride
    const c = b + stride
    const d = c + stride
    storeTransposed(v128.load(a), v128.load(b), v128.load(c), v128.load(d), values + i * vectorBytes, vectorBytes)
  }
}

/** Writes the windows of the pulse train to `signals`. Returns false, and writes nothing, if all are silent. */
function readSource(): bool {
  let any = f32x4.splat(0)
  for (let i: usize = 0; i < groupSamples; i += 4) any = v128.or(any, v128.load(source + i * 4))
  if (!v128.any_true(any)) return false
  const stride = hop * 4
  for (let i: usize = 0; i < samples; i += 4) {
    const a = source + i * 4
    const b = a + stride
    const c = b + stride
    const d = c + stride
    const weights = v128.load(analysisWindow + i * 4)
    storeTransposed(
      f32x4.mul(v128.load(a), weights),
      f32x4.mul(v128.load(b), weights),
      f32x4.mul(v128.load(c), weights),
      f32x4.mul(v128.load(d), weights),
      signals + i * vectorBytes,
      vectorBytes,
    )
  }
  return true
}

/** Exponents before the other steps: shorter chains of operations overlap in the processor. */
function toGains(from: usize): void {
  for (let at = from; at < from + bins * vectorBytes; at += vectorBytes)
    v128.store(at, exp(f32x4.pmin(v128.load(at), f32x4.splat(logGainMax))))
}

/** From numbers whose hyperbolic tangents are half turns to quarters of turns. */
function toQuarters(from: usize): void {
  for (let at = from; at < from + bins * vectorBytes; at += vectorBytes) {
    const half = tanh(v128.load(at))
    v128.store(at, f32x4.add(half, half))
  }
}

/** Multiplies the spectra by the filter. */
function filter(): void {
  toGains(harmonicGain)
  toQuarters(harmonicPhase)
  for (let bin: usize = 0; bin < bins; bin++) {
    const angle = v128.load(harmonicPhase + bin * vectorBytes)
    const quarters = round(angle)
    const rest = f32x4.mul(f32x4.sub(angle, wholeOf(quarters)), f32x4.splat(1.5707963267948966))
    const square = f32x4.mul(rest, rest)
    const s = smallSine(rest, square)
    const c = smallCosine(square)
    const gain = v128.load(harmonicGain + bin * vectorBytes)
    const sine = f32x4.mul(gain, sineOf(s, c, quarters))
    const cosine = f32x4.mul(gain, cosineOf(s, c, quarters))
    const at = spectra + bin * complexBytes
    const re = v128.load(at)
    const im = v128.load(at, 16)
    v128.store(at, f32x4.sub(f32x4.mul(cosine, re), f32x4.mul(sine, im)))
    v128.store(at, f32x4.add(f32x4.mul(cosine, im), f32x4.mul(sine, re)), 16)
  }
}

function addTo(at: usize, re: v128, im: v128): void {
  v128.store(at, f32x4.add(v128.load(at), re))
  v128.store(at, f32x4.add(v128.load(at, 16), im), 16)
}

function addNoise(): void {
  toGains(noiseGain)
  for (let bin: usize = 0; bin < bins; bin++) {
    const gain = v128.load(noiseGain + bin * vectorBytes)
    const from = noise + bin * complexBytes
    addTo(spectra + bin * complexBytes, f32x4.mul(gain, v128.load(from)), f32x4.mul(gain, v128.load(from, 16)))
  }
}

/** Adds the part with phases of its own. */
function addFree(): void {
  toGains(freeGain)
  for (let bin: usize = 0; bin < bins; bin++) {
    const angle = v128.load(freePhase + bin * vectorBytes)
    const quarters = round(f32x4.mul(angle, f32x4.splat(0.6366197723675814)))
    const whole = wholeOf(quarters)
    // π/2 in three parts, the first two of which have few bits.
    let rest = f32x4.sub(angle, f32x4.mul(whole, f32x4.splat(1.5703125)))
    rest = f32x4.sub(rest, f32x4.mul(whole, f32x4.splat(4.837512969970703e-4)))
    rest = f32x4.sub(rest, f32x4.mul(whole, f32x4.splat(7.549789948768648e-8)))
    const square = f32x4.mul(rest, rest)
    const s = smallSine(rest, square)
    const c = smallCosine(square)
    const gain = v128.load(freeGain + bin * vectorBytes)
    addTo(
      spectra + bin * complexBytes,
      f32x4.mul(gain, cosineOf(s, c, quarters)),
      f32x4.mul(gain, sineOf(s, c, quarters)),
    )
  }
}

/** Adds the windows of `signals` to `sound`. */
function overlap(): void {
  for (let i: usize = 0; i < samples; i += 4) {
    const from = signals + i * vectorBytes
    const weights = synthesisWindow + i * 4
    addTransposed(
      f32x4.mul(v128.load(from), v128.load32_splat(weights)),
      f32x4.mul(v128.load(from, 16), v128.load32_splat(weights, 4)),
      f32x4.mul(v128.load(from, 32), v128.load32_splat(weights, 8)),
      f32x4.mul(v128.load(from, 48), v128.load32_splat(weights, 12)),
      sound + i * 4,
      hop * 4,
    )
  }
}
