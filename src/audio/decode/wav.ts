/**
 * WAV: RIFF (Microsoft/IBM, 1991), with RF64 and BW64 (ITU-R BS.2088) for large files. The Broadcast Wave chunks (EBU
 * Tech 3285) are skipped. Formats: PCM of 8 to 32 bits, floating point of 32 and 64, G.711 A-law and µ-law.
 */
import { BadAudio } from './bad-audio'
import { isAt, uint16le, uint32le, uint64le } from './bytes'
import { checkFormat, type Chunk, type Probe } from './sound'

const chunkFrames = 65_536
/** The length that programs write to a pipe, and that RF64 writes. */
const lengthUnknown = 0xffff_ffff

const formatTags = { pcm: 1, float: 3, alaw: 6, mulaw: 7, extensible: 0xfffe }
/** Unsupported formats in WAV files, named in the message. */
const otherFormats: Record<number, string> = {
  0x02: 'Microsoft ADPCM',
  0x11: 'IMA ADPCM',
  0x31: 'GSM 6.10',
  0x50: 'MPEG audio',
  0x55: 'MP3',
  0xff: 'AAC',
  0x161: 'WMA',
}

type WavLayout = {
  readonly readSample: SampleReader
  readonly sampleBytes: number
  readonly sampleRate: number
  readonly channels: number
  /** Offset of the samples in the file. */
  readonly dataStart: number
  readonly frames: number
}

/** Reads one sample at a byte offset, −1…1. */
type SampleReader = (view: DataView, at: number) => number

export function isWav(bytes: Uint8Array): boolean {
  return ['RIFF', 'RF64', 'BW64'].some((id) => isAt(bytes, 0, id)) && isAt(bytes, 8, 'WAVE')
}

export function probeWav(bytes: Uint8Array): Probe {
  const { sampleRate, channels, frames } = readLayout(bytes)
  return { kind: 'wav', sampleRate, channels, durationSeconds: frames / sampleRate, durationExact: true }
}

export async function* decodeWav(bytes: Uint8Array): AsyncGenerator<Chunk> {
  const { readSample, sampleBytes, sampleRate, channels, dataStart, frames } = readLayout(bytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = dataStart
  for (let start = 0; start < frames; start += chunkFrames) {
    const length = Math.min(chunkFrames, frames - start)
    const channelData = Array.from({ length: channels }, () => new Float32Array(length))
    for (let i = 0; i < length; i++) {
      for (const samples of channelData) {
        samples[i] = readSample(view, at)
        at += sampleBytes
      }
    }
    yield { channelData, sampleRate, damagedFrames: 0 }
  }
}

function readLayout(bytes: Uint8Array): WavLayout {
  let format: ReturnType<typeof readFormat> | undefined
  let longDataBytes = 0
  for (let at = 12; at + 8 <= bytes.length;) {
    const body = at + 8
    const lengthBytes = uint32le(bytes, at + 4)
    if (isAt(bytes, at, 'ds64')) longDataBytes = uint64le(bytes, body + 8)
    if (isAt(bytes, at, 'fmt ')) format = readFormat(bytes, body, lengthBytes)
    if (isAt(bytes, at, 'data')) {
      if (!format) throw new BadAudio('corrupt', 'The WAV file is damaged: its "data" chunk precedes its "fmt " chunk.')
      const declared = lengthBytes === lengthUnknown ? longDataBytes : lengthBytes
      const present = bytes.length - body
      const dataBytes = declared === 0 ? present : Math.min(declared, present)
      const frames = Math.floor(dataBytes / (format.channels * format.sampleBytes))
      return { ...format, dataStart: body, frames }
    }
    // Chunks begin at even offsets.
    at = body + lengthBytes + (lengthBytes % 2)
  }
  throw new BadAudio('corrupt', 'The WAV file has no samples: there is no "data" chunk.')
}

function readFormat(bytes: Uint8Array, body: number, lengthBytes: number) {
  if (lengthBytes < 16 || body + 16 > bytes.length) {
    throw new BadAudio('corrupt', 'The WAV file is cut off in its "fmt " chunk.')
  }
  const tag = uint16le(bytes, body)
  const channels = uint16le(bytes, body + 2)
  const sampleRate = uint32le(bytes, body + 4)
  const bits = uint16le(bytes, body + 14)
  checkFormat({ sampleRate, channels })
  // The first two bytes of the subformat GUID are the format tag.
  const isExtensible = tag === formatTags.extensible && lengthBytes >= 40
  const meant = isExtensible ? uint16le(bytes, body + 24) : tag
  const sampleBytes = Math.ceil(bits / 8)
  return { channels, sampleRate, sampleBytes, readSample: sampleReader(meant, sampleBytes, bits) }
}

function sampleReader(tag: number, sampleBytes: number, bits: number): SampleReader {
  const reader = readers[`${tag}/${sampleBytes}`]
  if (reader) return reader
  const known = tag === formatTags.pcm || tag === formatTags.float
  const found = known ? `${bits}-bit samples` : (otherFormats[tag] ?? `format ${tag}`)
  throw new BadAudio(
    'unsupported',
    `The WAV file holds ${found}; Sonant reads PCM of 8 to 32 bits, floating point of 32 and 64 bits, A-law and µ-law.`,
  )
}

/** By format tag and bytes per sample. Samples with fewer bits occupy the upper ones. */
const readers: Record<string, SampleReader> = {
  [`${formatTags.pcm}/1`]: (view, at) => (view.getUint8(at) - 128) / 128,
  [`${formatTags.pcm}/2`]: (view, at) => view.getInt16(at, true) / 2 ** 15,
  [`${formatTags.pcm}/3`]: (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 2 ** 23,
  [`${formatTags.pcm}/4`]: (view, at) => view.getInt32(at, true) / 2 ** 31,
  [`${formatTags.float}/4`]: (view, at) => view.getFloat32(at, true),
  [`${formatTags.float}/8`]: (view, at) => view.getFloat64(at, true),
  [`${formatTags.alaw}/1`]: (view, at) => fromAlaw(view.getUint8(at)),
  [`${formatTags.mulaw}/1`]: (view, at) => fromMulaw(view.getUint8(at)),
}

/** ITU-T G.711: sign, three bits of exponent, four of mantissa; every second bit inverted. */
function fromAlaw(byte: number): number {
  const code = byte ^ 0x55
  const exponent = (code >> 4) & 7
  const mantissa = ((code & 15) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 256) << (exponent - 1)
  return (code & 128 ? magnitude : -magnitude) / 2 ** 15
}

/** ITU-T G.711: as A-law, with all bits inverted and a bias of 132. */
function fromMulaw(byte: number): number {
  const code = ~byte & 255
  const magnitude = ((((code & 15) << 3) + 132) << ((code >> 4) & 7)) - 132
  return (code & 128 ? -magnitude : magnitude) / 2 ** 15
}
