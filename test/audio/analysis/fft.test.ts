import { describe, expect, it } from 'bun:test'
import { powerOfTwoAbove, realFft } from '../../../src/audio/analysis/fft'
import { noiseSource } from '../signals'

describe('the Fourier transform', () => {
  // Together the sizes use every radix as the only, the first and the last one.
  it.each([4, 6, 8, 10, 16, 18, 50, 64, 180, 250, 1024, 1200])('of %p samples equals the defining sum', (size) => {
    const noise = noiseSource(size)
    const signal = Float64Array.from({ length: size }, noise)
    const [re, im] = [new Float64Array(size / 2 + 1), new Float64Array(size / 2 + 1)]
    realFft(size).forward(signal, re, im)
    for (let k = 0; k <= size / 2; k += Math.max(1, size >> 8)) {
      let [real, imaginary] = [0, 0]
      for (let i = 0; i < size; i++) {
        real += signal[i]! * Math.cos((2 * Math.PI * k * i) / size)
        imaginary -= signal[i]! * Math.sin((2 * Math.PI * k * i) / size)
      }
      expect(re[k]!).toBeCloseTo(real, 9)
      expect(im[k]!).toBeCloseTo(imaginary, 9)
    }
  })

  it('inverts to the original signal', () => {
    const noise = noiseSource(5)
    for (const size of [512, 1200]) {
      const signal = Float64Array.from({ length: size }, noise)
      const [re, im, back] = [
        new Float64Array(size / 2 + 1),
        new Float64Array(size / 2 + 1),
        new Float64Array(size),
      ] as const
      const fft = realFft(size)
      fft.forward(signal, re, im)
      fft.inverse(re, im, back)
      for (let i = 0; i < size; i++) expect(back[i]!).toBeCloseTo(signal[i]!, 12)
    }
  })

  it('pads a shorter signal with zeros, also one of odd length', () => {
    const [re, im, other, otherIm] = Array.from({ length: 4 }, () => new Float64Array(9)) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ]
    realFft(16).forward([1, -2, 3], re, im)
    realFft(16).forward([1, -2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], other, otherIm)
    expect([...re, ...im]).toEqual([...other, ...otherIm])
  })

  it('refuses sizes that are odd, too small or have a prime factor above 5', () => {
    for (const size of [0, 1, 2, 3, 15, 28, 1202, 4.5, -8, NaN, Infinity])
      expect(() => realFft(size)).toThrow(RangeError)
    expect([1, 4, 5, 1000].map(powerOfTwoAbove)).toEqual([4, 4, 8, 1024])
  })
})
