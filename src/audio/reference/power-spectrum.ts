/** The power spectrum of one windowed piece of a recording after another. */
import { realFft } from '../analysis/fft'

/**
 * A function that gives |X|² of bins 0…size/2 for the `size` samples from `start` on, under a Hann window. The next call
 * overwrites what the last one gave.
 */
export function powerSpectrumTaker(samples: Float32Array, size: number): (start: number) => Float64Array {
  const fft = realFft(size)
  const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size))
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
