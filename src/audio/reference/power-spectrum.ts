/** The power spectra of successive windowed frames. */
import { realFft } from '../analysis/fft'
import { hannWindow } from '../analysis/hann'

/**
 * Returns a function from the first sample of a frame to |X|² of bins 0…size/2, under a Hann window. The next call
 * overwrites the result.
 */
export function powerSpectrumTaker(samples: Float32Array, size: number): (start: number) => Float64Array {
  const fft = realFft(size)
  const window = hannWindow(size)
  const windowed = new Float64Array(size)
  const re = new Float64Array(size / 2 + 1)
  const im = new Float64Array(size / 2 + 1)
  const spectrum = new Float64Array(size / 2 + 1)
  return (start) => {
    for (let i = 0; i < size; i++) windowed[i] = samples[start + i]! * window[i]!
    fft.forward(windowed, re, im)
    for (let k = 0; k < spectrum.length; k++) spectrum[k] = re[k]! * re[k]! + im[k]! * im[k]!
    return spectrum
  }
}
