/**
 * The Xing/Info frame with LAME's extension, for a mono stream of constant bit rate. It is computed while the stream's
 * bytes pass. Layout: G. Bouvigne, "MP3 Info Tag revision 1 specification"; frame headers: ISO/IEC 11172-3 and 13818-3.
 */

/** By the two bits of the frame header; halved for MPEG-2, quartered for MPEG-2.5. */
const mpeg1SampleRates = [44_100, 48_000, 32_000]
const mpeg1BitratesKbps = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const mpeg2BitratesKbps = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
/** LAME's maximum for MPEG-2.5. */
const mpeg25BitrateKbpsMax = 64
export const mp3SampleRates = [1, 2, 4].flatMap((divisor) => mpeg1SampleRates.map((rate) => rate / divisor))

/** LAME's own delay in samples; decoders add 529 themselves. */
const encoderDelaySamples = 576
const paddingSamplesMax = 0xfff
const headerBytes = 4
const xingBytes = 120
const lameBytes = 36
const tocEntries = 100

interface TagWriter {
  /** Length of the tag frame. */
  readonly bytes: number
  /** Adds body bytes of the stream, in order, in chunks of any size. */
  add(body: Uint8Array): void
  /** Returns the tag frame for the added body, which encodes `samplesTotal` samples. */
  write(samplesTotal: number): Uint8Array
}

/** Throws `RangeError` on a sample rate (Hz) or bit rate (kbit/s) that MP3 does not have. */
export function createTagWriter({ sampleRate, bitrateKbps }: { sampleRate: number; bitrateKbps: number }): TagWriter {
  const format = frameFormat(sampleRate, bitrateKbps)
  const tagBytes = frameBytes(format, format.tagBitrateIndex)
  const bodyFrameBytes = frameBytes(format, format.bitrateIndex)
  let bodyBytes = 0
  let bodyCrc = 0
  let frames = 0
  let nextFrameAt = 0

  return {
    bytes: tagBytes,
    add(body) {
      bodyCrc = crc16(body, bodyCrc)
      const end = bodyBytes + body.length
      // The padding bit in the third header byte makes the frame one byte longer.
      while (nextFrameAt + 2 < end) {
        const paddingBit = (body[nextFrameAt + 2 - bodyBytes]! >> 1) & 1
        nextFrameAt += bodyFrameBytes + paddingBit
        frames++
      }
      bodyBytes = end
    },
    write(samplesTotal) {
      const tag = new Uint8Array(tagBytes)
      const view = new DataView(tag.buffer)
      const ascii = new TextEncoder()
      const fileBytes = tagBytes + bodyBytes
      const paddingSamples = frames * format.frameSamples - encoderDelaySamples - samplesTotal
      const padding = Math.max(0, Math.min(paddingSamplesMax, paddingSamples))

      tag.set([0xff, format.versionByte, (format.tagBitrateIndex << 4) | (format.sampleRateIndex << 2), 0xc4])
      const xing = headerBytes + format.sideBytes
      tag.set(ascii.encode('Info'), xing)
      view.setUint32(xing + 4, 0b1111) // frames, bytes, table of contents and quality follow
      view.setUint32(xing + 8, frames)
      view.setUint32(xing + 12, fileBytes)
      // The position of each percent of the time, in 256ths of the file: evenly spaced at a constant bit rate.
      for (let i = 1; i < tocEntries; i++) {
        const place = tagBytes + (i / tocEntries) * bodyBytes
        tag[xing + 16 + i] = Math.floor((place * 256) / fileBytes)
      }
      view.setUint32(xing + 116, 57) // quality, as LAME writes it for these settings

      const lame = xing + xingBytes
      tag.set(ascii.encode('LAME3.100'), lame)
      tag[lame + 9] = 0x01 // tag revision 0, constant bit rate
      tag[lame + 20] = Math.min(255, bitrateKbps)
      tag[lame + 21] = encoderDelaySamples >> 4
      tag[lame + 22] = ((encoderDelaySamples & 0xf) << 4) | (padding >> 8)
      tag[lame + 23] = padding & 0xff
      view.setUint32(lame + 28, fileBytes)
      view.setUint16(lame + 32, bodyCrc)
      view.setUint16(lame + 34, crc16(tag.subarray(0, lame + 34), 0))
      return tag
    },
  }
}

type FrameFormat = {
  /** Second byte of the header: rest of the sync word, version, Layer III, no checksum. */
  versionByte: number
  sampleRate: number
  sampleRateIndex: number
  frameSamples: number
  /** Length of the side information of a mono frame. */
  sideBytes: number
  bitratesKbps: number[]
  bitrateIndex: number
  tagBitrateIndex: number
}

function frameFormat(sampleRate: number, bitrateKbps: number): FrameFormat {
  const rateAt = mp3SampleRates.indexOf(sampleRate)
  if (rateAt < 0) throw new RangeError(`MP3 has no sample rate of ${sampleRate} Hz.`)
  const mpeg1 = rateAt < 3
  const mpeg25 = rateAt >= 6
  const bitratesKbps = mpeg1 ? mpeg1BitratesKbps : mpeg2BitratesKbps
  const bitrateIndex = bitratesKbps.indexOf(bitrateKbps)
  if (bitrateIndex < 1 || (mpeg25 && bitrateKbps > mpeg25BitrateKbpsMax)) {
    throw new RangeError(`MP3 at ${sampleRate} Hz has no bit rate of ${bitrateKbps} kbit/s.`)
  }
  const format = {
    versionByte: mpeg1 ? 0xfb : mpeg25 ? 0xe3 : 0xf3,
    sampleRate,
    sampleRateIndex: rateAt % 3,
    frameSamples: mpeg1 ? 1152 : 576,
    sideBytes: mpeg1 ? 17 : 9,
    bitratesKbps,
    bitrateIndex,
    tagBitrateIndex: bitrateIndex,
  }
  // Uses the stream's own bit rate if its frames hold the tag, for players that estimate the duration from it.
  const needed = headerBytes + format.sideBytes + xingBytes + lameBytes
  while (frameBytes(format, format.tagBitrateIndex) < needed) format.tagBitrateIndex++
  return format
}

/** Length of a frame without padding. */
function frameBytes({ frameSamples, sampleRate, bitratesKbps }: FrameFormat, bitrateIndex: number): number {
  return Math.floor(((frameSamples / 8) * bitratesKbps[bitrateIndex]! * 1000) / sampleRate)
}

/** CRC-16/ARC, as LAME uses it here. */
const crcTable = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  return crc
})

function crc16(bytes: Uint8Array, start: number): number {
  let crc = start
  for (let i = 0; i < bytes.length; i++) crc = crcTable[(crc ^ bytes[i]!) & 0xff]! ^ (crc >> 8)
  return crc
}
