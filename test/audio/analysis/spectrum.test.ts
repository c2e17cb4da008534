import { describe, expect, it } from 'bun:test'
import { trackPitch } from '../../../src/audio/analysis/pitch'
import { percentile } from '../../../src/audio/analysis/percentile'
import { bandsHz, longTermSpectrum } from '../../../src/audio/analysis/spectrum'
import { equalize } from '../../../src/audio/equalize'
import { noiseSource } from '../signals'
import { makeVoice } from './voices'

const range = { minHz: 60, maxHz: 500, stepSeconds: 0.01 }
const sampleRate = 16_000

function hiss(seconds: number): Float32Array {
  const noise = noiseSource(9)
  return Float32Array.from({ length: seconds * sampleRate }, () => 0.3 * noise())
}

describe('the long-term spectrum', () => {
  it('of white noise is flat', () => {
    const pcm = { samples: hiss(4), sampleRate }
    const { all, unvoiced } = longTermSpectrum(pcm, trackPitch(pcm, range))
    const middle = percentile(all.db, 0.5)
    for (const db of all.db.slice(4)) expect(Math.abs(db - middle)).toBeLessThan(1)
    expect(unvoiced.seconds).toBeGreaterThan(3.5)
  })

  it('shifts by the gains of a filter', () => {
    const samples = hiss(4)
    const gains = bandsHz.map((_, k) => 8 * Math.sin(k / 4))
    const pitch = trackPitch({ samples, sampleRate }, range)
    const before = longTermSpectrum({ samples, sampleRate }, pitch).all.db
    const after = longTermSpectrum({ samples: equalize(samples, sampleRate, gains), sampleRate }, pitch).all.db
    for (const [k, gain] of gains.entries())
      if (k > 4) expect(Math.abs(after[k]! - before[k]! - gain)).toBeLessThan(0.8)
  })

  it('separates voiced from unvoiced sound and ignores pauses', () => {
    const voice = makeVoice({ seconds: 2 }).samples
    const samples = new Float32Array(6 * sampleRate)
    samples.set(voice)
    samples.set(hiss(2), 2 * sampleRate)
    const pcm = { samples, sampleRate }
    const { voiced, unvoiced } = longTermSpectrum(pcm, trackPitch(pcm, range))
    expect(voiced.seconds).toBeWithin(1.8, 2.2)
    expect(unvoiced.seconds).toBeWithin(1.8, 2.2)
    // A vowel is darker than white noise.
    expect(voiced.db[4]! - voiced.db[24]!).toBeGreaterThan(unvoiced.db[4]! - unvoiced.db[24]! + 20)
  })

  it('is finite for silence and for no sound', () => {
    for (const length of [0, 100, sampleRate]) {
      const pcm = { samples: new Float32Array(length), sampleRate }
      const { all } = longTermSpectrum(pcm, trackPitch(pcm, range))
      expect(all.seconds).toBe(0)
      expect([...all.db].every(Number.isFinite)).toBe(true)
    }
  })

  it('has a value for every band at every sample rate', () => {
    const pcm = { samples: hiss(1), sampleRate: 8000 }
    expect([...longTermSpectrum(pcm, trackPitch(pcm, range)).all.db].every(Number.isFinite)).toBe(true)
  })
})
