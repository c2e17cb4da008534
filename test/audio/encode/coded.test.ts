/** Opus, FLAC and AAC: what they share, and what programs say that decode them independently. */
import { describe, expect, it } from 'bun:test'
import { decode } from '../../../src/audio/decode/decode'
import { createEncoder, encodingSampleRate } from '../../../src/audio/encode/formats'
import { aacSampleRates, opusSampleRates } from '../../../src/audio/encode/sample-rates'
import { durationSeconds, toInt16 } from '../../../src/audio/pcm'
import { describeWith } from '../../tools'
import { decodeWith, writeFile } from '../files'
import { limits } from '../decode/recordings'
import { speechLike } from '../signals'

type Format = 'opus' | 'flac' | 'aac'
const formats: readonly Format[] = ['opus', 'flac', 'aac']
const aacFrame = 1024

async function encode(format: Format, samples: Int16Array, sampleRate: number, chunk = 4096): Promise<Uint8Array> {
  const encoder = await createEncoder(format, sampleRate)
  const parts: Uint8Array[] = []
  for (let i = 0; i < samples.length; i += chunk) parts.push(encoder.append(samples.subarray(i, i + chunk)))
  const { tail, head } = encoder.finish()
  expect(head.length).toBe(encoder.headBytes)
  return new Uint8Array(Buffer.concat([head, ...parts, tail]))
}

const speechAt = new Map<number, Int16Array>()

/** Up to two seconds of speech. */
function speech(length: number, sampleRate: number): Int16Array {
  const whole = speechAt.get(sampleRate) ?? toInt16(speechLike({ seconds: 2, sampleRate }).samples)
  speechAt.set(sampleRate, whole)
  return whole.slice(0, length)
}

/** The correlation of two sounds, and the level of the second above the first in dB. */
function compare(original: Int16Array, decoded: Int16Array): { correlation: number; levelDb: number } {
  let [product, first, second] = [0, 0, 0]
  for (let i = 0; i < original.length; i++) {
    product += original[i]! * decoded[i]!
    first += original[i]! ** 2
    second += decoded[i]! ** 2
  }
  return { correlation: product / Math.sqrt(first * second), levelDb: 10 * Math.log10(second / first) }
}

describe.each([...formats])('an encoder of %s', (format) => {
  it('gives the same bytes for any chunk size', async () => {
    const samples = speech(30_011, 24_000)
    const whole = await encode(format, samples, 24_000, samples.length)
    for (const chunk of [7, 480, 1024, 10_007])
      expect(Buffer.compare(await encode(format, samples, 24_000, chunk), whole)).toBe(0)
  })

  it('keeps concurrent streams separate, and those that are discarded', async () => {
    const alone = await Promise.all([16_000, 24_000].map((rate) => encode(format, speech(20_000, rate), rate)))
    const streams = await Promise.all(
      [16_000, 24_000, 16_000, 24_000, 24_000].map(async (rate) => ({
        samples: speech(20_000, rate),
        encoder: await createEncoder(format, rate),
        parts: [] as Uint8Array[],
      })),
    )
    for (let i = 0; i < 20_000; i += 1000) {
      if (i === 5000) streams.pop()!.encoder.discard()
      for (const { samples, encoder, parts } of streams) parts.push(encoder.append(samples.subarray(i, i + 1000)))
    }
    for (const [i, { encoder, parts }] of streams.entries()) {
      const { tail, head } = encoder.finish()
      expect(Buffer.compare(Buffer.concat([head, ...parts, tail]), alone[i % 2]!)).toBe(0)
    }
  })

  it('returns bytes as they are ready', async () => {
    const encoder = await createEncoder(format, 24_000)
    const ready = Array.from({ length: 4 }, () => encoder.append(speech(12_000, 24_000)).length)
    expect(ready.every((bytes) => bytes > 0)).toBe(true)
    encoder.discard()
  })

  it('refuses a sample rate that the format does not have', async () => {
    for (const rate of [0, 1.5, 700_000]) await expect(createEncoder(format, rate)).rejects.toThrow(RangeError)
  })

  it('takes ten minutes without keeping them', async () => {
    const encoder = await createEncoder(format, 8000)
    const minute = speech(8000, 8000)
    const usedBytes = () => {
      Bun.gc(true)
      return process.memoryUsage.rss()
    }
    const before = usedBytes()
    let bytes = 0
    for (let second = 0; second < 600; second++) bytes += encoder.append(minute).length
    const { tail } = encoder.finish()
    expect(bytes + tail.length).toBeGreaterThan(600 * 1000)
    expect(usedBytes() - before).toBeLessThan(40e6)
  })
})

describe('the sample rate of a format', () => {
  it('is that of the voice where the format has it, and no lower one elsewhere', () => {
    const rates = [8000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000]
    expect(rates.map((rate) => encodingSampleRate('flac', rate))).toEqual(rates)
    expect(rates.map((rate) => encodingSampleRate('aac', rate))).toEqual(rates)
    expect(encodingSampleRate('aac', 20_000)).toBe(44_100)
    expect(rates.map((rate) => encodingSampleRate('opus', rate))).toEqual([
      8000, 12_000, 16_000, 24_000, 24_000, 48_000, 48_000,
    ])
    expect(rates.map((rate) => encodingSampleRate('wav', rate))).toEqual(rates.map(() => 44_100))
  })
})

