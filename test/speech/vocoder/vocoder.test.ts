import { describe, expect, it } from 'bun:test'
import { join } from 'node:path'
import { bins, hopSamples, transformSize } from '../../../src/speech/vocoder/format'
import { sumOfHarmonics, writePulses } from '../../../src/speech/vocoder/pulses'
import { addNoise, addTurned, exp, sine, tanh, turn } from '../../../src/speech/vocoder/tables'
import { synthesizeSpectra, type Spectra } from '../../../src/speech/vocoder/vocoder'
import { createRandom } from '../../../src/speech/random'
import { madeUpSpectra, melody, whiteSpectra } from './spectra'

/** The largest difference, in dB relative to the peak of `expected`. */
function differenceDb(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(found.length).toBe(expected.length)
  const [difference, peak] = [Math.max, Math.max].map((most, kind) =>
    Array.from(expected, (value, i) => Math.abs(kind === 0 ? found[i]! - value : value)).reduce(
      (a, b) => most(a, b),
      0,
    ),
  ) as [number, number]
  return 20 * Math.log10(difference / peak)
}

describe('the pulse train', () => {
  it('is the sum of all harmonics, also in the middle of a pulse', () => {
    for (const count of [1, 2, 36, 100, 275])
      for (const turns of [0, 1e-7, 3e-4, 0.01, 0.25, 0.4999, 0.5, 0.77, 0.9998, 1 - 1e-9]) {
        let sum = 0
        for (let harmonic = 1; harmonic <= count; harmonic++) sum += Math.cos(2 * Math.PI * harmonic * turns)
        // Near a pulse the limit takes the place of the closed form, whose sines have errors of 32-bit numbers.
        const denominator = Math.abs(2 * Math.sin(Math.PI * turns))
        const tolerance = denominator <= 2e-3 ? (count + 1) ** 3 * 7e-7 : 2 ** -22 * (1 + 1 / denominator)
        expect(Math.abs(sumOfHarmonics(turns, count) - sum)).toBeLessThan(tolerance)
      }
  })

  it('has a pulse per period, and none where the voice is off', () => {
    const f0 = Float32Array.of(0, 0, ...Array(80).fill(200), 0, 0)
    const samples = new Float64Array(f0.length * hopSamples)
    writePulses(f0, samples, 0)
    expect(samples.subarray(0, hopSamples).every((value) => value === 0)).toBe(true)
    expect(samples.subarray(-hopSamples).every((value) => value === 0)).toBe(true)
    const steady = samples.subarray(10 * hopSamples, 70 * hopSamples)
    // 55 harmonics up to 11 kHz; a period has 120 samples.
    expect(Math.max(...steady)).toBeWithin(50, 55.001)
    const peaks = [...steady.keys()].filter((i) => steady[i]! > 40)
    expect(peaks.every((at) => at % 120 === peaks[0]! % 120)).toBe(true)
    expect(peaks).toHaveLength(steady.length / 120)
  })

  it('is silent for frequencies that are negative or not numbers', () => {
    const samples = new Float64Array(3 * hopSamples)
    writePulses(Float32Array.of(-200, NaN, 39), samples, 0)
    expect(samples.every((value) => value === 0)).toBe(true)
  })
})

describe('the tables', () => {
  it('give exponentials and tangents close to those of Math', () => {
    for (let x = -30; x < 30; x += 0.00917) {
      expect(Math.abs(exp(x) / Math.exp(x) - 1)).toBeLessThan(2 ** -27)
      expect(Math.abs(tanh(x) - Math.tanh(x))).toBeLessThan(2 ** -26)
    }
    for (let turns = -2; turns < 2; turns += 0.000713)
      expect(Math.abs(sine(turns) - Math.sin(2 * Math.PI * turns))).toBeLessThan(2 ** -22)
    for (const turns of [1e-9, 1e-6, 1e-4]) expect(sine(turns) / Math.sin(2 * Math.PI * turns)).toBeCloseTo(1, 6)
    expect([-Infinity, -1e9, -81].map(exp)).toEqual([0, 0, 0])
    expect([1e9, Infinity].map(exp)).toEqual([exp(80), exp(80)])
    expect([-Infinity, -1e9, 1e9, Infinity].map(tanh)).toEqual([-1, -1, 1, 1])
    expect([exp(NaN), tanh(NaN)]).toEqual([NaN, NaN])
  })

  it('turn numbers by any angle', () => {
    const [re, im] = [new Float64Array(1), new Float64Array(1)]
    for (let turns = -3; turns < 3; turns += 0.000713) {
      const [c, s] = [2 * Math.cos(2 * Math.PI * turns), 2 * Math.sin(2 * Math.PI * turns)]
      re[0] = im[0] = 0.5
      addTurned(re, im, 0, turns, 2)
      expect(Math.hypot(re[0] - 0.5 - c, im[0] - 0.5 - s)).toBeLessThan(2 ** -21)
      re[0] = 3
      im[0] = -1
      turn(re, im, 0, turns, 2)
      expect(Math.hypot(re[0] - (3 * c + s), im[0] - (3 * s - c))).toBeLessThan(2 ** -20)
    }
  })

  it('give complex noise of unit variance, mean 0 and the kurtosis of a Gaussian', () => {
    const random = createRandom()
    const count = 400_000
    const [re, im] = [new Float64Array(count), new Float64Array(count)]
    for (let i = 0; i < count; i++) addNoise(re, im, i, random(), 1)
    const mean = (value: (i: number) => number) => re.reduce((sum, _, i) => sum + value(i), 0) / count
    for (const part of [re, im]) {
      expect(mean((i) => part[i]!)).toBeWithin(-0.01, 0.01)
      expect(mean((i) => part[i]! ** 2)).toBeWithin(0.99, 1.01)
      expect(mean((i) => part[i]! ** 4)).toBeWithin(2.9, 3.1)
    }
    expect(mean((i) => re[i]! * im[i]!)).toBeWithin(-0.01, 0.01)
    expect(mean((i) => re[i]! * (re[i - 1] ?? 0))).toBeWithin(-0.01, 0.01)
  })
})

