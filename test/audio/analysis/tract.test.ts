import { describe, expect, it } from 'bun:test'
import { trackPitch } from '../../../src/audio/analysis/pitch'
import { envelopeStatistics, tractRatio } from '../../../src/audio/analysis/tract'
import type { Pcm } from '../../../src/audio/pcm'
import { equalize } from '../../../src/audio/equalize'
import { makeVoice } from './voices'

const statisticsOf = (voice: Pcm) =>
  envelopeStatistics(voice, trackPitch(voice, { minHz: 60, maxHz: 450, stepSeconds: 0.01 }))

const plain = statisticsOf(makeVoice({ seconds: 8, seed: 2, f0At: () => 110 }))

describe('the vocal tract ratio', () => {
  it.each([0.85, 0.92, 1, 1.08, 1.17])(
    'finds a tract scaled by %p within 3 %, on other vowels at another pitch',
    (tract) => {
      const other = statisticsOf(makeVoice({ seconds: 8, seed: 3, tract, f0At: (time) => 150 + 20 * Math.sin(time) }))
      expect(Math.abs(tractRatio(other, plain).ratio / tract - 1)).toBeLessThan(0.03)
    },
  )

  it('ignores the frequency response of the microphone', () => {
    const voice = makeVoice({ seconds: 8, seed: 3, f0At: () => 130 })
    const dark = Array.from({ length: 25 }, (_, k) => 6 - k / 2)
    const recorded = { ...voice, samples: equalize(voice.samples, voice.sampleRate, dark) }
    expect(Math.abs(tractRatio(statisticsOf(recorded), plain).ratio - 1)).toBeLessThan(0.03)
  })

  it('is 1 without statistics to compare', () => {
    const silence = statisticsOf({ samples: new Float32Array(16_000), sampleRate: 16_000 })
    expect(silence.mean).toEqual([])
    expect(tractRatio(silence, plain)).toEqual({ ratio: 1, likeness: 0 })
    expect(tractRatio(plain, silence)).toEqual({ ratio: 1, likeness: 0 })
  })

  it('refuses every other sample rate', () => {
    expect(() => statisticsOf(makeVoice({ seconds: 1, sampleRate: 22_050 }))).toThrow(RangeError)
  })
})
