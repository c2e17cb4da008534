import { describe, expect, it } from 'bun:test'
import { decode } from '../../../src/audio/decode/decode'
import { probe } from '../../../src/audio/decode/probe'
import { decibels, tone } from '../signals'
import { limits, outcome } from './recordings'
import { type WavContent, wavFile, type WavForm } from './wav-files'

const sampleRate = 8000
const signal = tone({ hz: 440, seconds: 0.25, sampleRate, amplitude: 0.7 }).samples
const frames = signal.length

const encodings: [format: WavContent['format'], bits: number, snrDbMin: number][] = [
  ['pcm', 8, 40],
  ['pcm', 12, 64],
  ['pcm', 16, 90],
  ['pcm', 20, 110],
  ['pcm', 24, 130],
  ['pcm', 32, 140],
  ['float', 32, 140],
  ['float', 64, 140],
  ['alaw', 8, 35],
  ['mulaw', 8, 35],
]

const content = (format: WavContent['format'], bits: number, channels = 1): WavContent => ({
  format,
  bits,
  sampleRate,
  channelData: Array.from({ length: channels }, () => signal),
})

async function samplesOf(file: Uint8Array): Promise<Float32Array> {
  const { kind, pcm } = await decode(file, limits)
  expect([kind as string, pcm.sampleRate]).toEqual(['wav', sampleRate])
  return pcm.samples
}

function snrDb(decoded: Float32Array): number {
  expect(decoded.length).toBe(frames)
  let noise = 1e-20
  let power = 0
  for (let i = 0; i < frames; i++) {
    power += signal[i]! ** 2
    noise += (signal[i]! - decoded[i]!) ** 2
  }
  return decibels(Math.sqrt(power / noise))
}

describe('WAV', () => {
  it.each(encodings)('of %s, %p bits', async (format, bits, snrDbMin) => {
    for (const channels of [1, 2, 6]) {
      const file = wavFile(content(format, bits, channels))
      expect(probe(file)).toMatchObject({ channels, sampleRate, durationSeconds: 0.25, durationExact: true })
      expect(snrDb(await samplesOf(file))).toBeGreaterThan(snrDbMin)
    }
  })

  it('maps the extremes of every width to full scale', async () => {
    for (const bits of [8, 16, 24, 32]) {
      const channelData = [[-1, 0, 1]]
      const samples = await samplesOf(wavFile({ format: 'pcm', bits, sampleRate, channelData }))
      expect([samples[0], samples[1]]).toEqual([-1, 0])
      expect(samples[2]!).toBeCloseTo(1 - 2 ** (1 - bits), 7)
    }
  })

  it('decodes the values tabulated in G.711', async () => {
    const values = async (tag: number, codes: number[]) => {
      const file = wavFile({ format: 'alaw', bits: 8, sampleRate, channelData: [new Float64Array(codes.length)] })
      new DataView(file.buffer).setUint16(20, tag, true)
      file.set(codes, 44)
      return [...(await samplesOf(file))].map((value) => value * 32_768)
    }
    expect(await values(6, [0xd5, 0x55, 0xaa, 0x2a, 0x80, 0xc5])).toEqual([8, -8, 32_256, -32_256, 5504, 264])
    expect(await values(7, [0xff, 0x80, 0x00, 0xf0, 0xef])).toEqual([0, 32_124, -32_124, 120, 132])
  })

  const plain = content('pcm', 16)
  const forms: [string, WavForm][] = [
    ['the extensible format', { extensible: true }],
    ['RF64', { id: 'RF64' }],
    ['BW64', { id: 'BW64' }],
    [
      'Broadcast Wave, with an odd chunk',
      {
        before: [
          ['bext', new Uint8Array(602)],
          ['iXML', new Uint8Array(13)],
        ],
      },
    ],
    ['chunks behind the samples', { after: [['LIST', new Uint8Array(26)]] }],
    ['a pipe, declared as 0 bytes', { dataBytes: 0 }],
    ['a pipe, declared as 4294967295 bytes', { dataBytes: 0xffff_ffff }],
    ['a pipe, declared as 2 GB', { dataBytes: 0x7fff_f000 }],
  ]
  it.each(forms)('from %s', async (_name, form) => {
    const file = wavFile(plain, form)
    expect(probe(file).durationSeconds).toBe(0.25)
    expect(snrDb(await samplesOf(file))).toBeGreaterThan(90)
  })

  it('is decoded at 24 bits and in floating point in the extensible format', async () => {
    for (const [format, bits] of [
      ['pcm', 24],
      ['float', 32],
      ['alaw', 8],
    ] as const) {
      const file = wavFile(content(format, bits), { extensible: true })
      expect(snrDb(await samplesOf(file))).toBeGreaterThan(35)
    }
  })

  it('is decoded up to a cut', async () => {
    const file = wavFile(plain)
    const samples = await samplesOf(file.subarray(0, 44 + 1001))
    expect(samples.length).toBe(500)
    expect(samples).toEqual((await samplesOf(file)).slice(0, 500))
  })

  it('is decoded from a view of a larger buffer', async () => {
    const file = wavFile(plain)
    const larger = new Uint8Array(Buffer.concat([new Uint8Array(7), file, new Uint8Array(9)]))
    expect(await samplesOf(larger.subarray(7, 7 + file.length))).toEqual(await samplesOf(file))
  })

  it('names an unsupported format', async () => {
    const patch = (at: number, value: number) => {
      const file = wavFile(plain)
      new DataView(file.buffer).setUint16(at, value, true)
      return outcome(file)
    }
    expect(await patch(22, 0)).toBe('corrupt')
    expect(await patch(22, 9)).toBe('too_many_channels')
    expect(await patch(34, 0)).toBe('unsupported')
    expect(await patch(34, 64)).toBe('unsupported')
    expect(await patch(20, 2)).toBe('unsupported')
    expect(await patch(20, 999)).toBe('unsupported')
    expect(await patch(24, 1)).toBe('corrupt')
    expect(await outcome(wavFile(plain).subarray(0, 30))).toBe('corrupt')
    expect(await outcome(wavFile(plain).subarray(0, 36))).toBe('corrupt')
  })
})