describe('the vocoder', () => {
  it('gives the sound of the Python package, within -110 dB of its peak', async () => {
    const bytes = Bun.zstdDecompressSync(await Bun.file(join(import.meta.dir, 'table.f32.zst')).bytes())
    const expected = new Float32Array(bytes.slice().buffer)
    expect(differenceDb(synthesizeSpectra(madeUpSpectra(melody)), expected)).toBeLessThan(-110)
  })

  it.each([1, 2, 3, 7, 8, 9, 17])('gives the defining sums for %i frames', (frames) => {
    const f0 = Array.from({ length: frames }, (_, i) => (i % 5 === 3 ? 0 : 150 + 10 * i))
    const spectra = madeUpSpectra(f0)
    expect(differenceDb(synthesizeSpectra(spectra), definingSums(spectra))).toBeLessThan(-110)
  })

  it('gives white noise the same level at both ends and in between', () => {
    const samples = synthesizeSpectra(whiteSpectra(800))
    const level = (from: number, to: number) =>
      samples.subarray(from, to).reduce((sum, value) => sum + value * value, 0) / (to - from)
    // Each of 601 bins, of which 599 count twice, gives its variance over the square of the size; windows overlap.
    const expected = (2 + 4 * 599) / transformSize ** 2 / 1.5
    expect(level(0, samples.length) / expected).toBeWithin(0.98, 1.02)
    expect(level(600, samples.length - 600) / expected).toBeWithin(0.98, 1.02)
  })

  it('gives the same samples every time', () => {
    expect(synthesizeSpectra(whiteSpectra(20))).toEqual(synthesizeSpectra(whiteSpectra(20)))
  })

  it('limits gains, and passes on what is not finite', () => {
    const loud = (gain: number) => ({ ...madeUpSpectra(melody), harmonicGain: new Float32Array(bins * 20).fill(gain) })
    expect(synthesizeSpectra(loud(100))).toEqual(synthesizeSpectra(loud(7)))
    expect(synthesizeSpectra(loud(NaN)).every(Number.isFinite)).toBe(false)
  })
})

/** The same by definition, with sums instead of fast transforms. */
function definingSums({ harmonicGain, harmonicPhase, freeGain, freePhase, f0 }: Spectra): Float64Array {
  const frames = f0.length
  const length = frames * hopSamples
  const half = transformSize / 2
  const pulses = new Float64Array(length)
  writePulses(f0, pulses, 0)
  const window = Float64Array.from({ length: transformSize }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / 1200))
  const cosines = Float64Array.from({ length: transformSize }, (_, i) => Math.cos((2 * Math.PI * i) / transformSize))
  const cos = (turns: number) => cosines[((turns % transformSize) + transformSize) % transformSize]!
  const sin = (turns: number) => cos(turns - transformSize / 4)
  const reflected = (at: number): number => {
    if (at < 0) return reflected(-at)
    return at < length ? pulses[at]! : reflected(2 * (length - 1) - at)
  }
  const [sound, weights] = [new Float64Array(length), new Float64Array(length)]
  for (let frame = 0; frame < frames; frame++) {
    const start = frame * hopSamples - half
    const source = window.map((weight, i) => (weight / hopSamples) * reflected(start + i))
    const out = new Float64Array(transformSize)
    for (let bin = 0; bin < bins; bin++) {
      let [re, im] = [0, 0]
      for (let i = 0; i < transformSize; i++) {
        re += source[i]! * cos(bin * i)
        im -= source[i]! * sin(bin * i)
      }
      const at = bin * frames + frame
      const gain = Math.exp(Math.min(harmonicGain[at]!, 7))
      const angle = Math.PI * Math.tanh(harmonicPhase[at]!)
      const free = Math.exp(Math.min(freeGain[at]!, 7))
      const real = gain * (re * Math.cos(angle) - im * Math.sin(angle)) + free * Math.cos(freePhase[at]!)
      const imaginary = gain * (re * Math.sin(angle) + im * Math.cos(angle)) + free * Math.sin(freePhase[at]!)
      const isEdge = bin === 0 || bin === bins - 1
      for (let i = 0; i < transformSize; i++)
        out[i]! += ((isEdge ? 1 : 2) * (real * cos(bin * i) - (isEdge ? 0 : imaginary * sin(bin * i)))) / transformSize
    }
    for (let i = 0; i < transformSize; i++) {
      if (start + i < 0 || start + i >= length) continue
      sound[start + i]! += out[i]! * window[i]!
      weights[start + i]! += window[i]! ** 2
    }
  }
  return sound.map((value, i) => value / Math.max(weights[i]!, 1e-11))
}
