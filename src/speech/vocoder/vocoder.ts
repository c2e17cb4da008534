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
import { addNoise, addTurned, exp, tanh, turn } from './tables'

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

const window = hannWindow(transformSize)
/** A unit cosine peaks at half of this window's sum, so that the filter's gain is the magnitude of a harmonic. */
const analysisWindow = window.map((value) => value / hopSamples)
/** Sum of the squared windows that overlap at a sample, away from both ends. */
const fullOverlap = 1.5
const synthesisWindow = window.map((value) => value / fullOverlap)

/** The spectrum of one frame. */
type Spectrum = { readonly re: Float64Array; readonly im: Float64Array }

/**
 * Returns mono samples at `vocoderRate`, `hopSamples` for each frame; equal spectra give equal samples. Values that are
 * not finite give samples that are not finite.
 */
export function synthesizeSpectra(spectra: Spectra): Float32Array {
  const frames = spectra.f0.length
  const samples = new Float32Array(frames * hopSamples)
  const source = makeSource(spectra.f0)
  const spectrum = { re: new Float64Array(bins), im: new Float64Array(bins) }
  const frame = new Float64Array(transformSize)
  const random = createRandom()
  for (let at = 0; at < frames; at++) {
    const isVoiced = analyzeSource(source, at * hopSamples, frame, spectrum)
    filter(spectra, at, isVoiced, spectrum, random)
    addFrame(spectrum, frame, samples, at * hopSamples - half)
  }
  levelEnds(samples, frames)
  return samples
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

/** Writes the spectrum of the source from `start` on. Returns false, and writes nothing, for a silent one. */
function analyzeSource(source: Float64Array, start: number, frame: Float64Array, { re, im }: Spectrum): boolean {
  let isVoiced = false
  for (let i = 0; i < transformSize; i++) {
    const value = source[start + i]!
    if (value !== 0) isVoiced = true
    frame[i] = value * analysisWindow[i]!
  }
  if (isVoiced) realFft(transformSize).forward(frame, re, im)
  return isVoiced
}

/** Turns the spectrum of the source into that of speech. */
function filter(spectra: Spectra, frame: number, isVoiced: boolean, { re, im }: Spectrum, random: () => number): void {
  const { harmonicGain, harmonicPhase, noiseGain, freeGain, freePhase, f0 } = spectra
  const frames = f0.length
  if (isVoiced)
    for (let bin = 0, at = frame; bin < bins; bin++, at += frames)
      turn(re, im, bin, 0.5 * tanh(harmonicPhase[at]!), gainOf(harmonicGain[at]!))
  else {
    re.fill(0)
    im.fill(0)
  }
  for (let bin = 0, at = frame; bin < bins; bin++, at += frames) addNoise(re, im, bin, random(), gainOf(noiseGain[at]!))
  for (let bin = 0, at = frame; bin < bins; bin++, at += frames)
    addTurned(re, im, bin, freePhase[at]! * (0.5 / Math.PI), gainOf(freeGain[at]!))
}

function gainOf(logGain: number): number {
  return exp(Math.min(logGain, logGainMax))
}

/** Adds the sound of a spectrum to `samples`, its first sample at `start`; parts outside are cut off. */
function addFrame({ re, im }: Spectrum, frame: Float64Array, samples: Float32Array, start: number): void {
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
