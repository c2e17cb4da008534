import { describe, expect, it } from 'bun:test'
import { bandsHz } from '../../src/audio/analysis/spectrum'
import { convolve, equalize } from '../../src/audio/equalize'
import { amplitudeAt, decibels, noiseSource, peak, tone } from './signals'

const curve = bandsHz.map((_, k) => 9 * Math.sin(k / 3))

describe('the equalizer', () => {
  it.each([16_000, 22_050, 44_100])('has the requested gains at %p Hz', (sampleRate) => {
    for (const [k, hz] of bandsHz.entries()) {
      if (k < 6 || k % 3) continue
      const { samples } = tone({ hz, seconds: 0.5, sampleRate, amplitude: 0.1 })
      const out = { samples: equalize(samples, sampleRate, curve).slice(2000), sampleRate }
      expect(Math.abs(decibels(amplitudeAt(out, hz) / 0.1) - curve[k]!)).toBeLessThan(0.7)
    }
  })

  it('changes nothing at 0 dB, and only the level at equal gains', () => {
    const noise = noiseSource(2)
    const samples = Float32Array.from({ length: 5000 }, () => 0.3 * noise())
    expect(
      equalize(
        samples,
        16_000,
        bandsHz.map(() => 0),
      ),
    ).toEqual(samples)
    const louder = equalize(
      samples,
      16_000,
      bandsHz.map(() => 6),
    )
    for (let i = 0; i < samples.length; i++) expect(Math.abs(louder[i]! - samples[i]! * 10 ** 0.3)).toBeLessThan(1e-6)
  })

  it('has no pre-echo', () => {
    const samples = new Float32Array(4000)
    samples[2000] = 1
    const out = equalize(samples, 16_000, curve)
    expect(peak(out.subarray(0, 2000))).toBeLessThan(1e-6)
    expect(peak(out.subarray(2000))).toBeGreaterThan(0.3)
  })

  it('convolves as the defining sum, also across block boundaries', () => {
    const noise = noiseSource(6)
    const samples = Float32Array.from({ length: 3000 }, noise)
    const filter = Float64Array.from({ length: 100 }, noise)
    const out = convolve(samples, filter)
    for (const i of [0, 1, 99, 411, 412, 413, 1000, 2999]) {
      let sum = 0
      for (let k = 0; k < filter.length && k <= i; k++) sum += filter[k]! * samples[i - k]!
      expect(Math.abs(out[i]! - sum)).toBeLessThan(1e-5)
    }
    expect(out.length).toBe(3000)
  })

  it('bounds absurd gains and accepts an empty sound', () => {
    const gains = bandsHz.map((_, k) => (k % 2 ? 1e6 : -1e6))
    expect(
      equalize(tone({ hz: 500, seconds: 0.1, sampleRate: 16_000 }).samples, 16_000, gains).every(Number.isFinite),
    ).toBe(true)
    expect(equalize(new Float32Array(0), 16_000, curve).length).toBe(0)
  })
})
