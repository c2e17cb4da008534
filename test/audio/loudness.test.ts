import { describe, expect, it } from 'bun:test'
import { peakMax, loudnessLufs, normalizeLoudness, targetLufs } from '../../src/audio/loudness'
import type { Pcm } from '../../src/audio/pcm'
import { describeWith } from '../tools'
import { decodeWith, writeWav } from './files'
import { amplitudeAt, decibels, noiseSource, peak, speechLike, tone } from './signals'

function scale({ samples, sampleRate }: Pcm, gainDb: number): Pcm {
  return { samples: samples.map((value) => value * 10 ** (gainDb / 20)), sampleRate }
}

describe('loudnessLufs', () => {
  it.each([8000, 16_000, 22_050, 44_100, 48_000])(
    'reads a full-scale 997 Hz tone as −3.01 LUFS at %p Hz',
    (sampleRate) => {
      expect(loudnessLufs(tone({ hz: 997, seconds: 2, sampleRate, amplitude: 1 }))).toBeCloseTo(-3.01, 1)
    },
  )

  it('ignores pauses', () => {
    const speech = tone({ hz: 997, seconds: 3, sampleRate: 16_000, amplitude: 0.1 })
    const samples = new Float32Array(16_000 * 12)
    samples.set(speech.samples, 16_000 * 5)
    expect(loudnessLufs({ samples, sampleRate: 16_000 })).toBeCloseTo(-23, 0)
  })

  it('measures a sound shorter than a block as one block', () => {
    expect(loudnessLufs(tone({ hz: 997, seconds: 0.1, sampleRate: 22_050, amplitude: 0.1 }))).toBeCloseTo(-23, 0)
  })

  it('is −Infinity for silence and for an empty sound', () => {
    for (const length of [0, 1, 100, 50_000]) {
      expect(loudnessLufs({ samples: new Float32Array(length), sampleRate: 22_050 })).toBe(-Infinity)
    }
  })
})

describe('normalizeLoudness', () => {
  it.each([-35, -20, 0, 6, 20])(
    'brings speech %p dB from the target to it within 0.5 dB, below the ceiling',
    (gainDb) => {
      for (const sampleRate of [16_000, 22_050, 44_100]) {
        const out = normalizeLoudness(scale(speechLike({ seconds: 4, sampleRate }), gainDb))
        expect(Math.abs(loudnessLufs(out) - targetLufs)).toBeLessThan(0.5)
        expect(peak(out.samples)).toBeLessThanOrEqual(Math.fround(peakMax))
      }
    },
  )

  it('amplifies by at most 40 dB', () => {
    const faint = scale(speechLike({ seconds: 1, sampleRate: 22_050 }), -50)
    expect(loudnessLufs(normalizeLoudness(faint)) - loudnessLufs(faint)).toBeCloseTo(40, 3)
  })

  it('brings a single short word to the target', () => {
    const out = normalizeLoudness(scale(speechLike({ seconds: 0.24, sampleRate: 22_050 }), -20))
    expect(Math.abs(loudnessLufs(out) - targetLufs)).toBeLessThan(0.5)
  })

  it('changes only the gain when no peak is too high', () => {
    const speech = scale(speechLike({ seconds: 2, sampleRate: 22_050 }), -30)
    const out = normalizeLoudness(speech)
    const at = speech.samples.indexOf(peak(speech.samples))
    const gain = 10 ** ((targetLufs - loudnessLufs(speech)) / 20)
    expect(peak(speech.samples) * gain).toBeLessThan(peakMax)
    expect(at).toBeGreaterThan(0)
    for (let i = 0; i < out.samples.length; i++) {
      expect(Math.abs(out.samples[i]! - speech.samples[i]! * gain)).toBeLessThan(1e-6)
    }
  })

  it('attenuates single peaks smoothly', () => {
    const sampleRate = 22_050
    const pcm = tone({ hz: 200, seconds: 2, sampleRate, amplitude: 0.15 })
    for (let i = 5000; i < 40_000; i += 7000) pcm.samples[i] = 3
    const out = normalizeLoudness(pcm)
    expect(peak(out.samples)).toBeLessThanOrEqual(Math.fround(peakMax))
    const gainDb = Array.from(out.samples, (value, i) => decibels(value / pcm.samples[i]!))
    for (let i = 1; i < gainDb.length; i++) {
      const audible = Math.min(Math.abs(pcm.samples[i]!), Math.abs(pcm.samples[i - 1]!)) > 0.01
      if (audible) expect(Math.abs(gainDb[i]! - gainDb[i - 1]!)).toBeLessThan(0.2)
    }
  })

  it('attenuates a loud passage without clipping', () => {
    const sampleRate = 22_050
    const pcm = tone({ hz: 1000, seconds: 2, sampleRate, amplitude: 0.05 })
    for (let i = 20_000; i < 20_120; i++) pcm.samples[i]! *= 20
    const out = normalizeLoudness(pcm)
    const loud = { samples: out.samples.slice(20_000, 20_120), sampleRate }
    expect(decibels(amplitudeAt(loud, 1000) / peakMax)).toBeGreaterThan(-1)
    expect(decibels(amplitudeAt(loud, 3000) / amplitudeAt(loud, 1000))).toBeLessThan(-50)
  })

  it('holds the ceiling on noise, on a square wave and on a single sample', () => {
    const noise = noiseSource(11)
    const sounds = [
      Float32Array.from({ length: 30_000 }, (_, i) => (i % 9000 < 20 ? 1 : 0.01) * noise()),
      Float32Array.from({ length: 30_000 }, (_, i) => (Math.floor(i / 100) % 2 ? 1 : -1)),
      Float32Array.of(1),
      new Float32Array(100).fill(1),
    ]
    for (const samples of sounds) {
      expect(peak(normalizeLoudness({ samples, sampleRate: 22_050 }).samples)).toBeLessThanOrEqual(Math.fround(peakMax))
    }
  })

  it('is deterministic and does not change its input', () => {
    const speech = speechLike({ seconds: 1, sampleRate: 22_050 })
    const before = speech.samples.slice()
    expect(normalizeLoudness(speech).samples).toEqual(normalizeLoudness(speech).samples)
    expect(speech.samples).toEqual(before)
  })

  it('does not change silence, an empty sound or samples that are not finite', () => {
    for (const samples of [new Float32Array(0), new Float32Array(30_000), Float32Array.of(0, NaN, 1)]) {
      expect(normalizeLoudness({ samples, sampleRate: 22_050 }).samples).toEqual(samples)
    }
    const infinite = speechLike({ seconds: 1, sampleRate: 22_050 })
    infinite.samples[4000] = Infinity
    expect(normalizeLoudness(infinite).samples).toEqual(infinite.samples)
  })
})

describeWith('ffmpeg', 'loudnessLufs against ebur128', () => {
  it('agrees within 0.2 LU', async () => {
    for (const sampleRate of [22_050, 48_000]) {
      const speech = speechLike({ seconds: 5, sampleRate })
      const path = await writeWav(speech)
      const log = decodeWith(['ffmpeg', '-nostats', '-i', path, '-af', 'ebur128', '-f', 'null', '-']).log
      const theirs = Number([...log.matchAll(/I:\s+(-?[\d.]+) LUFS/g)].at(-1)![1])
      expect(Math.abs(loudnessLufs(speech) - theirs)).toBeLessThan(0.2)
    }
  })
})
