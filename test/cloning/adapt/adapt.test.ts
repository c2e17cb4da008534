import { describe, expect, it } from 'bun:test'
import { harmonicityDb } from '../../../src/audio/analysis/harmonicity'
import { trackPitch } from '../../../src/audio/analysis/pitch'
import type { Pcm } from '../../../src/audio/pcm'
import { adapt, unchanged } from '../../../src/cloning/adapt/adapt'
import type { Adaptation } from '../../../src/speech/voice'
import { makeVoice } from '../../audio/analysis/voices'
import { decibels, median, noiseSource, speechLike } from '../../audio/signals'

const sampleRate = 16_000
const speech = speechLike({ seconds: 3, sampleRate })
const voice = makeVoice({ seconds: 3, f0At: (time) => 120 + 15 * Math.sin(2 * Math.PI * time) })
const changed: Adaptation = {
  pitch: { fromHz: 120, toHz: 190, spread: 1.4 },
  tractRatio: 1.1,
  voicedDb: unchanged.voicedDb.map((_, k) => 10 * Math.sin(k)),
  unvoicedDb: unchanged.unvoicedDb.map((_, k) => 10 * Math.cos(k)),
  harmonicityDb: 9,
}
const rms = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)

function hostileSounds(): Record<string, Pcm> {
  const noise = noiseSource(8)
  const of = (length: number, valueAt: (i: number) => number): Pcm => ({
    samples: Float32Array.from({ length }, (_, i) => valueAt(i)),
    sampleRate,
  })
  return {
    nothing: of(0, () => 0),
    'one sample': of(1, () => 0.5),
    '0.3 s': of(4800, (i) => voice.samples[i + 8000]!),
    silence: of(32_000, () => 0),
    noise: of(32_000, () => 0.5 * noise()),
    'a constant': of(32_000, () => 0.9),
    'clipped speech': of(32_000, (i) => Math.max(-1, Math.min(1, 30 * speech.samples[i]!))),
    'alternating full scale': of(32_000, (i) => (i % 2 ? 1 : -1)),
    'one click': of(32_000, (i) => (i === 16_000 ? 1 : 0)),
    'a few NaN': of(32_000, (i) => (i % 5000 === 0 ? NaN : voice.samples[i]!)),
    infinity: of(32_000, (i) => (i === 9000 ? -Infinity : voice.samples[i]!)),
    'beyond full scale': of(32_000, (i) => 1e4 * voice.samples[i]!),
    'almost silence': of(32_000, (i) => 1e-7 * voice.samples[i]!),
  }
}

describe('an adaptation', () => {
  it('without changes is transparent', () => {
    const { samples } = adapt(speech, unchanged)
    const error = samples.map((value, i) => value - speech.samples[i]!)
    expect(decibels(rms(error) / rms(speech.samples))).toBeLessThan(-60)
  })

  it('moves the pitch and adds aspiration noise as specified', () => {
    const out = adapt(voice, { ...unchanged, pitch: { fromHz: 120, toHz: 180, spread: 1 }, harmonicityDb: 9 })
    const track = trackPitch(out, { minHz: 80, maxHz: 400, stepSeconds: 0.01 })
    expect(Math.abs(median([...track.hz.filter((hz) => hz > 0)]) / 180 - 1)).toBeLessThan(0.02)
    expect(Math.abs(harmonicityDb(track) - 9)).toBeLessThan(1.5)
  })

  it('applies separate gains to voiced and unvoiced sound', () => {
    const quieter = unchanged.voicedDb.map(() => -12)
    const only = (samples: Float32Array) => adapt({ samples, sampleRate }, { ...unchanged, voicedDb: quieter }).samples
    const noise = noiseSource(5)
    const hiss = Float32Array.from({ length: sampleRate }, () => 0.3 * noise())
    expect(Math.abs(decibels(rms(only(hiss)) / rms(hiss)))).toBeLessThan(1)
    expect(Math.abs(decibels(rms(only(voice.samples)) / rms(voice.samples)) + 12)).toBeLessThan(1)
  })

  it('is deterministic, keeps the length and does not change its input', () => {
    const before = speech.samples.slice()
    const out = adapt(speech, changed)
    expect(out.samples.length).toBe(before.length)
    expect(adapt(speech, changed).samples).toEqual(out.samples)
    expect(speech.samples).toEqual(before)
  })

  for (const [name, pcm] of Object.entries(hostileSounds()))
    it(`returns finite samples for ${name}`, () => {
      for (const adaptation of [unchanged, changed, { ...changed, pitch: { fromHz: 0, toHz: 0, spread: 1 } }]) {
        const { samples } = adapt(pcm, adaptation)
        expect(samples.length).toBe(pcm.samples.length)
        expect(samples.every(Number.isFinite)).toBe(true)
      }
    })

  it('works at the sample rates of all engines', () => {
    for (const rate of [8000, 22_050, 24_000, 48_000]) {
      const out = adapt(speechLike({ seconds: 1, sampleRate: rate }), changed)
      expect(out.sampleRate).toBe(rate)
      expect(out.samples.every(Number.isFinite)).toBe(true)
      expect(rms(out.samples)).toBeGreaterThan(0.01)
    }
  })
})
