import { describe, expect, it } from 'bun:test'
import { trackPitch } from '../../src/audio/analysis/pitch'
import { envelopeStatistics, tractRatio } from '../../src/audio/analysis/tract'
import type { Pcm } from '../../src/audio/pcm'
import { shiftVoice } from '../../src/audio/psola'
import { makeVoice } from './analysis/voices'
import { decibels, median, noiseSource, peak, speechLike } from './signals'

const range = { minHz: 60, maxHz: 500, stepSeconds: 0.005 }
const sampleRate = 16_000
const melody = (time: number) => 120 * 2 ** (0.3 * Math.sin(2 * Math.PI * 0.7 * time))
const voice = makeVoice({ seconds: 3, f0At: melody })
const speech = speechLike({ seconds: 4, sampleRate })

/** Without the outermost 20 ms: a voice that begins in the middle of a period has no mark before it. */
const inside = ({ samples }: Pcm): Pcm => ({ samples: samples.slice(320, -320), sampleRate })
const track = (pcm: Pcm) => trackPitch(pcm, range)
const shift = (pcm: Pcm, pitchHz: (hz: number) => number, ratio = 1) =>
  shiftVoice(pcm, track(pcm), { pitchHz, tractRatio: ratio })
const rms = ({ samples }: Pcm) => Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)

/** The largest second difference, where a cut would show, relative to the loudest sample. */
function roughness({ samples }: Pcm): number {
  let most = 0
  for (let i = 2; i < samples.length; i++)
    most = Math.max(most, Math.abs(samples[i]! - 2 * samples[i - 1]! + samples[i - 2]!))
  return most / peak(samples)
}

describe('the voice shift', () => {
  it('without a change returns the sound', () => {
    for (const pcm of [voice, speech]) {
      const { samples } = shift(pcm, (hz) => hz)
      const error = { samples: samples.map((value, i) => value - pcm.samples[i]!), sampleRate }
      expect(decibels(rms(inside(error)) / rms(pcm))).toBeLessThan(-60)
    }
  })

  it.each([0.7, 0.85, 1.2, 1.5, 1.9])('moves the pitch by a factor of %p in every frame', (factor) => {
    const moved = track(shift(voice, (hz) => hz * factor)).hz
    const errors: number[] = []
    for (let frame = 20; frame < moved.length - 20; frame++) {
      if (moved[frame]! > 0) errors.push(Math.abs(12 * Math.log2(moved[frame]! / (factor * melody(frame * 0.005)))))
    }
    expect(errors.length).toBeGreaterThan(0.9 * moved.length)
    expect(median(errors)).toBeLessThan(0.15)
    expect(errors.filter((error) => error > 1).length).toBeLessThan(0.03 * errors.length)
  })

  it('widens the melody about its middle', () => {
    const moved = track(shift(voice, (hz) => 120 * (hz / 120) ** 2)).hz
    const span = (hz: Float32Array) => {
      const sorted = [...hz.filter((value) => value > 0)].sort((a, b) => a - b)
      return Math.log2(sorted[Math.floor(0.9 * sorted.length)]! / sorted[Math.floor(0.1 * sorted.length)]!)
    }
    expect(span(moved) / span(track(voice).hz)).toBeWithin(1.9, 2.1)
  })

  it.each([0.88, 1.12])('moves the resonances by %p and not the pitch', (ratio) => {
    const long = makeVoice({ seconds: 8, f0At: melody })
    const moved = shift(long, (hz) => hz, ratio)
    expect(
      Math.abs(median([...track(moved).hz.filter((hz) => hz > 0)]) / median([...track(long).hz]) - 1),
    ).toBeLessThan(0.01)
    const statistics = (pcm: Pcm) => envelopeStatistics(pcm, trackPitch(pcm, { ...range, stepSeconds: 0.01 }))
    expect(Math.abs(tractRatio(statistics(moved), statistics(long)).ratio / ratio - 1)).toBeLessThan(0.03)
  })

  it('keeps length and level, and makes no clicks', () => {
    for (const pcm of [voice, speech])
      for (const [factor, ratio] of [
        [0.75, 1],
        [1.4, 1],
        [1.8, 1.1],
        [1, 0.9],
      ] as const) {
        const moved = shift(pcm, (hz) => hz * factor, ratio)
        expect(moved.samples.length).toBe(pcm.samples.length)
        expect(Math.abs(decibels(rms(moved) / rms(pcm)))).toBeLessThan(2)
        expect(roughness(inside(moved))).toBeLessThan(1.7 * roughness(inside(pcm)))
      }
  })

  it('keeps the level of noise and gives it no pitch', () => {
    const noise = noiseSource(4)
    const pcm = { samples: Float32Array.from({ length: 2 * sampleRate }, () => 0.3 * noise()), sampleRate }
    for (const ratio of [0.9, 1, 1.15]) {
      const moved = shift(pcm, (hz) => hz * 1.5, ratio)
      // Overlapping pieces of noise lose some power.
      expect(Math.abs(decibels(rms(moved) / rms(pcm)))).toBeLessThan(2.5)
      const { hz } = track(moved)
      expect(hz.filter((value) => value > 0).length).toBeLessThan(0.05 * hz.length)
    }
  })

  it('accepts any length and an impossible pitch', () => {
    for (const length of [0, 1, 2, 79, 80, 81, 500]) {
      const pcm = { samples: voice.samples.slice(3000, 3000 + length), sampleRate }
      const { samples } = shift(pcm, (hz) => hz * 1.3, 1.1)
      expect(samples.length).toBe(length)
      expect(samples.every(Number.isFinite)).toBe(true)
    }
    for (const hz of [0, 1e9, Infinity]) expect(shift(voice, () => hz).samples.every(Number.isFinite)).toBe(true)
  })

  it('does not change its input', () => {
    const before = voice.samples.slice()
    shift(voice, (hz) => 2 * hz, 1.1)
    expect(voice.samples).toEqual(before)
  })
})
