import { describe, expect, it } from 'bun:test'
import { resample } from '../../src/audio/resample'
import { amplitudeAt, decibels, noiseSource, peak, tone } from './signals'

const pairs = [
  [22_050, 44_100],
  [24_000, 44_100],
  [16_000, 24_000],
  [48_000, 44_100],
  [44_100, 16_000],
  [44_101, 44_100],
] as const

/** The middle of the sound, unaffected by its ends. */
function middle(pcm: { samples: Float32Array; sampleRate: number }) {
  return { samples: pcm.samples.slice(2000, -2000), sampleRate: pcm.sampleRate }
}

describe('resample', () => {
  it.each(pairs)('passes everything to 0.9 of Nyquist within 0.02 dB from %p to %p Hz', (from, to) => {
    const nyquistHz = Math.min(from, to) / 2
    for (const share of [0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9]) {
      const hz = Math.round(share * nyquistHz)
      const out = resample(tone({ hz, seconds: 0.6, sampleRate: from }), to)
      expect(Math.abs(decibels(amplitudeAt(middle(out), hz) / 0.5))).toBeLessThan(0.02)
    }
  })

  it.each([
    [22_050, 44_100],
    [24_000, 44_100],
    [16_000, 24_000],
  ])('attenuates images by 100 dB from %p to %p Hz', (from, to) => {
    for (const share of [0.1, 0.4, 0.7, 0.9]) {
      const hz = Math.round((share * from) / 2)
      const out = middle(resample(tone({ hz, seconds: 0.6, sampleRate: from }), to))
      for (const image of [from - hz, from + hz].filter((imageHz) => imageHz < to / 2)) {
        expect(decibels(amplitudeAt(out, image) / 0.5)).toBeLessThan(-100)
      }
    }
  })

  it.each([
    [48_000, 44_100],
    [44_100, 24_000],
    [44_100, 16_000],
    [48_000, 8000],
  ])('attenuates aliases by 100 dB from %p to %p Hz', (from, to) => {
    for (const share of [1.01, 1.1, 1.5, 1.9]) {
      const hz = (share * to) / 2
      if (hz >= from / 2) continue
      const out = middle(resample(tone({ hz, seconds: 1, sampleRate: from }), to))
      expect(decibels(peak(out.samples) / 0.5)).toBeLessThan(-100)
    }
  })

  it('interpolates between filters without audible error at ratios with many phases', () => {
    const out = middle(resample(tone({ hz: 10_000, seconds: 0.6, sampleRate: 44_101 }), 48_000))
    const level = amplitudeAt(out, 10_000)
    const ideal = tone({ hz: 10_000, seconds: 0.6, sampleRate: 48_000 }).samples.subarray(2000)
    const error = out.samples.map((value, i) => value - ideal[i]!)
    expect(Math.abs(decibels(level / 0.5))).toBeLessThan(0.01)
    expect(decibels(peak(error) / 0.5)).toBeLessThan(-95)
  })

  it('has no delay: an impulse stays where it was', () => {
    for (const [from, to] of pairs) {
      const samples = new Float32Array(from)
      samples[from / 2 - (from % 2) / 2] = 1
      const out = resample({ samples, sampleRate: from }, to).samples
      const at = out.indexOf(peak(out))
      expect(Math.abs(at / to - Math.floor(from / 2) / from)).toBeLessThanOrEqual(0.5 / to + 1e-9)
    }
  })

  it('returns round(n · out / in) samples for any n', () => {
    for (const [from, to] of pairs) {
      for (const length of [0, 1, 2, 3, 100, 1001]) {
        const out = resample({ samples: new Float32Array(length).fill(0.5), sampleRate: from }, to)
        expect(out.samples.length).toBe(Math.round((length * to) / from))
        expect(out.sampleRate).toBe(to)
      }
    }
  })

  it('keeps a constant constant', () => {
    const out = middle(resample({ samples: new Float32Array(20_000).fill(0.5), sampleRate: 22_050 }, 48_000))
    for (const value of out.samples) expect(Math.abs(value - 0.5)).toBeLessThan(1e-6)
  })

  it('restores the sound after resampling there and back', () => {
    const noise = noiseSource(5)
    const smooth = resample({ samples: Float32Array.from({ length: 8000 }, noise), sampleRate: 16_000 }, 24_000)
    const back = resample(resample(smooth, 44_100), 24_000)
    const error = smooth.samples.map((value, i) => value - back.samples[i]!).slice(1000, -1000)
    expect(decibels(peak(error) / peak(smooth.samples))).toBeLessThan(-90)
  })

  it('is independent of earlier calls, also when its cache overflows', () => {
    const pcm = tone({ hz: 440, seconds: 0.1, sampleRate: 22_050 })
    const before = resample(pcm, 44_100).samples
    for (let rate = 8000; rate < 8012; rate++) resample(tone({ hz: 440, seconds: 0.01, sampleRate: 16_000 }), rate * 2)
    expect(resample(pcm, 44_100).samples).toEqual(before)
  })

  it.each([0, 999, 384_001, 22_050.5, NaN])('refuses a rate of %p Hz', (rate) => {
    expect(() => resample({ samples: new Float32Array(10), sampleRate: 22_050 }, rate)).toThrow(RangeError)
    expect(() => resample({ samples: new Float32Array(10), sampleRate: rate }, 22_050)).toThrow(RangeError)
  })
})
