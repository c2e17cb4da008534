/** Recordings of people, by various encoders, from outside the repository. */
import { expect, it } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode } from '../../../src/audio/decode/decode'
import { probe } from '../../../src/audio/decode/probe'
import { resample } from '../../../src/audio/resample'
import { medianPitchHz } from '../../sound'
import { describeWith } from '../../tools'
import { decibels } from '../signals'
import { compare, limits, outcome, sharedSpeech } from './recordings'

const read = (path: string) => new Uint8Array(readFileSync(join(sharedSpeech, path)))
const rms = (samples: Float32Array) => Math.sqrt(samples.reduce((sum, value) => sum + value ** 2, 0) / samples.length)

/** The original of each file of `formats/`, and its length. */
const originals: Record<string, { path: string; seconds: number; sampleRate: number }> = {
  lj: { path: 'speakers/en_f_lj.wav', seconds: 9.655, sampleRate: 22_050 },
  jfk: { path: 'speakers/en_m_jfk.flac', seconds: 11, sampleRate: 44_100 },
  zh: { path: 'speakers/zh_f_aishell_S0724.wav', seconds: 4.281, sampleRate: 16_000 },
  'audio-mono': { path: 'formats/audio-mono-16-bit-44100Hz.wav', seconds: 2.745, sampleRate: 44_100 },
  'audio-stereo': { path: 'formats/audio-mono-16-bit-44100Hz.wav', seconds: 2.745, sampleRate: 44_100 },
}
/** Sufficient for speech, and faster to compare. */
const comparedRate = 16_000
/** Largest surplus of a file without padding information. */
const paddedSeconds = 0.05

/** Files whose container and tags do not give the exact length. */
const padded = ['jfk_stereo_44k.aac', 'lj_mono_22k.aac', 'zh_aishell.aac', 'lj_fragmented.mp4']

const odd: Record<string, { code: string } | { kind: string; seconds: number }> = {
  'adts-mpeg4.aac': { kind: 'aac', seconds: 16 },
  'apple-voice-memo.m4a': { kind: 'm4a', seconds: 1.003 },
  'audio.flac.ogg': { kind: 'ogg-flac', seconds: 2.907 },
  'audio.speex.ogg': { code: 'unsupported' },
  'id3v2.4.mp3': { kind: 'mp3', seconds: 0.732 },
  'issue-127.m4b': { code: 'corrupt' },
  'issue-133.m4a': { code: 'corrupt' },
  'layer3-compl.mp3': { kind: 'mp3', seconds: 5.184 },
  'layer3-he_32khz.mp3': { kind: 'mp3', seconds: 5.4 },
  'layer3-sin1k0db.mp3': { kind: 'mp3', seconds: 8.281 },
  'pr-544.m4a': { kind: 'm4a', seconds: 0.144 },
  'wav-dvi_adpcm.wav': { code: 'unsupported' },
  'wav-ffmpeg-missing-chunksize.wav': { kind: 'wav', seconds: 0.627 },
  'wav-mulaw.wav': { kind: 'wav', seconds: 0.1 },
  'wav-odd-list-type.wav': { kind: 'wav', seconds: 0.00007 },
}

describeWith(sharedSpeech, 'recordings beside the repository', () => {
  const originalOf = (name: string) => originals[Object.keys(originals).find((key) => name.startsWith(key))!]!

  it('match the tables of this file', () => {
    const formats = readdirSync(join(sharedSpeech, 'formats'))
    expect(formats.length).toBeGreaterThanOrEqual(26)
    expect(formats.filter((name) => !originalOf(name))).toEqual([])
    expect(readdirSync(join(sharedSpeech, 'odd')).sort()).toEqual(Object.keys(odd).sort())
  })

  it('decode to their originals: same length, alignment, pitch and level', async () => {
    for (const name of readdirSync(join(sharedSpeech, 'formats'))) {
      const bytes = read(`formats/${name}`)
      if (name === 'lj_alac.m4a') {
        expect(await outcome(bytes)).toBe('unsupported')
        continue
      }
      const { path, seconds, sampleRate } = originalOf(name)
      const { pcm, repairedSamples, damagedFrames } = await decode(bytes, limits)
      expect([name, repairedSamples, damagedFrames]).toEqual([name, 0, 0])
      const lengthSeconds = pcm.samples.length / pcm.sampleRate
      const isPadded = padded.includes(name)
      expect([name, probe(bytes).durationExact]).toEqual([name, !isPadded])
      expect([name, Math.abs(probe(bytes).durationSeconds! - lengthSeconds) < 0.001]).toEqual([name, true])
      expect(lengthSeconds).toBeGreaterThan(seconds - 0.001)
      expect(lengthSeconds).toBeLessThan(seconds + (isPadded ? paddedSeconds : 0.001))

      const original = await decode(read(path), limits)
      const rate = Math.min(comparedRate, sampleRate, pcm.sampleRate)
      const [theirs, ours] = [resample(original.pcm, rate), resample(pcm, rate)]
      const { lag, snrDb } = compare(theirs.samples, ours.samples, 100)
      // At most the delay of the resampler that made the file.
      expect([name, Math.abs(lag) <= 3]).toEqual([name, true])
      expect([name, snrDb > 5]).toEqual([name, true])
      expect([name, Math.abs(decibels(rms(ours.samples) / rms(theirs.samples))) < 1]).toEqual([name, true])
      // Eight-bit quantization hums in the pauses.
      if (name.includes('8-bit')) continue
      expect([name, Math.abs(medianPitchHz(ours) / medianPitchHz(theirs) - 1) < 0.03]).toEqual([name, true])
    }
  }, 120_000)

  it.each(Object.entries(odd))('odd: %s', async (name, expected) => {
    const bytes = read(`odd/${name}`)
    if ('code' in expected) {
      expect(await outcome(bytes)).toBe(expected.code)
      return
    }
    const { kind, pcm } = await decode(bytes, limits)
    expect(kind as string).toBe(expected.kind)
    expect(Math.abs(pcm.samples.length / pcm.sampleRate - expected.seconds)).toBeLessThan(0.001)
    expect(Math.abs(probe(bytes).durationSeconds! - expected.seconds)).toBeLessThan(0.03)
  })

  it('decode regardless of their name', async () => {
    for (const name of readdirSync(join(sharedSpeech, 'speakers')).filter((file) => /\.(wav|mp3|flac)$/.test(file))) {
      const { pcm, damagedFrames } = await decode(read(`speakers/${name}`), limits)
      expect([name, damagedFrames]).toEqual([name, 0])
      expect(pcm.samples.length / pcm.sampleRate).toBeWithin(4, 14)
      expect(medianPitchHz(resample(pcm, comparedRate))).toBeWithin(70, 320)
    }
  })
})
