import { describe, expect, it } from 'bun:test'
import { samplesMin, spectrogram, transposed, type SpectrogramSettings } from '../../../src/cloning/convert/spectrogram'
import { noiseSource, speechLike } from '../../audio/signals'

const settings: SpectrogramSettings = { sampleRate: 22_050, filterLength: 1024, hopLength: 256 }

/**
 * An independent implementation: NumPy's `pad(mode="reflect")` by index, and every bin as a sum of 1024 products.
 * Computes only the bins `ks` of the frames `at`.
 */
function directly(samples: Float32Array, at: readonly number[], ks: readonly number[]): number[] {
  const period = 2 * (samples.length - 1)
  const sampleAt = (i: number) => {
    const place = ((i % period) + period) % period
    return samples[place < samples.length ? place : period - place]!
  }
  const values: number[] = []
  for (const frame of at)
    for (const k of ks) {
      let re = 0
      let im = 0
      for (let n = 0; n < 1024; n++) {
        const value = sampleAt(frame * 256 - 384 + n) * Math.sin((Math.PI * n) / 1024) ** 2
        const angle = (2 * Math.PI * ((k * n) % 1024)) / 1024
        re += value * Math.cos(angle)
        im -= value * Math.sin(angle)
      }
      values.push(Math.sqrt(re * re + im * im + 1e-6))
    }
  return values
}

const sine = (hz: number, length: number) =>
  Float32Array.from({ length }, (_, i) => 0.5 * Math.sin((2 * Math.PI * hz * i) / 22_050))

describe('the spectrogram', () => {
  it('equals a direct transform, for noise, for speech and at both ends', () => {
    const noise = noiseSource(3)
    const bins = [0, 1, 2, 7, 40, 100, 255, 256, 257, 400, 511, 512]
    for (const samples of [
      Float32Array.from({ length: 10_000 }, () => noise()),
      speechLike({ seconds: 0.5, sampleRate: 22_050 }).samples,
      Float32Array.from({ length: 700 }, (_, i) => (i === 0 ? 1 : 0)),
    ]) {
      const found = spectrogram(samples, settings)
      const frames = [0, 1, 2, found.frames - 2, found.frames - 1].filter((frame) => frame >= 0 && frame < found.frames)
      const wanted = directly(samples, frames, bins)
      const values = frames.flatMap((frame) => bins.map((k) => found.values[frame * found.bins + k]!))
      for (const [i, value] of values.entries())
        expect(Math.abs(value - wanted[i]!)).toBeLessThan(1e-5 + 1e-5 * wanted[i]!)
    }
  })

  it('has a frame for every whole hop, of 513 bins', () => {
    for (const length of [385, 511, 512, 513, 767, 768, 22_050, 25_600]) {
      const { frames, bins, values } = spectrogram(new Float32Array(length), settings)
      expect([length, frames, bins, values.length]).toEqual([length, Math.floor(length / 256), 513, frames * 513])
    }
  })

  it('of silence is a thousandth everywhere', () => {
    const { values } = spectrogram(new Float32Array(5000), settings)
    expect(values.every((value) => Math.abs(value - 1e-3) < 1e-9)).toBe(true)
  })

  it('of a tone at a bin center is a quarter of the window there, half of that in the next bins, zero elsewhere', () => {
    const { values, bins, frames } = spectrogram(sine((100 * 22_050) / 1024, 22_050), settings)
    const middle = values.subarray((frames >> 1) * bins, ((frames >> 1) + 1) * bins)
    // 0.5 amplitude × 512 (the window's sum) / 2.
    expect(middle[100]!).toBeCloseTo(128, 2)
    expect(middle[99]!).toBeCloseTo(64, 2)
    expect(middle[101]!).toBeCloseTo(64, 2)
    for (const [k, value] of middle.entries()) if (Math.abs(k - 100) > 1) expect(value).toBeLessThan(0.01)
  })

  it('holds the power of the sound', () => {
    const noise = noiseSource(5)
    const samples = Float32Array.from({ length: 256 * 400 }, () => 0.1 * noise())
    const { values, frames, bins } = spectrogram(samples, settings)
    let power = 0
    for (let i = 0; i < values.length; i++) {
      const k = i % bins
      power += values[i]! ** 2 * (k === 0 || k === 512 ? 1 : 2)
    }
    const squares = samples.reduce((sum, value) => sum + value * value, 0) / samples.length
    // Parseval, with the mean square of a Hann window, 3/8.
    expect(power / frames / 1024 / (1024 * 0.375) / squares).toBeWithin(0.98, 1.02)
  })

  it('can be transposed to bin-major order', () => {
    const made = spectrogram(sine(440, 3000), settings)
    const turned = transposed(made)
    for (const [frame, k] of [
      [0, 0],
      [3, 17],
      [made.frames - 1, 512],
    ] as const)
      expect(turned[k * made.frames + frame]).toBe(made.values[frame * 513 + k]!)
  })

  it('refuses fewer samples than it can reflect', () => {
    expect(samplesMin(settings)).toBe(385)
    expect(spectrogram(new Float32Array(385), settings).frames).toBe(1)
    for (const length of [0, 1, 384]) expect(() => spectrogram(new Float32Array(length), settings)).toThrow(RangeError)
  })
})
