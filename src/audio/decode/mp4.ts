/**
 * M4A and MP4 (ISO/IEC 14496-12 and -14) with AAC: finds the sound track, its frames (see `mp4-samples.ts`) and its
 * audible part.
 */
import { type AacConfig, decodeAac, decodedSeconds, frameSamples, readAacConfig, type Span } from './aac'
import { BadAudio } from './bad-audio'
import { ascii, isAt, uint16, uint32, uint64 } from './bytes'
import { type Box, boxesIn, findBox, type NamedBox, readTable } from './mp4-boxes'
import { findFragmentSamples, findSamples, type Sample } from './mp4-samples'
import type { Chunk, Probe } from './sound'

/** AAC object types of `esds`: MPEG-4, and MPEG-2 Main, LC and SSR. */
const aacObjectTypes = [0x40, 0x66, 0x67, 0x68]
/** Encoder delays are a few frames; larger values are not delays. */
const primingSamplesMax = 20_000

type Track = { readonly config: AacConfig; readonly samples: readonly Sample[]; readonly span: Span | null }

export function isMp4(bytes: Uint8Array): boolean {
  return isAt(bytes, 4, 'ftyp')
}

export function probeMp4(bytes: Uint8Array): Probe {
  const { config, samples, span } = readTrack(bytes)
  // The first frame gives no output. It is part of the skipped start, or all of it.
  const skippedSeconds = Math.max(0, (span?.startSeconds ?? 0) - frameSamples / config.coreRate)
  const presentSeconds = Math.max(0, decodedSeconds(config, samples.length) - skippedSeconds)
  const spanSeconds = span?.durationSeconds ?? Infinity
  const isWhole = spanSeconds < presentSeconds + 0.5 / config.coreRate
  return {
    kind: 'm4a',
    sampleRate: config.sampleRate,
    channels: config.channels,
    durationSeconds: isWhole ? spanSeconds : presentSeconds,
    durationExact: isWhole && span!.exact,
  }
}

export function decodeMp4(bytes: Uint8Array): AsyncGenerator<Chunk> {
  const { config, samples, span } = readTrack(bytes)
  const frames = function* () {
    for (const { start, lengthBytes } of samples) yield bytes.subarray(start, start + lengthBytes)
  }
  return decodeAac(config, frames(), span)
}

/** Throws `unsupported` without sound or with another codec. */
function readTrack(bytes: Uint8Array): Track {
  const file = { start: 0, end: bytes.length }
  const movie = findBox(bytes, file, 'moov')
  if (!movie) throw new BadAudio('corrupt', 'The MP4 file has no index ("moov"); it may be cut off.')
  const header = findBox(bytes, movie, 'mvhd')
  const movieTimescale = header ? readTimescale(bytes, header) : 0
  for (const track of boxesIn(bytes, movie)) {
    if (track.name !== 'trak') continue
    const handler = findBox(bytes, track, 'mdia', 'hdlr')
    if (!handler || !isAt(bytes, handler.start + 8, 'soun')) continue
    const mediaHeader = findBox(bytes, track, 'mdia', 'mdhd')
    const tables = findBox(bytes, track, 'mdia', 'minf', 'stbl')
    const timescale = mediaHeader ? readTimescale(bytes, mediaHeader) : 0
    if (!tables || !timescale) throw new BadAudio('corrupt', 'The MP4 file is damaged: its sound track has no tables.')

    const config = readConfig(bytes, tables)
    const whole = findSamples(bytes, tables)
    return {
      config,
      samples: whole.length > 0 ? whole : findFragmentSamples(bytes, movie, track),
      span:
        readEdit(bytes, { track, tables, timescale, movieTimescale }) ?? readItunesTag(bytes, movie, config.coreRate),
    }
  }
  throw new BadAudio('unsupported', 'The MP4 file holds no sound.')
}

/** The timescale of `mvhd` or `mdhd`, in units per second. */
function readTimescale(bytes: Uint8Array, box: NamedBox): number {
  return uint32(bytes, box.start + (bytes[box.start] === 1 ? 20 : 12))
}

function readConfig(bytes: Uint8Array, tables: Box): AacConfig {
  const descriptions = findBox(bytes, tables, 'stsd')
  const entry = descriptions && boxesIn(bytes, { start: descriptions.start + 8, end: descriptions.end }).next().value
  if (!entry) throw new BadAudio('corrupt', 'The MP4 file does not describe its sound.')
  if (entry.name !== 'mp4a') {
    const codec = entry.name.trim().replace(/[^\x20-\x7e]/g, '?')
    throw new BadAudio('unsupported', `The MP4 file holds the codec "${codec}"; Sonant reads AAC.`)
  }
  // QuickTime has two longer versions of the entry and adds one more level of boxes.
  const version = uint16(bytes, entry.start + 8)
  const boxes = { start: entry.start + (version === 1 ? 44 : version === 2 ? 64 : 28), end: entry.end }
  const stream = findBox(bytes, boxes, 'esds') ?? findBox(bytes, boxes, 'wave', 'esds')
  if (!stream) throw new BadAudio('unsupported', 'The MP4 file does not say which kind of AAC it holds.')
  return readAacConfig(findSpecificConfig(bytes, stream))
}

