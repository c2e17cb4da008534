import { afterAll, describe, expect, it, spyOn } from 'bun:test'
import { createHash } from 'node:crypto'
import { decode } from '../../../src/audio/decode/decode'
import { probe } from '../../../src/audio/decode/probe'
import { toInt16 } from '../../../src/audio/pcm'
import { resample } from '../../../src/audio/resample'
import { medianPitchHz } from '../../sound'
import { describeWith } from '../../tools'
import { decibels } from '../signals'
import { compare, fixturePath, limits, outcome, readFixture } from './recordings'
import { wavFile } from './wav-files'

const monoFrames = 19_294
const monoSeconds = monoFrames / 22_050
const stereoFrames = 34_816

type Expected = { kind: string; sampleRate: number; frames: number; snrDbMin: number; exact?: false }
/** Files of the mono recording: exact length, and signal-to-noise ratio against the original. */
const mono: Record<string, Expected> = {
  'mono.flac': { kind: 'flac', sampleRate: 22_050, frames: monoFrames, snrDbMin: 80 },
  'mono-flac.ogg': { kind: 'ogg-flac', sampleRate: 22_050, frames: monoFrames, snrDbMin: 80 },
  'mono.mp3': { kind: 'mp3', sampleRate: 22_050, frames: monoFrames, snrDbMin: 20 },
  'mono.m4a': { kind: 'm4a', sampleRate: 22_050, frames: monoFrames, snrDbMin: 15 },
  'mono-vorbis.ogg': { kind: 'ogg-vorbis', sampleRate: 22_050, frames: monoFrames, snrDbMin: 20 },
  'mono-opus.ogg': { kind: 'ogg-opus', sampleRate: 48_000, frames: 42_002, snrDbMin: 18 },
  // Its edit list is in milliseconds.
  'he-mono.m4a': { kind: 'm4a', sampleRate: 44_100, frames: 38_588 + 44, snrDbMin: 20, exact: false },
}

/** Files without padding information: aligned except for MP3, and longer by some frames. */
const padded: Record<string, { kind: string; sampleRate: number; lag: number; extraSecondsMax: number }> = {
  'mono.aac': { kind: 'aac', sampleRate: 22_050, lag: 0, extraSecondsMax: 0.05 },
  'fragmented.mp4': { kind: 'm4a', sampleRate: 22_050, lag: 0, extraSecondsMax: 0.05 },
  'untagged.mp3': { kind: 'mp3', sampleRate: 22_050, lag: 1105, extraSecondsMax: 0.1 },
}

const stereo: Record<string, Expected> = {
  'stereo-vbr.mp3': { kind: 'mp3', sampleRate: 44_100, frames: stereoFrames, snrDbMin: 20 },
  'stereo.m4a': { kind: 'm4a', sampleRate: 44_100, frames: stereoFrames, snrDbMin: 10 },
  'stereo-opus.ogg': {
    kind: 'ogg-opus',
    sampleRate: 48_000,
    frames: Math.round((stereoFrames / 44_100) * 48_000),
    snrDbMin: 15,
  },
}

const original = await decode(readFixture('mono.flac'), limits)

