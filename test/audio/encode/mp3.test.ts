import { describe, expect, it } from 'bun:test'
import { createMp3Encoder, mp3BitrateKbps, mp3SampleRate } from '../../../src/audio/encode/mp3'
import { createTagWriter } from '../../../src/audio/encode/mp3-tag'
import { toInt16 } from '../../../src/audio/pcm'
import { describeWith } from '../../tools'
import { decodeWith, writeFile } from '../files'
import { noiseSource, speechLike } from '../signals'

const sampleRates = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
const lengths = [0, 1, 100, 575, 576, 1152, 1153, 30_001]

async function encode(
  samples: Int16Array,
  sampleRate: number,
  { chunk = 4410, bitrateKbps = mp3BitrateKbps(sampleRate) } = {},
): Promise<Uint8Array> {
  const encoder = await createMp3Encoder({ sampleRate, bitrateKbps })
  const parts: Uint8Array[] = []
  for (let i = 0; i < samples.length; i += chunk) parts.push(encoder.append(samples.subarray(i, i + chunk)))
  const { tail, head } = encoder.finish()
  expect(head.length).toBe(encoder.headBytes)
  return new Uint8Array(Buffer.concat([head, ...parts, tail]))
}

const speechAt = new Map<number, Int16Array>()

/** Up to three seconds of speech. */
function speech(length: number, sampleRate: number): Int16Array {
  const whole = speechAt.get(sampleRate) ?? toInt16(speechLike({ seconds: 3, sampleRate }).samples)
  speechAt.set(sampleRate, whole)
  return whole.slice(0, length)
}

/** CRC-16/ARC, bit by bit. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  }
  return crc
}

/** The lag of `decoded` in samples, and its signal-to-noise ratio in dB. */
function compare(original: Int16Array, decoded: Int16Array) {
  let best = { lag: 0, snrDb: -Infinity }
  for (let lag = -40; lag <= 40; lag++) {
    let signal = 0
    let noise = 0
    for (let i = 2000; i < original.length - 2000; i++) {
      signal += original[i]! ** 2
      noise += (original[i]! - decoded[i + lag]!) ** 2
    }
    const snrDb = 10 * Math.log10(signal / noise)
    if (snrDb > best.snrDb) best = { lag, snrDb }
  }
  return best
}

describe('createMp3Encoder', () => {
  it('gives the same bytes for any chunk size', async () => {
    const samples = speech(60_000, 44_100)
    const whole = await encode(samples, 44_100, { chunk: samples.length })
    for (const chunk of [160, 1152, 44_100]) expect(await encode(samples, 44_100, { chunk })).toEqual(whole)
  })

  it('gives the same bytes from a reused instance', async () => {
    const noise = noiseSource(21)
    const loud = Int16Array.from({ length: 50_000 }, () => 32_767 * noise())
    for (const sampleRate of [22_050, 44_100]) {
      const samples = speech(20_000, sampleRate)
      const first = await encode(samples, sampleRate)
      for (const between of [8000, 24_000, 48_000]) {
        await encode(loud, between)
        expect(await encode(samples, sampleRate)).toEqual(first)
      }
      await encode(new Int16Array(0), sampleRate)
      expect(await encode(samples, sampleRate)).toEqual(first)
    }
  })

  it('keeps concurrent streams separate', async () => {
    const alone = await Promise.all([22_050, 44_100].map((rate) => encode(speech(20_000, rate), rate)))
    const streams = await Promise.all(
      [22_050, 44_100, 22_050, 44_100, 22_050, 44_100].map(async (rate) => ({
        samples: speech(20_000, rate),
        encoder: await createMp3Encoder({ sampleRate: rate, bitrateKbps: mp3BitrateKbps(rate) }),
        parts: [] as Uint8Array[],
      })),
    )
    for (let i = 0; i < 20_000; i += 1000) {
      for (const { samples, encoder, parts } of streams) parts.push(encoder.append(samples.subarray(i, i + 1000)))
    }
    for (const [i, { encoder, parts }] of streams.entries()) {
      const { tail, head } = encoder.finish()
      expect(Buffer.compare(Buffer.concat([head, ...parts, tail]), alone[i % 2]!)).toBe(0)
    }
  })

  it.each(sampleRates)('writes a correct tag at %p Hz', async (sampleRate) => {
    const samples = speech(20_000, sampleRate)
    const file = await encode(samples, sampleRate)
    const { headBytes } = await createMp3Encoder({ sampleRate, bitrateKbps: mp3BitrateKbps(sampleRate) })
    const body = file.subarray(headBytes)
    const view = new DataView(file.buffer)
    // The same frame type as the following frames, except for padding.
    expect([file[0]!, file[1]!, file[2]! & 0xfd, file[3]!]).toEqual([body[0]!, body[1]!, body[2]! & 0xfd, body[3]!])

    const xing = Buffer.from(file).indexOf('Info')
    expect(xing).toBe(sampleRate >= 32_000 ? 21 : 13)
    expect(view.getUint32(xing + 4)).toBe(15)
    const frames = view.getUint32(xing + 8)
    const frameSamples = sampleRate >= 32_000 ? 1152 : 576
    expect(frames).toBe(
      Math.round(body.length / (((frameSamples / 8) * mp3BitrateKbps(sampleRate) * 1000) / sampleRate)),
    )
    expect(view.getUint32(xing + 12)).toBe(file.length)
    const contents = [...file.subarray(xing + 16, xing + 116)]
    expect(contents[0]).toBe(0)
    for (let i = 1; i < 100; i++) {
      expect(contents[i]).toBeGreaterThanOrEqual(contents[i - 1]!)
      expect(Math.abs(contents[i]! - ((headBytes + (i / 100) * body.length) / file.length) * 256)).toBeLessThanOrEqual(
        1,
      )
    }

    const lame = xing + 120
    expect(
      Buffer.from(file)
        .subarray(lame, lame + 9)
        .toString(),
    ).toBe('LAME3.100')
    const delay = (file[lame + 21]! << 4) | (file[lame + 22]! >> 4)
    const padding = ((file[lame + 22]! & 15) << 8) | file[lame + 23]!
    expect(delay).toBe(576)
    expect(frames * frameSamples - delay - padding).toBe(samples.length)
    expect(view.getUint32(lame + 28)).toBe(file.length)
    expect(view.getUint16(lame + 32)).toBe(crc16(body))
    expect(view.getUint16(lame + 34)).toBe(crc16(file.subarray(0, lame + 34)))
  })

  it('writes the same tag when the body passes byte by byte', async () => {
    const file = await encode(speech(20_000, 44_100), 44_100)
    const tag = createTagWriter({ sampleRate: 44_100, bitrateKbps: 96 })
    for (let i = tag.bytes; i < file.length; i++) tag.add(file.subarray(i, i + 1))
    expect(tag.write(20_000)).toEqual(file.subarray(0, tag.bytes))
  })

  it('returns bytes as they are ready', async () => {
    const encoder = await createMp3Encoder({ sampleRate: 44_100, bitrateKbps: 96 })
    const bytes: number[] = []
    for (let i = 0; i < 20; i++) bytes.push(encoder.append(new Int16Array(1152)).length)
    expect(bytes.slice(0, 3).some((count) => count > 0)).toBe(true)
    expect(bytes.slice(3).every((count) => count > 0)).toBe(true)
  })

  it.each([
    [44_000, 64],
    [44_100, 65],
    [44_100, 8],
    [22_050, 320],
    [8000, 128],
  ])('refuses %p Hz at %p kbit/s', (sampleRate, bitrateKbps) => {
    expect(createMp3Encoder({ sampleRate, bitrateKbps })).rejects.toThrow(RangeError)
  })
})

