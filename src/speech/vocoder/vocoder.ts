/**
 * The vocoder: sound from the spectra of a neural model. A pulse train with the model's fundamental frequency is filtered
 * frame by frame, shaped noise and a part with phases of its own are added, and the inverse short-time Fourier transform
 * makes samples of them.
 */
import { realFft } from '../../audio/analysis/fft'
import { hannWindow } from '../../audio/analysis/hann'
import { createRandom } from '../random'
import { bins, hopSamples, transformSize } from './format'
import { writePulses } from './pulses'
import { addTurned, exp, setNoise, tanh } from './tables'

/** Spectra of `bins` rows; each row has one value per frame. */
export type Spectra = {
  /** Logarithm of the filter's gain on the pulse train. */
  readonly harmonicGain: Float32Array
  /** The filter's phase is π · tanh of it. */
  readonly harmonicPhase: Float32Array
  /** Logarithm of the standard deviation of the noise, per component. */
  readonly noiseGain: Float32Array
  /** Logarithm of the magnitude of the part with phases of its own. */
  readonly freeGain: Float32Array
  /** Radians. */
  readonly freePhase: Float32Array
  /** Fundamental frequency in Hz, 0 where unvoiced. One value per frame. */
  readonly f0: Float32Array
}

const half = transformSize / 2
const overlap = transformSize / hopSamples
const logGainMax = 7
/** Frames that are computed together: a row of a spectrum has their values side by side. */
const blockFrames = 8

const window = hannWindow(transformSize)
/** A unit cosine peaks at half of this window's sum, so that the filter's gain is the magnitude of a harmonic. */
const analysisWindow = window.map((value) => value / hopSamples)
/** Sum of the squared windows that overlap at a sample, away from both ends. */
const fullOverlap = 1.5
const synthesisWindow = window.map((value) => value / fullOverlap)

/** A block's spectra: real and imaginary parts, one view per frame. */
type Block = {
  readonly re: Float64Array
  readonly im: Float64Array
  readonly frames: readonly { readonly re: Float64Array; readonly im: Float64Array }[]
  /** 1 for frames whose source is not silent. */
  readonly isVoiced: Uint8Array
}

/**
 * Returns mono samples at `vocoderRate`, `hopSamples` for each frame; equal spectra give equal samples. Values that are
 * not finite give samples that are not finite.
 */
export function synthesizeSpectra(spectra: Spectra): Float32Array {
  const frames = spectra.f0.length
  const samples = new Float32Array(frames * hopSamples)
  const source = makeSource(spectra.f0)
  const block = createBlock()
  const random = createRandom()
  const frame = new Float64Array(transformSize)
  for (let first = 0; first < frames; first += blockFrames) {
    const count = Math.min(blockFrames, frames - first)
    for (let i = 0; i < count; i++) analyzeSource(source, first + i, frame, block, i)
    filterBlock(spectra, first, count, block, random)
    for (let i = 0; i < count; i++) addFrame(block.frames[i]!, frame, samples, (first + i) * hopSamples - half)
  }
  levelEnds(samples, frames)
  return samples
}

function createBlock(): Block {
  const re = new Float64Array(blockFrames * bins)
  const im = new Float64Array(blockFrames * bins)
  const frames = Array.from({ length: blockFrames }, (_, i) => ({
    re: re.subarray(i * bins, (i + 1) * bins),
    im: im.subarray(i * bins, (i + 1) * bins),
  }))
  return { re, im, frames, isVoiced: new Uint8Array(blockFrames) }
}

/** The pulse train, with half a transform reflected at either end. */
function makeSource(f0: Float32Array): Float64Array {
  const length = f0.length * hopSamples
  const source = new Float64Array(length + transformSize)
  writePulses(f0, source, half)
  for (let i = 1; i <= half; i++) source[half - i] = source[half + reflect(i, length)]!
  for (let i = 0; i < half; i++) source[half + length + i] = source[half + reflect(length + i, length)]!
  return source
}

/** The index in 0…`length` − 1 that `index` ≥ 0 has after reflections at the first and the last one. */
function reflect(index: number, length: number): number {
  const rest = index % (2 * (length - 1))
  return rest < length ? rest : 2 * (length - 1) - rest
}

function analyzeSource(source: Float64Array, at: number, frame: Float64Array, block: Block, slot: number): void {
  const start = at * hopSamples
  let isVoiced = 0
  for (let i = 0; i < transformSize; i++) {
    const value = source[start + i]!
    if (value !== 0) isVoiced = 1
    frame[i] = value * analysisWindow[i]!
  }
  block.isVoiced[slot] = isVoiced
  const { re, im } = block.frames[slot]!
  if (isVoiced) realFft(transformSize).forward(frame, re, im)
}

/** Turns the spectra of the source, in `block`, into those of speech. */
function filterBlock(spectra: Spectra, first: number, count: number, block: Block, random: () => number): void {
  const { harmonicGain, harmonicPhase, noiseGain, freeGain, freePhase, f0 } = spectra
  const { re, im, isVoiced } = block
  const frames = f0.length
  for (let bin = 0; bin < bins; bin++)
    for (let i = 0, from = bin * frames + first, at = bin; i < count; i++, from++, at += bins) {
      const sourceRe = re[at]!
      const sourceIm = im[at]!
      setNoise(re, im, at, random(), gainOf(noiseGain[from]!))
      addTurned(re, im, at, freePhase[from]! * (0.5 / Math.PI), gainOf(freeGain[from]!), 1, 0)
      if (isVoiced[i]) {
        const gain = gainOf(harmonicGain[from]!)
        addTurned(re, im, at, 0.5 * tanh(harmonicPhase[from]!), gain, sourceRe, sourceIm)
      }
    }
}

function gainOf(logGain: number): number {
  return exp(Math.min(logGain, logGainMax))
}

/** Adds the sound of a spectrum to `samples`, its first sample at `start`; parts outside are cut off. */
function addFrame(
  { re, im }: Block['frames'][number],
  frame: Float64Array,
  samples: Float32Array,
  start: number,
): void {
  // A real signal has none.
  im[0] = 0
  im[half] = 0
  realFft(transformSize).inverse(re, im, frame)
  const end = Math.min(transformSize, samples.length - start)
  for (let i = Math.max(0, -start); i < end; i++) samples[start + i]! += frame[i]! * synthesisWindow[i]!
}

/** Divides the samples at both ends, where fewer windows overlap, by the missing share. */
function levelEnds(samples: Float32Array, frames: number): void {
  const edge = half - hopSamples
  for (let i = 0; i < samples.length; i++) {
    if (i === edge) i = Math.max(edge, samples.length - half)
    samples[i]! *= fullOverlap / overlapAt(i, frames)
  }
}

/** Sum of the squared windows of all frames at a sample. */
function overlapAt(index: number, frames: number): number {
  const nearest = Math.floor((index + half) / hopSamples)
  let sum = 0
  for (let frame = Math.max(0, nearest - overlap + 1); frame <= Math.min(nearest, frames - 1); frame++)
    sum += window[index + half - frame * hopSamples]! ** 2
  return sum
}