describe('decode', () => {
  it('returns the exact samples encoded in FLAC', () => {
    const md5 = Buffer.from(readFixture('mono.flac').subarray(26, 42)).toString('hex')
    const samples = toInt16(original.pcm.samples)
    expect(createHash('md5').update(new Uint8Array(samples.buffer)).digest('hex')).toBe(md5)
    expect(original.pcm.samples.length).toBe(monoFrames)
  })

  it.each(Object.entries(mono))('decodes %s aligned and with the exact length', async (name, expected) => {
    const { kind, pcm, channels, repairedSamples, damagedFrames } = await decode(readFixture(name), limits)
    expect({ kind, channels, repairedSamples, damagedFrames }).toEqual({
      kind: expected.kind as typeof kind,
      channels: 1,
      repairedSamples: 0,
      damagedFrames: 0,
    })
    expect(pcm.sampleRate).toBe(expected.sampleRate)
    expect(pcm.samples.length).toBe(expected.frames)
    const { lag, snrDb } = compare(original.pcm.samples, resample(pcm, 22_050).samples)
    // Resampling twice may move the sound by less than a sample.
    expect(lag).toBeWithin(-1, 2)
    expect(snrDb).toBeGreaterThan(expected.snrDbMin)
    expect(Math.abs(medianPitchHz(pcm) / medianPitchHz(original.pcm) - 1)).toBeLessThan(0.01)
  })

  it.each(Object.entries(padded))('decodes %s with its undeclared padding', async (name, expected) => {
    const { kind, pcm, damagedFrames } = await decode(readFixture(name), limits)
    expect([kind as string, pcm.sampleRate, damagedFrames]).toEqual([expected.kind, expected.sampleRate, 0])
    const { lag, snrDb } = compare(original.pcm.samples, pcm.samples)
    expect(lag).toBe(expected.lag)
    expect(snrDb).toBeGreaterThan(10)
    const extraSeconds = pcm.samples.length / pcm.sampleRate - monoSeconds
    expect(extraSeconds).toBeGreaterThanOrEqual(0)
    expect(extraSeconds).toBeLessThan(expected.extraSecondsMax)
  })

  it('decodes HE-AAC in ADTS at twice the rate of its headers, in tune', async () => {
    const file = readFixture('he-mono.aac')
    expect(probe(file).sampleRate).toBe(22_050)
    const { pcm, channels, damagedFrames } = await decode(file, limits)
    expect([pcm.sampleRate, channels, damagedFrames]).toEqual([44_100, 1, 0])
    expect(Math.abs(medianPitchHz(pcm) / medianPitchHz(original.pcm) - 1)).toBeLessThan(0.05)
  })

  it.each(Object.entries(stereo))('mixes %s to one channel, each at half', async (name, expected) => {
    const reference = await decode(readFixture('stereo-vorbis.ogg'), limits)
    expect([reference.channels, reference.pcm.samples.length]).toEqual([2, stereoFrames])
    const { kind, pcm, channels } = await decode(readFixture(name), limits)
    expect([kind as string, channels, pcm.sampleRate]).toEqual([expected.kind, 2, expected.sampleRate])
    expect(pcm.samples.length).toBe(expected.frames)
    const { lag, snrDb } = compare(reference.pcm.samples, resample(pcm, 44_100).samples)
    expect(lag).toBe(0)
    expect(snrDb).toBeGreaterThan(expected.snrDbMin)
  })

  it('decodes HEv2 to its mono downmix', async () => {
    const reference = await decode(readFixture('stereo-vorbis.ogg'), limits)
    const { pcm, channels, damagedFrames } = await decode(readFixture('he-v2-stereo.m4a'), limits)
    expect([pcm.sampleRate, channels, damagedFrames]).toEqual([44_100, 1, 0])
    expect(pcm.samples.length - stereoFrames).toBeWithin(0, 45)
    expect(compare(reference.pcm.samples, pcm.samples).lag).toBe(0)
  })

  it('averages the channels', async () => {
    const left = Float64Array.of(0.5, 0.25, -0.5, 0)
    const right = Float64Array.of(0.25, -0.25, -0.25, 1)
    const { pcm, channels } = await decode(
      wavFile({ format: 'float', bits: 64, sampleRate: 8000, channelData: [left, right] }),
      limits,
    )
    expect(channels).toBe(2)
    expect([...pcm.samples]).toEqual([0.375, 0, -0.375, 0.5])
  })

  it('detects the format by the content, behind any tags', async () => {
    const id3 = Uint8Array.of(...new TextEncoder().encode('ID3'), 4, 0, 0, 0, 0, 2, 1, ...new Uint8Array(257))
    for (const name of ['mono.mp3', 'mono.flac', 'mono.aac']) {
      const plain = await decode(readFixture(name), limits)
      const tagged = await decode(new Uint8Array(Buffer.concat([id3, id3, readFixture(name)])), limits)
      expect(tagged).toEqual(plain)
    }
    const zeros = new Uint8Array(Buffer.concat([new Uint8Array(3000), readFixture('untagged.mp3')]))
    expect(await decode(zeros, limits)).toEqual(await decode(readFixture('untagged.mp3'), limits))
  })

  it('is independent of earlier and concurrent decodings', async () => {
    const names = Object.keys({ ...mono, ...padded, ...stereo })
    const first = await Promise.all(names.map((name) => decode(readFixture(name), limits)))
    for (const [i, name] of names.entries()) expect(await decode(readFixture(name), limits)).toEqual(first[i]!)
  })
})