describeWith(['ffmpeg', 'ffprobe'], 'decoded by ffmpeg', () => {
  const pcm = async (file: Uint8Array, format: Format, rate: number) => {
    const path = await writeFile(file, `.${format}`)
    // Without a chance to guess: an ADTS file of few frames is not recognized by its content.
    const demuxer = { opus: 'ogg', flac: 'flac', aac: 'aac' }[format]
    return decodeWith(['ffmpeg', '-v', 'error', '-f', demuxer, '-i', path, '-ar', `${rate}`, '-f', 's16le', '-'])
  }

  it('Opus has exactly as many samples as the input', async () => {
    for (const rate of opusSampleRates)
      for (const length of rate === 24_000 ? [0, 1, 324, 325, 480, 30_000] : [10_001]) {
        const { samples, log } = await pcm(await encode('opus', speech(length, rate), rate), 'opus', 48_000)
        expect([rate, samples.length, log]).toEqual([rate, (length * 48_000) / rate, ''])
      }
  })

  it('FLAC is the same samples', async () => {
    for (const rate of [8000, 22_050, 44_100])
      for (const length of rate === 22_050 ? [1, 4096, 30_000] : [4097]) {
        const samples = speech(length, rate)
        const decoded = await pcm(await encode('flac', samples, rate), 'flac', rate)
        expect(Buffer.compare(Buffer.from(decoded.samples.slice().buffer), Buffer.from(samples.buffer))).toBe(0)
        expect(decoded.log).toBe('')
      }
    const loudest = Int16Array.from({ length: 5000 }, (_, i) => (i % 2 ? 32_767 : -32_768))
    expect((await pcm(await encode('flac', loudest, 24_000), 'flac', 24_000)).samples).toEqual(loudest)
  })

  it('AAC is one frame longer, filled up with silence', async () => {
    for (const rate of aacSampleRates)
      for (const length of rate === 24_000 ? [0, 1, aacFrame, aacFrame + 1, 30_000] : [5000]) {
        const { samples, log } = await pcm(await encode('aac', speech(length, rate), rate), 'aac', rate)
        const frames = 1 + Math.max(1, Math.ceil(length / aacFrame))
        expect([rate, length, samples.length, log]).toEqual([rate, length, frames * aacFrame, ''])
      }
  })

  it('lossy sound is aligned, correlated and at the same level', async () => {
    for (const rate of [16_000, 24_000]) {
      const input = speech(2 * rate, rate)
      const opus = await pcm(await encode('opus', input, rate), 'opus', rate)
      const aac = await pcm(await encode('aac', input, rate), 'aac', rate)
      for (const decoded of [opus.samples, aac.samples.subarray(aacFrame)]) {
        const { correlation, levelDb } = compare(input, decoded)
        expect(correlation).toBeGreaterThan(0.95)
        expect(Math.abs(levelDb)).toBeLessThan(1)
      }
    }
  })

  it('says codec, sample rate, channel and duration', async () => {
    for (const format of formats) {
      const path = await writeFile(await encode(format, speech(48_000, 24_000), 24_000), `.${format}`)
      const { stdout, stderr } = Bun.spawnSync([
        ...['ffprobe', '-v', 'error', '-of', 'json', '-count_packets', '-show_entries'],
        ...['stream=codec_name,sample_rate,channels,duration,initial_padding,nb_read_packets', path],
      ])
      const [stream] = (JSON.parse(stdout.toString()) as { streams: Record<string, string>[] }).streams
      expect(stderr.toString()).toBe('')
      expect(stream).toMatchObject({
        codec_name: format,
        channels: 1,
        sample_rate: format === 'opus' ? '48000' : '24000',
      })
      // The positions of Opus in Ogg begin 6.5 ms before the sound, and ADTS has no duration.
      if (format === 'opus') expect(Number(stream!.duration)).toBeCloseTo(2.0065, 4)
      if (format === 'flac') expect(Number(stream!.duration)).toBe(2)
      if (format === 'aac') expect(Number(stream!.nb_read_packets)).toBe(1 + Math.ceil(48_000 / aacFrame))
    }
  })
})

describe('FLAC', () => {
  it('says the number of samples, their MD5 and the sizes of its frames', async () => {
    const samples = speech(20_000, 24_000)
    const file = Buffer.from(await encode('flac', samples, 24_000))
    expect(file.subarray(0, 4).toString()).toBe('fLaC')
    expect(file.readUIntBE(21, 5) % 2 ** 36).toBe(20_000)
    expect(file.subarray(26, 42).toString('hex')).toBe(
      new Bun.CryptoHasher('md5').update(new Uint8Array(samples.buffer)).digest('hex'),
    )
    const [smallest, largest] = [file.readUIntBE(12, 3), file.readUIntBE(15, 3)]
    expect(smallest).toBeWithin(1, largest)
    expect(largest).toBeLessThan(4096 * 2)
  })
})

describe('the own decoder', () => {
  it('reads what the encoders write', async () => {
    for (const format of formats) {
      const input = speech(24_000, 24_000)
      const { pcm, channels, damagedFrames } = await decode(await encode(format, input, 24_000), limits)
      expect([format, channels, damagedFrames]).toEqual([format, 1, 0])
      // FAAD2 leaves out the first frame, which is the encoder's delay.
      expect(durationSeconds(pcm)).toBe(format === 'aac' ? (24 * aacFrame) / 24_000 : 1)
    }
  })
})
