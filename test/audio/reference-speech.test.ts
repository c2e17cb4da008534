import { describe, expect, it } from 'bun:test'
import { concatenate } from '../../src/audio/pcm'
import { keepSpeech } from '../../src/audio/reference/speech'
import { makeVoice } from './analysis/voices'
import { noiseSource } from './signals'

const sampleRate = 22_050
const voice = makeVoice({ seconds: 1.5, sampleRate })
const seconds = ({ samples }: { samples: Float32Array }) => samples.length / sampleRate

/** Noise of that level. */
const pause = (length: number, level: number) => {
  const noise = noiseSource(4)
  return { samples: Float32Array.from({ length: length * sampleRate }, () => level * noise()), sampleRate }
}

describe('the speech of a recording', () => {
  it('excludes its pauses, quiet or noisy', () => {
    for (const level of [0, 1e-4, 0.003]) {
      const kept = keepSpeech(concatenate([pause(1, level), voice, pause(2, level), voice, pause(1, level)]))
      expect(seconds(kept)).toBeWithin(2.7, 3.3)
    }
  })

  it('keeps the gaps between words', () => {
    const kept = keepSpeech(concatenate([voice, pause(0.2, 0), voice]))
    expect(seconds(kept)).toBeWithin(3, 3.3)
  })

  it('has no clicks at its joints', () => {
    const { samples } = keepSpeech(concatenate([pause(1, 0), voice, pause(1, 0), voice, pause(1, 0)]))
    const steepest = (from: Float32Array) =>
      from.reduce((most, value, i) => Math.max(most, Math.abs(value - (from[i - 1] ?? 0))), 0)
    expect(steepest(samples)).toBeLessThan(1.05 * steepest(voice.samples))
  })

  it('is the whole recording without distinct speech', () => {
    for (const pcm of [
      pause(1, 0),
      { samples: new Float32Array(10), sampleRate },
      { samples: new Float32Array(0), sampleRate },
    ])
      expect(keepSpeech(pcm)).toBe(pcm)
  })
})
