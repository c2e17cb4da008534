import { describe, expect, it } from 'bun:test'
import { trimSilence } from '../../src/audio/trim'
import { noiseSource, peak, speechLike, tone } from './signals'

const sampleRate = 22_050

/** A tone with silence of these lengths around it, and a floor of noise and offset. */
function padded({
  before,
  after,
  floor = 0,
  offset = 0,
}: {
  before: number
  after: number
  floor?: number
  offset?: number
}) {
  const noise = noiseSource(9)
  const core = tone({ hz: 300, seconds: 0.5, sampleRate }).samples
  const samples = new Float32Array(Math.round((before + after) * sampleRate) + core.length)
  samples.set(core, Math.round(before * sampleRate))
  return { samples: samples.map((value) => value + floor * noise() + offset), sampleRate }
}

describe('trimSilence', () => {
  it.each([
    { before: 0.3, after: 0.4 },
    { before: 1.234, after: 0.05 },
    { before: 0.3, after: 0.4, floor: 0.001 },
    { before: 0.3, after: 0.4, offset: 0.01 },
  ])('leaves about 10 ms before and 25 ms after: %o', (around) => {
    const seconds = trimSilence(padded(around)).samples.length / sampleRate
    expect(seconds).toBeGreaterThan(0.5 + 0.034)
    expect(seconds).toBeLessThan(0.5 + 0.056)
  })

  it('keeps a sound with a low level', () => {
    const { samples } = padded({ before: 0.3, after: 0.4 })
    const quiet = trimSilence({ samples: samples.map((value) => value * 0.01), sampleRate })
    expect(quiet.samples.length / sampleRate).toBeGreaterThan(0.5)
  })

  it('keeps pauses within', () => {
    const word = tone({ hz: 300, seconds: 0.2, sampleRate }).samples
    const samples = new Float32Array(3 * sampleRate)
    samples.set(word, sampleRate / 2)
    samples.set(word, 2 * sampleRate)
    expect(trimSilence({ samples, sampleRate }).samples.length / sampleRate).toBeCloseTo(1.735, 1)
  })

  it('begins and ends at zero, with no step', () => {
    for (const pcm of [padded({ before: 0.2, after: 0.2, offset: 0.02 }), speechLike({ seconds: 1, sampleRate })]) {
      const { samples } = trimSilence(pcm)
      expect(Math.abs(samples[0]!)).toBe(0)
      expect(Math.abs(samples.at(-1)!)).toBe(0)
      expect(peak(samples.subarray(0, 10))).toBeLessThan(0.03)
      expect(peak(samples.subarray(-10))).toBeLessThan(0.03)
    }
  })

  it('does not change the speech itself', () => {
    const pcm = padded({ before: 0.3, after: 0.4 })
    const { samples } = trimSilence(pcm)
    const start = Math.round(0.3 * sampleRate)
    const lead = samples.findIndex((value) => value !== 0)
    for (let i = 10; i < 0.5 * sampleRate - 10; i++) expect(samples[lead - 1 + i]).toBe(pcm.samples[start + i]!)
  })

  it('returns an empty sound for silence and for an empty sound', () => {
    for (const samples of [
      new Float32Array(0),
      new Float32Array(1),
      new Float32Array(5000),
      new Float32Array(5000).fill(0.2),
    ]) {
      expect(trimSilence({ samples, sampleRate }).samples.length).toBe(0)
    }
  })

  it('accepts very short sounds', () => {
    for (const length of [2, 3, 100]) {
      const { samples } = trimSilence({
        samples: tone({ hz: 5000, seconds: 1, sampleRate }).samples.slice(0, length),
        sampleRate,
      })
      expect(samples.length).toBe(length)
      expect(Math.abs(samples[0]!)).toBe(0)
      expect(Math.abs(samples.at(-1)!)).toBe(0)
    }
  })
})