describe('probe', () => {
  const all: Record<string, Pick<Expected, 'frames' | 'sampleRate' | 'exact'>> = {
    ...mono,
    ...stereo,
    'stereo-vorbis.ogg': { frames: stereoFrames, sampleRate: 44_100 },
  }

  it.each(Object.entries(all))(
    'probes the length of %s without decoding it',
    (name, { frames, sampleRate, exact = true }) => {
      const { durationSeconds, durationExact } = probe(readFixture(name))
      expect(durationExact).toBe(exact)
      expect(Math.abs(durationSeconds! - frames / sampleRate)).toBeLessThan(1.5 / sampleRate)
    },
  )

  it.each(Object.keys(padded))('probes the length of %s including its padding', async (name) => {
    const { durationSeconds, durationExact } = probe(readFixture(name))
    const { pcm } = await decode(readFixture(name), limits)
    expect(durationExact).toBe(false)
    expect(durationSeconds! * pcm.sampleRate).toBeCloseTo(pcm.samples.length, 0)
  })
})

describe('refusals', () => {
  const text = new TextEncoder().encode('Dear service, please make a voice of this text. '.repeat(50))
  const cases: [name: string, code: string, bytes: Uint8Array, says: RegExp][] = [
    ['no bytes', 'empty', new Uint8Array(0), /empty/],
    ['one byte', 'unknown', Uint8Array.of(82), /known format/],
    ['text', 'unknown', text, /known format/],
    [
      'text in UTF-16',
      'unknown',
      new Uint8Array(Buffer.from(`\ufeff${'A recording. '.repeat(99)}`, 'utf16le')),
      /known format/,
    ],
    ['zeros', 'unknown', new Uint8Array(100_000), /known format/],
    ['ones', 'unknown', new Uint8Array(100_000).fill(255), /known format/],
    [
      'a zip with an mp3 in it',
      'unknown',
      new Uint8Array(Buffer.concat([Buffer.from('PK\x03\x04'), new Uint8Array(26), readFixture('mono.mp3')])),
      /ZIP/,
    ],
    ['a png', 'unknown', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, ...new Uint8Array(1000)), /PNG/],
    ['ALAC', 'unsupported', readFixture('alac.m4a'), /alac/],
    ['Ogg that ends in its first page', 'corrupt', readFixture('mono-opus.ogg').subarray(0, 30), /cut off/],
    ['Speex', 'unsupported', readFixture('speex.ogg'), /Speex/],
    ['an mp4 without sound', 'unsupported', readFixture('video-only.mp4'), /no sound/],
    ['free-format mp3', 'unsupported', mpegFrames([0xff, 0xfb, 0x00, 0xc0]), /free-format/],
    ['MPEG Layer II', 'unsupported', mpegFrames([0xff, 0xfd, 0x90, 0xc0]), /Layer II/],
    ['ADPCM in WAV', 'unsupported', wavWithTag(0x11), /IMA ADPCM/],
    ['GSM in WAV', 'unsupported', wavWithTag(0x31), /GSM/],
    ['MP3 in WAV', 'unsupported', wavWithTag(0x55), /MP3/],
    [
      'a WAV without a sample',
      'corrupt',
      wavFile({ format: 'pcm', bits: 16, sampleRate: 8000, channelData: [[]] }),
      /no sound/,
    ],
    ['an m4a without its index', 'corrupt', readFixture('mono.m4a').subarray(0, 1500), /index/],
    ['xHE-AAC', 'unsupported', withObjectType(42), /type 42/],
  ]

  it.each(cases)('is %s, as %s', async (_name, code, bytes, says) => {
    const error = await decode(bytes, limits).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'BadAudio', code })
    expect((error as Error).message).toMatch(says)
  })

  it('applies to the length in the header, before any decoding', async () => {
    for (const name of Object.keys({ ...mono, ...padded, ...stereo })) {
      expect([name, await outcome(readFixture(name), { secondsMax: 0.5 })]).toEqual([name, 'too_long'])
    }
    // Only the header of this file exists, so the limit applies before decoding.
    const head = readFixture('mono.flac').subarray(0, 42)
    expect(await outcome(head, { secondsMax: 0.5 })).toBe('too_long')
    expect(await outcome(head)).toBe('corrupt')
  })

  it('applies to the decoded length when the header has none or a wrong one', async () => {
    for (const frames of [0, 100]) {
      const file = readFixture('mono.flac')
      new DataView(file.buffer).setUint32(22, frames)
      expect(probe(file).durationSeconds).toBe(frames ? frames / 22_050 : null)
      expect(await outcome(file, { secondsMax: 0.5 })).toBe('too_long')
      expect(await outcome(file)).toBe('decoded')
    }
  })

  it('refuses one sample too many of an exact length', async () => {
    for (const [name, { frames, sampleRate, exact }] of Object.entries({ ...mono, ...stereo })) {
      if (exact === false) continue
      expect([name, await outcome(readFixture(name), { secondsMax: frames / sampleRate })]).toEqual([name, 'decoded'])
      expect([name, await outcome(readFixture(name), { secondsMax: (frames - 1) / sampleRate })]).toEqual([
        name,
        'too_long',
      ])
    }
  })

  it('accepts a file at the limit and refuses one beyond it', async () => {
    const seconds = (frames: number) =>
      wavFile({ format: 'pcm', bits: 16, sampleRate: 8000, channelData: [new Float64Array(frames)] })
    expect(await outcome(seconds(120_000), { secondsMax: 15 })).toBe('decoded')
    expect(await outcome(seconds(120_001), { secondsMax: 15 })).toBe('too_long')
    expect(await outcome(readFixture('stereo.m4a'), { channelsMax: 1 })).toBe('too_many_channels')
    expect(await outcome(readFixture('stereo.m4a'), { channelsMax: 2 })).toBe('decoded')
    const { length } = readFixture('mono.mp3')
    expect(await outcome(readFixture('mono.mp3'), { sizeBytesMax: length })).toBe('decoded')
    expect(await outcome(readFixture('mono.mp3'), { sizeBytesMax: length - 1 })).toBe('too_long')
  })

  it('refuses a file that takes too long', async () => {
    for (const name of ['mono.flac', 'mono.mp3', 'mono.m4a', 'mono-vorbis.ogg', 'mono-opus.ogg']) {
      expect([name, await outcome(readFixture(name), { timeoutMs: 0 })]).toEqual([name, 'timeout'])
    }
  })
})