/**
 * Finds the config in the descriptors of `esds` (ISO/IEC 14496-1, 7.2.6): each has a tag, a length in seven bits a
 * byte, and a body.
 */
function findSpecificConfig(bytes: Uint8Array, { start, end }: Box): Uint8Array {
  const [elementaryStream, decoderConfig, specificInfo] = [3, 4, 5]
  let at = start + 4
  while (at + 2 < end) {
    const tag = bytes[at++]!
    let lengthBytes = 0
    for (let i = 0; i < 4; i++) {
      const byte = bytes[at++]!
      lengthBytes = (lengthBytes << 7) | (byte & 127)
      if (byte < 128) break
    }
    if (tag === elementaryStream) {
      at += 3
    } else if (tag === decoderConfig) {
      const objectType = bytes[at]!
      if (!aacObjectTypes.includes(objectType)) {
        throw new BadAudio('unsupported', `The MP4 file holds sound of object type ${objectType}; Sonant reads AAC.`)
      }
      at += 13
    } else if (tag === specificInfo) {
      if (lengthBytes < 2 || at + lengthBytes > end) break
      return bytes.subarray(at, at + lengthBytes)
    } else {
      at += lengthBytes
    }
  }
  throw new BadAudio('corrupt', 'The MP4 file is damaged: the description of its AAC is incomplete.')
}

type TrackTimes = { track: Box; tables: Box; timescale: number; movieTimescale: number }

/**
 * The edit list, if it has exactly one edit with media: start and duration, bounded by the track. Several edits cut and
 * repeat; recordings have none.
 */
function readEdit(bytes: Uint8Array, { track, tables, timescale, movieTimescale }: TrackTimes): Span | null {
  const box = findBox(bytes, track, 'edts', 'elst')
  const isLong = box !== undefined && bytes[box.start] === 1
  const { count, start } = readTable(bytes, box, { headBytes: 8, entryBytes: isLong ? 20 : 12 })
  const edits: { duration: number; mediaTime: number }[] = []
  for (let i = 0; i < count; i++) {
    const at = start + i * (isLong ? 20 : 12)
    const duration = isLong ? uint64(bytes, at) : uint32(bytes, at)
    const mediaTime = isLong ? uint64(bytes, at + 8) : uint32(bytes, at + 4)
    // A negative time is a pause.
    if (mediaTime < (isLong ? 2 ** 63 : 2 ** 31)) edits.push({ duration, mediaTime })
  }
  if (edits.length !== 1) return null
  const { duration, mediaTime } = edits[0]!
  const startSeconds = mediaTime / timescale
  const remaining = readTrackUnits(bytes, tables) - mediaTime
  const remainingSeconds = remaining > 0 ? remaining / timescale : Infinity
  // The movie's units may be milliseconds, rounded down.
  const roundedBy = movieTimescale < timescale ? 1 : 0
  const editSeconds = duration && movieTimescale ? (duration + roundedBy) / movieTimescale : Infinity
  const durationSeconds = Math.min(editSeconds, remainingSeconds)
  const exact = Number.isFinite(durationSeconds) && (roundedBy === 0 || remainingSeconds <= editSeconds)
  return { startSeconds, durationSeconds: Number.isFinite(durationSeconds) ? durationSeconds : null, exact }
}

/** The sum of `stts`, in the track's units. */
function readTrackUnits(bytes: Uint8Array, tables: Box): number {
  const { count, start } = readTable(bytes, findBox(bytes, tables, 'stts'), { headBytes: 8, entryBytes: 8 })
  let units = 0
  for (let i = 0; i < count; i++) units += uint32(bytes, start + i * 8) * uint32(bytes, start + i * 8 + 4)
  return units
}

/**
 * Reads the tag of Apple's encoders, hexadecimal numbers: the second is the delay, the fourth the length, in samples.
 */
function readItunesTag(bytes: Uint8Array, movie: Box, coreRate: number): Span | null {
  const tag = Buffer.from(bytes.buffer, bytes.byteOffset, movie.end).indexOf('iTunSMPB', movie.start, 'latin1')
  if (tag < 0) return null
  const value = /data.{8}((?: [0-9A-Fa-f]{8,16}){4})/s.exec(ascii(bytes, tag, 160))
  if (!value) return null
  const [, delay, , length] = value[1]!
    .trim()
    .split(' ')
    .map((field) => Number.parseInt(field, 16))
  if (delay! > primingSamplesMax || !length) return null
  return { startSeconds: delay! / coreRate, durationSeconds: length / coreRate, exact: true }
}