describe('mp3SampleRate', () => {
  it('keeps the rates of MP3 and uses 44100 Hz for all others', () => {
    for (const rate of sampleRates) expect(mp3SampleRate(rate)).toBe(rate)
    for (const rate of [4000, 20_000, 44_101, 96_000]) expect(mp3SampleRate(rate)).toBe(44_100)
  })
})

describe('mp3BitrateKbps', () => {
  it('is 64 up to 24 kHz and 96 above', () => {
    expect([8000, 24_000, 32_000, 48_000].map(mp3BitrateKbps)).toEqual([64, 64, 96, 96])
  })
})

describeWith('mpg123', 'MP3 decoded by mpg123', () => {
  it('has exactly as many samples as the input', async () => {
    for (const sampleRate of sampleRates) {
      for (const length of lengths) {
        const path = await writeFile(await encode(speech(length, sampleRate), sampleRate), '.mp3')
        const { samples, log } = decodeWith(['mpg123', '-q', '-s', path])
        expect([sampleRate, samples.length]).toEqual([sampleRate, Math.min(length, 3 * sampleRate)])
        expect(log).toBe('')
      }
    }
  })

  it('keeps the sample rate where the bit rate is low and the tag needs a larger frame', async () => {
    const path = await writeFile(await encode(speech(30_000, 44_100), 44_100, { bitrateKbps: 32 }), '.mp3')
    expect(decodeWith(['mpg123', '-q', '-s', path]).samples.length).toBe(30_000)
  })

  it('accepts a full-scale square wave and silence', async () => {
    const square = Int16Array.from({ length: 30_000 }, (_, i) => (Math.floor(i / 50) % 2 ? 32_767 : -32_768))
    for (const input of [square, new Int16Array(30_000)]) {
      const path = await writeFile(await encode(input, 22_050), '.mp3')
      expect(decodeWith(['mpg123', '-q', '-s', path]).samples.length).toBe(30_000)
    }
  })
})

describeWith('ffmpeg', 'MP3 decoded by ffmpeg', () => {
  it('is the same sound, aligned and with the exact length', async () => {
    for (const sampleRate of [16_000, 24_000, 44_100]) {
      const input = speech(2 * sampleRate, sampleRate)
      const path = await writeFile(await encode(input, sampleRate), '.mp3')
      const { samples, log } = decodeWith(['ffmpeg', '-v', 'warning', '-i', path, '-f', 's16le', '-'])
      expect(samples.length).toBe(input.length)
      expect(log).toBe('')
      const { lag, snrDb } = compare(input, samples)
      expect(lag).toBe(0)
      expect(snrDb).toBeGreaterThan(12)
    }
  })

  it('opens as a valid file without samples', async () => {
    const path = await writeFile(await encode(new Int16Array(0), 44_100), '.mp3')
    expect(decodeWith(['ffmpeg', '-v', 'error', '-i', path, '-f', 's16le', '-']).samples.length).toBe(0)
  })

  describeWith('lame', 'compared with native LAME', () => {
    it('is as close to the original as native LAME', async () => {
      const input = speech(60_000, 44_100)
      const theirs = await writeFile(new Uint8Array(0), '.mp3')
      const raw = await writeFile(new Uint8Array(input.buffer), '.raw')
      decodeWith(['lame', '--quiet', '-r', '-s', '44.1', '-m', 'm', '-b', '96', '--cbr', raw, theirs])
      const ours = await writeFile(await encode(input, 44_100), '.mp3')
      const snr = (path: string) =>
        compare(input, decodeWith(['ffmpeg', '-v', 'error', '-i', path, '-f', 's16le', '-']).samples).snrDb
      expect(snr(ours)).toBeGreaterThan(snr(theirs) - 0.3)
    })
  })
})
