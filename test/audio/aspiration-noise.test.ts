import { describe, expect, it } from 'bun:test'
import { harmonicityDb } from '../../src/audio/analysis/harmonicity'
import { longTermSpectrum } from '../../src/audio/analysis/spectrum'
import { trackPitch } from '../../src/audio/analysis/pitch'
import { addAspirationNoise } from '../../src/audio/aspiration-noise'
import { makeVoice } from './analysis/voices'

const range = { minHz: 60, maxHz: 400, stepSeconds: 0.01 }
const voice = makeVoice({ seconds: 3, f0At: (time) => 160 + 20 * Math.sin(4 * time) })
const everywhere = new Float32Array(voice.samples.length).fill(1)

describe('aspiration noise', () => {
  it.each([8, 10, 13, 16])('brings a clear voice down to %p dB of harmonicity, within 1.5 dB', (db) => {
    expect(harmonicityDb(trackPitch(voice, range))).toBeGreaterThan(20)
    const breathy = addAspirationNoise(voice, everywhere, db, range)
    expect(Math.abs(harmonicityDb(trackPitch(breathy, range)) - db)).toBeLessThan(1.5)
  })

  it('keeps pitch and spectrum', () => {
    const breathy = addAspirationNoise(voice, everywhere, 10, range)
    const [before, after] = [trackPitch(voice, range), trackPitch(breathy, range)]
    for (let frame = 10; frame < before.hz.length - 10; frame++)
      expect(Math.abs(after.hz[frame]! / before.hz[frame]! - 1)).toBeLessThan(0.05)
    const [dry, wet] = [longTermSpectrum(voice, before).voiced.db, longTermSpectrum(breathy, after).voiced.db]
    for (let band = 4; band < 20; band++) expect(Math.abs(wet[band]! - dry[band]!)).toBeLessThan(3)
  })

  it('is added only where the weight is not zero', () => {
    const weight = everywhere.map((_, i) => (i < voice.samples.length / 2 ? 0 : 1))
    const { samples } = addAspirationNoise(voice, weight, 8, range)
    const half = Math.floor(voice.samples.length / 2)
    expect(samples.slice(0, half)).toEqual(voice.samples.slice(0, half))
    expect(samples.slice(half)).not.toEqual(voice.samples.slice(half))
  })

  it('is the same each time, and is not added to a hoarse voice, to silence or to an empty sound', () => {
    expect(addAspirationNoise(voice, everywhere, 9, range).samples).toEqual(
      addAspirationNoise(voice, everywhere, 9, range).samples,
    )
    expect(addAspirationNoise(voice, everywhere, 60, range)).toBe(voice)
    for (const length of [0, 10, 16_000]) {
      const nothing = { samples: new Float32Array(length), sampleRate: 16_000 }
      expect(addAspirationNoise(nothing, new Float32Array(length).fill(1), 5, range)).toBe(nothing)
    }
  })
})
