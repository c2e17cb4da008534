/**
 * MP3 (ISO/IEC 11172-3 and 13818-3, Layer III, with the 2.5 extension). This file finds and counts frames by their
 * headers. mpg123 as WebAssembly decodes them and removes the padding named in the LAME tag.
 */
import { BadAudio } from './bad-audio'
import { isAt, uint32 } from './bytes'
import { decodeStream } from './codec'
import { skipId3 } from './id3'
import { checkFormat, type Chunk, type Probe } from './sound'

const chunkBytes = 16_384
const headBytes = 4
/** Largest gap between the tags and the first frame: players leave zeros, recorders a partial frame. */
const junkBytesMax = 65_536
/** A frame header is 11 ones and little else; this many in a row are no coincidence. */
const framesInRow = 3

const sampleRates = [44_100, 48_000, 32_000]
/** kbit/s by the header's index; 0 is "free format", 15 is forbidden. */
const bitratesKbps = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
/** MPEG version 1, 2 or 2.5 by the header's two bits; 1 is reserved. */
const versions: Record<number, { rateShift: number; frameSamples: number; kbps: readonly number[] }> = {
  3: { rateShift: 0, frameSamples: 1152, kbps: bitratesKbps.mpeg1 },
  2: { rateShift: 1, frameSamples: 576, kbps: bitratesKbps.mpeg2 },
  0: { rateShift: 2, frameSamples: 576, kbps: bitratesKbps.mpeg2 },
}
const layer3 = 1

type Frame = {
  readonly sampleRate: number
  readonly channels: number
  readonly frameSamples: number
  readonly lengthBytes: number
  /** Bytes from the start of the frame to a tag: behind the header and the side information. */
  readonly tagOffset: number
}

/** Offset of the first of several consecutive frames, or null. */
export function findMp3(bytes: Uint8Array): number | null {
  const first = skipId3(bytes)
  const last = Math.min(bytes.length - headBytes, first + junkBytesMax)
  for (let at = first; at <= last; at++) if (beginsFrames(bytes, at)) return at
  return null
}

/** Names the unsupported MPEG audio right behind the tags; null where there is none. */
export function otherMpegAudio(bytes: Uint8Array): string | null {
  const at = skipId3(bytes)
  const header = uint32(bytes, at)
  const version = (header >>> 19) & 3
  const layer = (header >>> 17) & 3
  const isHeader = header >>> 21 === 0x7ff && versions[version] && layer !== 0 && ((header >>> 10) & 3) !== 3
  // Two bytes that only look like a header, as at the start of UTF-16 text, do not repeat.
  const again = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(bytes.subarray(at, at + 2), at + 2)
  if (!isHeader || again < 0) return null
  if (layer !== layer3) return `MPEG audio Layer ${layer === 2 ? 'II' : 'I'}`
  return (header >>> 12) & 15 ? null : 'free-format MP3'
}

export function probeMp3(bytes: Uint8Array): Probe {
  const { frame, start, framesTotal } = readLayout(bytes)
  checkFormat(frame)
  const tag = readTag(bytes, start, frame)
  const counted = framesTotal - (tag ? 1 : 0)
  // The tag's length is exact only when all frames are present.
  const exact = tag?.padding !== undefined && tag.frames === counted
  const samples = counted * frame.frameSamples - (tag?.padding ?? 0)
  const durationSeconds = Math.max(0, samples) / frame.sampleRate
  return {
    kind: 'mp3',
    sampleRate: frame.sampleRate,
    channels: frame.channels,
    durationSeconds,
    durationExact: exact,
  }
}

export async function* decodeMp3(bytes: Uint8Array): AsyncGenerator<Chunk> {
  const { decoder } = await import('@audio/decode-mp3')
  const { start, end } = readLayout(bytes)
  yield* decodeStream(await decoder(), bytes.subarray(start, end), chunkBytes)
}

/** Finds the complete frames of the first frame's format, with any data between them, and counts them. */
function readLayout(bytes: Uint8Array) {
  const start = findMp3(bytes)
  if (start === null) throw new BadAudio('corrupt', 'The MP3 file has no frames.')
  const frame = readFrame(bytes, start)!
  let framesTotal = 0
  let end = start
  for (let at = start; at + headBytes <= bytes.length;) {
    const found = readFrame(bytes, at)
    const isSameKind = found?.sampleRate === frame.sampleRate && found.frameSamples === frame.frameSamples
    if (found && isSameKind && at + found.lengthBytes <= bytes.length) {
      framesTotal++
      at += found.lengthBytes
      end = at
    } else at++
  }
  return { frame, start, end, framesTotal }
}

function beginsFrames(bytes: Uint8Array, start: number): boolean {
  const first = readFrame(bytes, start)
  let at = start
  for (let i = 0; i < framesInRow; i++) {
    const frame = readFrame(bytes, at)
    if (!frame || frame.sampleRate !== first!.sampleRate) return i > 0 && at === bytes.length
    at += frame.lengthBytes
    // The last frame of a file may be cut off, or followed by a tag.
    if (i > 0 && at > bytes.length - headBytes) return true
  }
  return true
}

function readFrame(bytes: Uint8Array, at: number): Frame | null {
  if (at + headBytes > bytes.length || bytes[at] !== 0xff) return null
  const header = uint32(bytes, at)
  const version = versions[(header >>> 19) & 3]
  const rate = sampleRates[(header >>> 10) & 3]
  const kbps = version?.kbps[(header >>> 12) & 15]
  if (header >>> 21 !== 0x7ff || ((header >>> 17) & 3) !== layer3 || !version || !rate || !kbps) return null
  const { rateShift, frameSamples } = version
  const sampleRate = rate >> rateShift
  const channels = ((header >>> 6) & 3) === 3 ? 1 : 2
  const hasPadding = (header >>> 9) & 1
  const sideBytes = rateShift === 0 ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17
  return {
    sampleRate,
    channels,
    frameSamples,
    lengthBytes: Math.floor(((frameSamples / 8) * kbps * 1000) / sampleRate) + hasPadding,
    tagOffset: headBytes + sideBytes,
  }
}

/**
 * Reads the Xing or Info tag in the first frame, which holds no sound, and its LAME part: the samples of delay and
 * padding (gabriel.mp3-tech.org, "Mp3 Info Tag rev 1").
 */
function readTag(bytes: Uint8Array, frameStart: number, frame: Frame) {
  const at = frameStart + frame.tagOffset
  if (!isAt(bytes, at, 'Xing') && !isAt(bytes, at, 'Info')) return null
  const flags = uint32(bytes, at + 4)
  let field = at + 8
  const frames = flags & 1 ? uint32(bytes, field) : null
  for (const [flag, lengthBytes] of [
    [1, 4],
    [2, 4],
    [4, 100],
    [8, 4],
  ] as const) {
    if (flags & flag) field += lengthBytes
  }
  const encoderNamed = bytes[field] !== 0 && field + 24 <= frameStart + frame.lengthBytes
  if (!encoderNamed || field + 24 > bytes.length) return { frames, padding: undefined }
  const before = (bytes[field + 21]! << 4) | (bytes[field + 22]! >> 4)
  const after = ((bytes[field + 22]! & 15) << 8) | bytes[field + 23]!
  return { frames, padding: before + after }
}