describe('damage', () => {
  it('is counted, and the rest is decoded', async () => {
    const sharesKept = { 'mono.flac': 0.1, 'mono.mp3': 0.9, 'mono.m4a': 0.9, 'mono.aac': 0.9, 'mono-opus.ogg': 0.3 }
    for (const [name, shareKept] of Object.entries(sharesKept)) {
      const file = readFixture(name)
      const middle = Math.floor(file.length / 2)
      for (let i = middle; i < middle + 300; i++) file[i] = (i * 77) & 255
      const { pcm, damagedFrames } = await decode(file, limits)
      expect([name, pcm.samples.length / pcm.sampleRate > shareKept * monoSeconds]).toEqual([name, true])
      expect([name, damagedFrames > 0]).toEqual([name, name !== 'mono.mp3'])
    }
  })

  it('is counted when a recording is shorter than its header says', async () => {
    for (const name of ['mono.flac', 'mono-flac.ogg']) {
      const file = readFixture(name)
      const { pcm, damagedFrames } = await decode(file.subarray(0, Math.floor(file.length * 0.8)), limits)
      expect([name, pcm.samples.length < monoFrames, damagedFrames]).toEqual([name, true, 1])
    }
  })

  it('to samples is repaired: NaN becomes silence, values far beyond full scale become full scale', async () => {
    const samples = Float64Array.from({ length: 100 }, (_, i) => Math.sin(i) / 2)
    samples.set([Number.NaN, Infinity, -1e30, 1e9], 10)
    const file = wavFile({ format: 'float', bits: 32, sampleRate: 8000, channelData: [samples] })
    const { pcm, repairedSamples } = await decode(file, limits)
    expect(repairedSamples).toBe(4)
    expect([...pcm.samples.subarray(10, 14)]).toEqual([0, 1, -1, 1])
    expect(pcm.samples[20]).toBeCloseTo(Math.sin(20) / 2, 6)
  })

  it('to one sample of ten and more is refused', async () => {
    const samples = Float64Array.from({ length: 100 }, (_, i) => (i % 9 ? 0.1 : Number.NaN))
    const file = wavFile({ format: 'float', bits: 32, sampleRate: 8000, channelData: [samples] })
    expect(await outcome(file)).toBe('corrupt')
  })

  it('attenuates a recording slightly beyond full scale instead of clipping it', async () => {
    const samples = Float64Array.from({ length: 100 }, (_, i) => 1.6 * Math.sin(i / 3))
    const file = wavFile({ format: 'float', bits: 32, sampleRate: 8000, channelData: [samples] })
    const { pcm, repairedSamples } = await decode(file, limits)
    expect(repairedSamples).toBe(0)
    const peak = Math.max(...samples.map(Math.abs))
    for (let i = 0; i < 100; i++) expect(pcm.samples[i]!).toBeCloseTo(samples[i]! / peak, 6)
  })
})

