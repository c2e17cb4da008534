/**
 * The input of the tone converter: a linear magnitude spectrogram as in OpenVoice (`spectrogram_torch` of
 * https://github.com/myshell-ai/OpenVoice and `OpenVoiceToneClone_ONNX` of
 * https://github.com/season-studio/MeloTTS-ONNX): reflected ends, a periodic Hann window, √(re² + im² + 10⁻⁶).
 */
import { realFft } from '../../audio/analysis/fft'
import { hannWindow } from '../../audio/analysis/hann'

/** From the field `data` of the converter's `configuration.json`. */
export type SpectrogramSettings = {
  /** Hz. */
  readonly sampleRate: number
  /** FFT and window size in samples, a power of two. */
  readonly filterLength: number
  /** Samples from one frame to the next. */
  readonly hopLength: number
}

export type Spectrogram = {
  /** Frame-major, `bins` values per frame. */
  readonly values: Float32Array
  readonly frames: number
  /** filterLength/2 + 1. */
  readonly bins: number
}

const powerMin = 1e-6

/** The fewest samples that can be reflected and fill a frame. */
export function samplesMin({ filterLength, hopLength }: SpectrogramSettings): number {
  return Math.max(hopLength, (filterLength - hopLength) / 2 + 1)
}

/** ⌊samples / hopLength⌋ frames. Throws `RangeError` on fewer samples than `samplesMin`. */
export function spectrogram(samples: Float32Array, settings: SpectrogramSettings): Spectrogram {
  const { filterLength: size, hopLength } = settings
  if (samples.length < samplesMin(settings))
    throw new RangeError(`${samples.length} samples are too few for a spectrogram.`)
  const padded = reflected(samples, (size - hopLength) / 2)
  const frames = Math.floor((padded.length - size) / hopLength) + 1
  const bins = size / 2 + 1
  const values = new Float32Array(frames * bins)
  const fft = realFft(size)
  const window = hannWindow(size)
  const windowed = new Float64Array(size)
  const re = new Float64Array(bins)
  const im = new Float64Array(bins)
  for (let frame = 0; frame < frames; frame++) {
    const start = frame * hopLength
    for (let i = 0; i < size; i++) windowed[i] = padded[start + i]! * window[i]!
    fft.forward(windowed, re, im)
    const at = frame * bins
    for (let k = 0; k < bins; k++) values[at + k] = Math.sqrt(re[k]! * re[k]! + im[k]! * im[k]! + powerMin)
  }
  return { values, frames, bins }
}

/** Bin-major, `frames` values per bin. */
export function transposed({ values, frames, bins }: Spectrogram): Float32Array {
  const out = new Float32Array(values.length)
  for (let frame = 0; frame < frames; frame++)
    for (let k = 0; k < bins; k++) out[k * frames + frame] = values[frame * bins + k]!
  return out
}

/** Adds `margin` samples at both ends, mirrored at the first and the last sample. */
function reflected(samples: Float32Array, margin: number): Float32Array {
  const out = new Float32Array(samples.length + 2 * margin)
  out.set(samples, margin)
  const last = samples.length - 1
  for (let i = 1; i <= margin; i++) {
    out[margin - i] = samples[i]!
    out[margin + last + i] = samples[last - i]!
  }
  return out
}
