import { describe, expect, it } from 'bun:test'
import { harmonicityDb } from '../../../src/audio/analysis/harmonicity'
import { trackPitch } from '../../../src/audio/analysis/pitch'
import { median, noiseSource, tone } from '../signals'
import { makeVoice } from './voices'

const range = { minHz: 60, maxHz: 500, stepSeconds: 0.01 }
const voicedOf = (hz: Float32Array) => [...hz].filter((value) => value > 0)

describe('the pitch track', () => {
  it.each([75, 110, 160, 220, 330, 450])('finds the %p Hz of a steady voice within 0.3 %', (hz) => {
    const track = trackPitch(makeVoice({ seconds: 1.5, f0At: () => hz }), range)
    const voiced = voicedOf(track.hz)
    expect(voiced.length).toBeGreaterThan(0.95 * track.hz.length)
    expect(Math.abs(median(voiced) / hz - 1)).toBeLessThan(0.003)
    const wrong = voiced.filter((value) => Math.abs(value / hz - 1) > 0.02)
    expect(wrong.length).toBeLessThan(0.05 * voiced.length)
  })

  it('follows a melody frame by frame', () => {
    const f0At = (time: number) => 150 * 2 ** (0.4 * Math.sin(2 * Math.PI * time))
    const { hz } = trackPitch(makeVoice({ seconds: 2, f0At }), range)
    for (let frame = 10; frame < hz.length - 10; frame++) {
      expect(Math.abs(12 * Math.log2(hz[frame]! / f0At(frame * 0.01)))).toBeLessThan(0.8)
    }
  })

  it('works at any sample rate', () => {
    for (const sampleRate of [8000, 22_050, 44_100]) {
      const track = trackPitch(makeVoice({ seconds: 1, sampleRate, f0At: () => 140 }), range)
      expect(Math.abs(median(voicedOf(track.hz)) / 140 - 1)).toBeLessThan(0.003)
    }
  })

  it('finds no pitch in silence, noise, a constant or a tone outside its range', () => {
    const noise = noiseSource(3)
    const sounds = [
      new Float32Array(16_000),
      Float32Array.from({ length: 16_000 }, () => 0.3 * noise()),
      new Float32Array(16_000).fill(0.5),
    ]
    for (const samples of sounds) {
      const { hz } = trackPitch({ samples, sampleRate: 16_000 }, range)
      expect(voicedOf(hz).length).toBeLessThan(0.05 * hz.length)
    }
    const low = trackPitch(tone({ hz: 30, seconds: 1, sampleRate: 16_000 }), { ...range, minHz: 100 })
    expect(voicedOf(low.hz).filter((hz) => hz < 100)).toEqual([])
  })

  it('is empty for a sound shorter than a step, and accepts samples that are not finite', () => {
    expect(trackPitch({ samples: new Float32Array(0), sampleRate: 16_000 }, range).hz.length).toBe(0)
    expect(trackPitch({ samples: new Float32Array(100), sampleRate: 16_000 }, range).hz.length).toBe(0)
    const { samples } = makeVoice({ seconds: 1 })
    samples.fill(NaN, 4000, 6000)
    samples[9000] = Infinity
    const { hz, strength } = trackPitch({ samples, sampleRate: 16_000 }, range)
    expect([...hz, ...strength].every((value) => value >= 0)).toBe(true)
  })
})

describe('the harmonicity', () => {
  it.each([5, 8, 11, 15])('measures noise %p dB below a voice within 1.5 dB', (db) => {
    const voice = makeVoice({ seconds: 3, harmonicityDb: db, f0At: () => 130 })
    expect(Math.abs(harmonicityDb(trackPitch(voice, range)) - db)).toBeLessThan(1.5)
  })

  it('is 0 where nothing is voiced', () => {
    expect(harmonicityDb(trackPitch({ samples: new Float32Array(16_000), sampleRate: 16_000 }, range))).toBe(0)
  })
})