describe('third-party codecs', () => {
  const spies = (['log', 'warn', 'error'] as const).map((name) => spyOn(console, name))
  afterAll(() => spies.forEach((spy) => spy.mockRestore()))

  it('print no line about damage and leak no memory', async () => {
    const events = ['uncaughtException', 'unhandledRejection', 'exit', 'beforeExit', 'warning']
    const before = events.map((event) => process.listenerCount(event))
    const consoleBefore = { ...console }
    let damaged = 0
    for (const name of [...Object.keys({ ...mono, ...padded, ...stereo }), 'he-mono.aac']) {
      const file = readFixture(name)
      await decode(file, limits)
      for (let i = Math.floor(file.length / 2); i < file.length; i += 31) file[i] = (i * 77) & 255
      damaged += (await outcome(file)) === 'decoded' ? (await decode(file, limits)).damagedFrames : 1
    }
    expect(damaged).toBeGreaterThan(10)
    expect(events.map((event) => process.listenerCount(event))).toEqual(before)
    expect({ ...console }).toEqual(consoleBefore)
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
  })
})

describeWith('ffmpeg', 'beside ffmpeg', () => {
  /**
   * In dB: agreement of two decoders of one file. Opus is compared with libopus. HE-AAC is not compared: its upper
   * bands are noise.
   */
  const snrDbMin: Record<string, number> = {
    'mono.flac': 80,
    'mono-flac.ogg': 80,
    'mono.mp3': 100,
    'untagged.mp3': 100,
    'stereo-vbr.mp3': 100,
    'mono.m4a': 100,
    'stereo.m4a': 100,
    'mono.aac': 100,
    'fragmented.mp4': 100,
    'mono-vorbis.ogg': 100,
    'stereo-vorbis.ogg': 100,
    'mono-opus.ogg': 70,
    'stereo-opus.ogg': 70,
  }

  it.each(Object.entries(snrDbMin))('%s agrees with the other decoder', async (name, atLeastDb) => {
    const { pcm, channels } = await decode(readFixture(name), limits)
    const codec = name.includes('opus') ? ['-c:a', 'libopus'] : []
    const mix = channels === 2 ? ['-af', 'pan=mono|c0=0.5*c0+0.5*c1'] : []
    const { stdout, exitCode } = Bun.spawnSync(
      ['ffmpeg', '-v', 'error', ...codec, '-i', fixturePath(name), ...mix, '-f', 'f32le', '-'],
      { stdout: 'pipe' },
    )
    expect(exitCode).toBe(0)
    const theirs = new Float32Array(new Uint8Array(stdout).buffer)
    const { lag, snrDb } = compare(theirs, pcm.samples)
    // ffmpeg keeps the first frame of raw AAC, which is all delay.
    expect(lag).toBe(name === 'mono.aac' || name === 'fragmented.mp4' ? -1024 : 0)
    expect(snrDb).toBeGreaterThan(atLeastDb)
    expect(Math.abs(decibels(level(pcm.samples) / level(theirs)))).toBeLessThan(0.5)
  })
})

function level(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0))
}

/** A long sequence of zero frames with this header. */
function mpegFrames(header: number[]): Uint8Array {
  const frame = new Uint8Array(417)
  frame.set(header)
  return new Uint8Array(Buffer.concat(Array.from({ length: 20 }, () => frame)))
}

function wavWithTag(tag: number): Uint8Array {
  const file = wavFile({ format: 'pcm', bits: 16, sampleRate: 8000, channelData: [new Float64Array(4000)] })
  new DataView(file.buffer).setUint16(20, tag, true)
  return file
}

/** `mono.m4a` with an AudioSpecificConfig of this object type, which is above 31. */
function withObjectType(objectType: number): Uint8Array {
  const file = readFixture('mono.m4a')
  const config = Buffer.from(file).indexOf(Uint8Array.of(0x13, 0x88))
  if (config < 0) throw new Error('no AudioSpecificConfig')
  new DataView(file.buffer).setUint16(config, (31 << 11) | ((objectType - 32) << 5))
  return file
}
