/**
 * Accepted recordings and detected faults. The faults are added in known amounts to recordings of ten real speakers.
 * The tests assert the detection rates; docs/reference-check.md has the whole table.
 */
import { describe, expect, it, setDefaultTimeout } from 'bun:test'
import type { Pcm } from '../../src/audio/pcm'
import { checkReference, measureReference, type WarningCode } from '../../src/audio/reference'
import { describeWith } from '../tools'
import * as recordings from './recordings'
import { noiseSource, speechLike, tone } from './signals'

setDefaultTimeout(60_000)

const speech = speechLike({ seconds: 8, sampleRate: 22_050 })
const codesOf = (pcm: Pcm): WarningCode[] => checkReference(pcm).warnings.map(({ code }) => code)

describe('a reference', () => {
  it('is silent without sound, at any length', () => {
    const noise = noiseSource(3)
    const empty = new Float32Array(100_000)
    for (const samples of [
      empty,
      empty.map(() => 0.2),
      empty.map(() => 0.0005 * noise()),
      empty.slice(0, 1),
      empty.slice(0, 0),
    ])
      expect(checkReference({ samples, sampleRate: 22_050 })).toEqual({ error: 'silent', warnings: [] })
  })

  it('is too short with under a second of sound, despite silence around it', () => {
    for (const seconds of [0.1, 0.5, 0.9]) {
      const samples = speech.samples.slice(0, seconds * 22_050)
      expect(checkReference({ samples, sampleRate: 22_050 })).toEqual({ error: 'too_short', warnings: [] })
      const padded = new Float32Array(10 * 22_050)
      padded.set(samples, 5 * 22_050)
      expect(checkReference({ samples: padded, sampleRate: 22_050 }).error).toBe('too_short')
    }
    expect(checkReference({ samples: speech.samples.slice(0, 1.3 * 22_050), sampleRate: 22_050 }).error).toBeUndefined()
  })

  it('has no other errors', () => {
    const noise = noiseSource(5)
    const samples = new Float32Array(100_000).map(() => 0.3 * noise())
    expect(checkReference({ samples, sampleRate: 22_050 }).error).toBeUndefined()
    expect(codesOf({ samples, sampleRate: 22_050 })).toContain('noisy')
    expect(codesOf(tone({ hz: 440, seconds: 8, sampleRate: 22_050 }))).toContain('music')
    expect(codesOf({ samples: speech.samples.map(Math.sign), sampleRate: 22_050 })).toContain('clipped')
  })

  it('advises the speaker in one or two sentences', () => {
    const samples = new Float32Array(15 * 22_050)
    samples.set(speech.samples.slice(0, 2 * 22_050).map((value) => value / 100))
    const { warnings } = checkReference({ samples, sampleRate: 22_050 })
    // The synthetic voice has almost no consonants.
    expect(warnings.map(({ code }) => code)).toEqual(['short', 'mostly_silence', 'quiet', 'narrow_band'])
    expect(warnings[0]!.message).toMatch(/^Only [12]\.\d s of speech were found\. Speak for 10 to 15 seconds\.$/)
    expect(warnings[1]!.message).toMatch(/^Only 1\d % of the recording is speech\. Cut off the silence, or/)
    expect(warnings[2]!.message).toMatch(/^The voice is very quiet \(-\d\d dBFS\)\. Move closer to the microphone, or/)
  })

  it('is deterministic and does not change its samples', () => {
    const before = speech.samples.slice()
    const first = measureReference(speech)
    checkReference(recordings.music('organ', 3, 44_100))
    expect(measureReference(speech)).toEqual(first)
    expect(speech.samples).toEqual(before)
  })

  it('measures the same at every sample rate', () => {
    const codes = [11_025, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000].map((sampleRate) =>
      codesOf(speechLike({ seconds: 8, sampleRate })).filter((code) => code !== 'narrow_band'),
    )
    expect(new Set(codes.map(String)).size).toBe(1)
  })

  it('is checked at rates from 4 to 384 kHz', () => {
    for (const sampleRate of [4000, 7350, 8000, 12_000, 192_000, 384_000])
      expect(checkReference(speechLike({ seconds: 2, sampleRate })).error).toBeUndefined()
  })
})

