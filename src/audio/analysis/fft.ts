/**
 * The fast Fourier transform of real signals: a complex transform of half the length, then unfolded (Press et al.,
 * "Numerical Recipes", 12.3). Tables are computed once per size.
 */
import { createComplexFft } from './complex-fft'

export type RealFft = {
  readonly size: number
  /** Writes the spectrum of the first `size` samples of `signal`, zero-padded, into `re` and `im`: bins 0…size/2. */
  forward(signal: ArrayLike<number>, re: Float64Array, im: Float64Array): void
  /** Writes the signal of a spectrum of bins 0…size/2; the exact inverse of `forward`. */
  inverse(re: Float64Array, im: Float64Array, signal: Float64Array): void
}

const transforms = new Map<number, RealFft>()

/**
 * The transform of `size` samples: an even number from 4 on without prime factors above 5. Calls must not nest: each
 * size shares one buffer.
 */
export function realFft(size: number): RealFft {
  let transform = transforms.get(size)
  if (!transform) transforms.set(size, (transform = createRealFft(size)))
  return transform
}

export function powerOfTwoAbove(least: number): number {
  return 1 << Math.max(2, Math.ceil(Math.log2(least)))
}

function createRealFft(size: number): RealFft {
  const half = size / 2
  const transform = size >= 4 && Number.isInteger(half) ? createComplexFft(half) : undefined
  if (!transform) throw new RangeError(`FFT size ${size} is not even from 4 on or has a prime factor above 5.`)
  const evens = new Float64Array(half)
  const odds = new Float64Array(half)
  const cosines = Float64Array.from({ length: half + 1 }, (_, k) => Math.cos((2 * Math.PI * k) / size))
  const sines = Float64Array.from({ length: half + 1 }, (_, k) => Math.sin((2 * Math.PI * k) / size))
  return {
    size,
    forward(signal, re, im) {
      const length = Math.min(signal.length, size)
      evens.fill(0)
      odds.fill(0)
      for (let i = 0; i < length; i += 2) evens[i >> 1] = signal[i]!
      for (let i = 1; i < length; i += 2) odds[i >> 1] = signal[i]!
      transform(evens, odds)
      for (let k = 0; k <= half; k++) {
        const a = k === half ? 0 : k
        const b = k === 0 ? 0 : half - k
        const evenRe = (evens[a]! + evens[b]!) / 2
        const evenIm = (odds[a]! - odds[b]!) / 2
        const oddRe = (odds[a]! + odds[b]!) / 2
        const oddIm = (evens[b]! - evens[a]!) / 2
        re[k] = evenRe + oddRe * cosines[k]! + oddIm * sines[k]!
        im[k] = evenIm + oddIm * cosines[k]! - oddRe * sines[k]!
      }
    },
    inverse(re, im, signal) {
      for (let k = 0; k < half; k++) {
        const evenRe = (re[k]! + re[half - k]!) / 2
        const evenIm = (im[k]! - im[half - k]!) / 2
        const differenceRe = (re[k]! - re[half - k]!) / 2
        const differenceIm = (im[k]! + im[half - k]!) / 2
        const oddRe = differenceRe * cosines[k]! - differenceIm * sines[k]!
        const oddIm = differenceIm * cosines[k]! + differenceRe * sines[k]!
        // The conjugate turns the forward transform into the inverse.
        evens[k] = evenRe - oddIm
        odds[k] = -(evenIm + oddRe)
      }
      transform(evens, odds)
      for (let i = 0; i < half; i++) {
        signal[2 * i] = evens[i]! / half
        signal[2 * i + 1] = -odds[i]! / half
      }
    },
  }
}
