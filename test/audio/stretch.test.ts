import { describe, expect, it } from 'bun:test'
import { stretch } from '../../src/audio/stretch'
import { amplitudeAt, decibels, median, noiseSource, peak, pitchAt, speechLike, tone } from './signals'

const speeds = [0.5, 0.75, 1.5, 2]
const speech = speechLike({ seconds: 6, sampleRate: 22_050 })

function pitchRatios(speed: number): number[] {
  const stretched = stretch(speech, speed)
  const ratios: number[] = []
  for (let time = 0.05; time < 5.8; time += 0.025) {
    const before = pitchAt(speech, time)
    const after = pitchAt(stretched, time / speed)
    if (before !== null && after !== null) ratios.push(after / before)
  }
  return ratios
}

/** Times in seconds of all peaks above half of the highest, at least 20 ms apart. */
function clicks({ samples, sampleRate }: { samples: Float32Array; sampleRate: number }): number[] {
  const threshold = peak(samples) / 2
  const times: number[] = []
  for (let i = 0; i < samples.length; i++) {
    if (Math.abs(samples[i]!) > threshold && i / sampleRate - (times.at(-1) ?? -1) > 0.02) times.push(i / sampleRate)
  }
  return times
}

describe('stretch', () => {
  it.each(speeds)('keeps the pitch at speed %p', (speed) => {
    const ratios = pitchRatios(speed)
    expect(ratios.length).toBeGreaterThan(60)
    expect(median(ratios)).toBeGreaterThan(0.98)
    expect(median(ratios)).toBeLessThan(1.02)
    // Pitch moves by up to a tenth in a second, so single frames may differ a little more, but by no octave.
    const far = ratios.filter((ratio) => ratio < 0.9 || ratio > 1.1)
    expect(far.length / ratios.length).toBeLessThan(0.05)
  })

  it.each(speeds)('keeps the level at speed %p', (speed) => {
    const rms = (samples: Float32Array) =>
      Math.sqrt(samples.reduce((sum, value) => sum + value ** 2, 0) / samples.length)
    const ratio = rms(stretch(speech, speed).samples) / rms(speech.samples)
    expect(Math.abs(decibels(ratio))).toBeLessThan(1)
  })

  it.each(speeds)('splices a tone to the sample at speed %p', (speed) => {
    const stretched = stretch(tone({ hz: 1000, seconds: 2, sampleRate: 44_100 }), speed)
    expect(decibels(amplitudeAt(stretched, 1000) / 0.5)).toBeGreaterThan(-0.3)
  })

  it('returns exactly round(n / speed) samples for any n', () => {
    for (const sampleRate of [8000, 16_000, 22_050, 44_100]) {
      for (const length of [0, 1, 2, 100, 777, 5000]) {
        const pcm = { samples: speech.samples.slice(20_000, 20_000 + length), sampleRate }
        for (const speed of [0.25, 0.5, 0.99, 1, 1.01, 1.7, 4]) {
          const stretched = stretch(pcm, speed)
          expect(stretched.samples.length).toBe(Math.round(length / speed))
          expect(stretched.sampleRate).toBe(sampleRate)
          expect(peak(stretched.samples)).toBeLessThanOrEqual(peak(speech.samples) * 1.01)
        }
      }
    }
  })

  it('neither doubles nor drops bursts', () => {
    const sampleRate = 22_050
    const noise = noiseSource(3)
    const samples = new Float32Array(10 * sampleRate)
    for (let click = 0; click < 40; click++) {
      const start = Math.round((0.1 + click * 0.237) * sampleRate)
      for (let i = 0; i < 22; i++) samples[start + i] = 0.5 + 0.3 * noise()
    }
    for (let i = 0; i < samples.length; i++) samples[i]! += 0.05 * Math.sin((2 * Math.PI * 140 * i) / sampleRate)
    for (const speed of speeds) {
      const found = clicks(stretch({ samples, sampleRate }, speed))
      expect(found.length).toBeGreaterThanOrEqual(38)
      expect(found.length).toBeLessThanOrEqual(48)
    }
  })

  it('keeps most bursts just before the end', () => {
    const sampleRate = 24_000
    let kept = 0
    for (const speed of [1.25, 1.5, 2]) {
      for (let k = 0; k < 20; k++) {
        const { samples } = speechLike({ seconds: 0.6 + 0.004 * k, sampleRate })
        const start = samples.length - Math.round((0.03 + 0.0015 * k) * sampleRate)
        samples.fill(0, start - 1200)
        for (let i = 0; i < 120; i++) samples[start + i] = i % 2 ? 0.9 : -0.9
        const stretched = stretch({ samples, sampleRate }, speed).samples
        if (peak(stretched.subarray(-Math.round(0.1 * sampleRate))) > 0.7) kept++
      }
    }
    expect(kept).toBeGreaterThanOrEqual(52)
  })

  it('keeps silence silent', () => {
    const stretched = stretch({ samples: new Float32Array(20_000), sampleRate: 16_000 }, 1.5)
    expect(peak(stretched.samples)).toBe(0)
  })

  it('terminates on samples that are not finite', () => {
    const samples = speech.samples.slice(0, 20_000)
    samples.fill(NaN, 5000, 6000)
    samples[9000] = Infinity
    expect(stretch({ samples, sampleRate: 22_050 }, 1.5).samples.length).toBe(Math.round(20_000 / 1.5))
  })

  it('does not change its input', () => {
    const before = speech.samples.slice()
    stretch(speech, 1.3)
    expect(speech.samples).toEqual(before)
  })

  it.each([0, 0.249, 4.001, -1, NaN, Infinity])('refuses speed %p', (speed) => {
    expect(() => stretch(speech, speed)).toThrow(RangeError)
  })
})