describeWith(['ffmpeg', 'ffprobe', recordings.speakersFolder], 'recordings of ten speakers', () => {
  const speakers = recordings.readSpeakers()
  const at16kHz = recordings.readSpeakers({ sampleRate: 16_000 })
  const pairs = at16kHz.flatMap((a, i) => at16kHz.slice(i + 1).map((b) => [a, b] as const))

  /** The number of changed recordings with any of the warnings `codes`. */
  const found = (codes: WarningCode | readonly WarningCode[], change: (pcm: Pcm) => Pcm, from = speakers) =>
    from.filter(({ pcm }) => codesOf(change(pcm)).some((code) => codes.includes(code))).length

  it('are there', () => {
    expect(speakers).toHaveLength(10)
  })

  it('have only the warnings that apply', () => {
    const all = Object.fromEntries(speakers.map(({ name, pcm }) => [name.replace(/\.\w+$/, ''), codesOf(pcm)]))
    expect(all).toEqual({
      en_f_libri1995: [],
      // Five seconds or a little more, with pauses.
      en_f_libri3575: ['short'],
      en_f_libri84: [],
      en_f_lj: [],
      en_f_vctk_p240: ['short'],
      en_m_libri1320: ['short'],
      en_m_librivox_sns: ['short'],
      en_m_vctk_p260: ['short'],
      // A recording of 1961.
      en_m_jfk: ['narrow_band'],
      zh_f_aishell_S0724: ['short'],
    })
  })

  it('stay below half the thresholds for music and for several voices', () => {
    for (const { name, pcm } of speakers) {
      const { steadyToneShare, overlapShare, smallerGroupSeconds, pitchGapSemitones } = measureReference(pcm)
      expect([name, steadyToneShare < 0.025, overlapShare < 0.009]).toEqual([name, true, true])
      expect([name, pitchGapSemitones < 7 || smallerGroupSeconds < 0.6]).toEqual([name, true])
    }
  })

  it('with noise at 15 dB are detected', () => {
    for (const noise of [recordings.whiteNoise(200_000), recordings.pinkNoise(200_000)]) {
      expect(found('noisy', (pcm) => recordings.mixed(pcm, noise, 20))).toBe(0)
      expect(found('noisy', (pcm) => recordings.mixed(pcm, noise, 10))).toBeGreaterThanOrEqual(9)
      expect(found('noisy', (pcm) => recordings.mixed(pcm, noise, 5))).toBe(10)
    }
  })

  it('have a signal-to-noise ratio measured within 4 dB', () => {
    for (const belowDb of [20, 15, 10])
      for (const { pcm, name } of speakers.filter(({ name }) => !/jfk|aishell/.test(name))) {
        const { signalToNoiseDb } = measureReference(recordings.mixed(pcm, recordings.whiteNoise(200_000), belowDb))
        expect([name, belowDb, Math.abs(signalToNoiseDb - belowDb) < 4]).toEqual([name, belowDb, true])
      }
  })

  it('with clipping are detected, also when attenuated afterwards', () => {
    expect(found('clipped', (pcm) => recordings.clipped(pcm, 0))).toBe(0)
    expect(found('clipped', (pcm) => recordings.clipped(pcm, 3))).toBe(10)
  })

  it('at a low level are detected', () => {
    expect(found('quiet', (pcm) => recordings.amplified(pcm, -10))).toBe(0)
    expect(found('quiet', (pcm) => recordings.amplified(pcm, -30))).toBe(10)
  })

  it('with telephone bandwidth are detected at any sample rate', () => {
    for (const sampleRate of [8000, 16_000, 44_100]) {
      const telephone = recordings.readSpeakers({ sampleRate, filter: 'aresample=8000' })
      expect([sampleRate, found('narrow_band', (pcm) => pcm, telephone)]).toEqual([sampleRate, 10])
    }
  })

  it('with a reverberation of half a second or more are detected', () => {
    expect(found('reverberant', (pcm) => recordings.reverberant(pcm, 0.2))).toBe(0)
    expect(found('reverberant', (pcm) => recordings.reverberant(pcm, 0.5))).toBeGreaterThanOrEqual(6)
    expect(found('reverberant', (pcm) => recordings.reverberant(pcm, 0.7))).toBeGreaterThanOrEqual(8)
  })

  it('with long silence are detected', () => {
    const padded = ({ samples, sampleRate }: Pcm) => {
      const out = new Float32Array(3 * samples.length)
      out.set(samples, samples.length)
      return { samples: out, sampleRate }
    }
    expect(found('mostly_silence', padded)).toBe(10)
  })

  it('of music, or of speech over music, are detected', () => {
    for (const instrument of ['organ', 'piano', 'flute'] as const) {
      expect(codesOf(recordings.music(instrument, 10, 44_100))).toContain('music')
      const over = (pcm: Pcm) => recordings.mixed(pcm, recordings.music(instrument, 10, pcm.sampleRate).samples, 10)
      expect([instrument, found('music', over) >= 9]).toEqual([instrument, true])
    }
  })

  it('of two simultaneous speakers are detected', () => {
    const both = pairs.filter(([a, b]) => codesOf(recordings.mixed(a.pcm, b.pcm.samples, 0)).includes('several_voices'))
    expect(pairs).toHaveLength(45)
    expect(both.length).toBeGreaterThanOrEqual(40)
  })

  it('of an alternating man and woman are detected in more than half of all cases', () => {
    const turns = pairs.filter(([a, b]) => a.isMale !== b.isMale)
    const heard = turns.filter(([a, b]) => codesOf(recordings.inTurn(a.pcm, b.pcm, 4)).includes('several_voices'))
    expect(heard.length / turns.length).toBeGreaterThan(0.5)
  })

  it('with noise, low level, reverberation or compression do not count as music or several voices', () => {
    const noise = recordings.whiteNoise(200_000)
    const changes: ((pcm: Pcm) => Pcm)[] = [
      (pcm) => recordings.mixed(pcm, noise, 20),
      (pcm) => recordings.mixed(pcm, noise, 5),
      (pcm) => recordings.amplified(pcm, -30),
      (pcm) => recordings.clipped(pcm, 6),
      (pcm) => recordings.reverberant(pcm, 0.3),
      (pcm) => recordings.reverberant(pcm, 0.7),
      (pcm) => recordings.reverberant(pcm, 0.7, 6),
    ]
    for (const [i, change] of changes.entries()) expect([i, found(['music', 'several_voices'], change)]).toEqual([i, 0])
    const compressed = recordings.readSpeakers({
      sampleRate: 22_050,
      filter: 'acompressor=threshold=0.05:ratio=8:makeup=4',
    })
    expect(found(['music', 'several_voices'], (pcm) => pcm, compressed)).toBe(0)
  })
})
