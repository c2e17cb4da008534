/**
 * Ogg (RFC 3533) with Vorbis (xiph.org, "Vorbis I specification"), Opus (RFC 7845) or FLAC. The first page holds only
 * the codec's identification. Every page counts the samples up to its end, so the last page gives the length.
 */
import { BadAudio } from './bad-audio'
import { isAt, uint16le, uint32le, uint64le } from './bytes'
import { decodeStream } from './codec'
import { readStreamInfo } from './flac'
import { checkFormat, type Chunk, type Probe } from './sound'

/** As for FLAC: silence inflates a thousandfold. */
const chunkBytes = 2048
const pageMarker = 'OggS'
const pageHeadBytes = 27
/** Opus has the shortest identification. */
const identificationBytesMin = 19
/** A page has at most 255 segments of 255 bytes. */
const pageBytesMax = pageHeadBytes + 255 + 255 * 255
/** Largest plausible sample count of a page: 2⁴⁴ at 192 kHz are three years. */
const granuleMax = 2 ** 44

const markers = { 'ogg-vorbis': '\x01vorbis', 'ogg-opus': 'OpusHead', 'ogg-flac': '\x7fFLAC' } as const
type OggKind = keyof typeof markers

const otherMarkers: Record<string, string> = {
  'Speex   ': 'Speex',
  '\x80theora': 'Theora video',
  'fishead\0': 'an Ogg Skeleton, the index of a video',
}

export function isOgg(bytes: Uint8Array): boolean {
  return isAt(bytes, 0, pageMarker)
}

/** Throws `unsupported` for another codec. */
export function oggKind(bytes: Uint8Array): OggKind {
  const packet = firstPacket(bytes)
  for (const kind of Object.keys(markers) as OggKind[]) if (isAt(bytes, packet, markers[kind])) return kind
  const other = Object.keys(otherMarkers).find((marker) => isAt(bytes, packet, marker))
  const found = other === undefined ? 'an unknown codec' : otherMarkers[other]!
  throw new BadAudio('unsupported', `The Ogg file holds ${found}; Sonant reads Vorbis, Opus and FLAC.`)
}

export function probeOgg(bytes: Uint8Array, kind: OggKind): Probe {
  const packet = firstPacket(bytes)
  if (kind === 'ogg-flac') {
    // Skips the marker, two bytes of version, two of header packets, the native marker, the block's head.
    const { sampleRate, channels } = readStreamInfo(bytes, packet + 17)
    return { kind, sampleRate, channels, ...readLength(bytes, { sampleRate, skipped: 0 }) }
  }
  if (kind === 'ogg-opus') {
    // Opus always counts at 48 kHz. Its pre-skip is the encoder's delay in samples.
    const format = { sampleRate: 48_000, channels: bytes[packet + 9]! }
    checkFormat(format)
    const length = readLength(bytes, { sampleRate: 48_000, skipped: uint16le(bytes, packet + 10) })
    return { kind, ...format, ...length }
  }
  const format = { sampleRate: uint32le(bytes, packet + 12), channels: bytes[packet + 11]! }
  checkFormat(format)
  return { kind, ...format, ...readLength(bytes, { sampleRate: format.sampleRate, skipped: 0 }) }
}

export async function* decodeVorbis(bytes: Uint8Array): AsyncGenerator<Chunk> {
  const { decoder } = await import('@audio/decode-vorbis')
  yield* decodeStream(await decoder(), bytes, chunkBytes)
}

export async function* decodeOpus(bytes: Uint8Array): AsyncGenerator<Chunk> {
  const { decoder } = await import('@audio/decode-opus')
  yield* decodeStream(await decoder(), bytes, chunkBytes)
}

/** Offset of the identification, behind the first page's head and segment table. */
function firstPacket(bytes: Uint8Array): number {
  const packet = pageHeadBytes + (bytes[pageHeadBytes - 1] ?? 0)
  if (packet + identificationBytesMin > bytes.length) {
    throw new BadAudio('corrupt', 'The Ogg file is cut off in its first page.')
  }
  return packet
}

/** Length from the last page of the first stream. Null for chained streams, whose lengths would have to be added up. */
function readLength(bytes: Uint8Array, { sampleRate, skipped }: { sampleRate: number; skipped: number }) {
  const serial = uint32le(bytes, 14)
  const from = Math.max(0, bytes.length - 2 * pageBytesMax)
  for (let at = bytes.length - pageHeadBytes; at >= from; at--) {
    if (!isAt(bytes, at, pageMarker) || uint32le(bytes, at + 14) !== serial) continue
    const granule = uint64le(bytes, at + 6)
    // All ones mark a page on which no packet ends.
    if (granule > granuleMax) continue
    return { durationSeconds: Math.max(0, granule - skipped) / sampleRate, durationExact: true }
  }
  return { durationSeconds: null, durationExact: false }
}
