/** AAC in ADTS (ISO/IEC 14496-3, 1.A.2): each frame has a header, and nothing tells how many samples are padding. */
import { aacSampleRates, decodeAac, decodedSeconds, readAacConfig } from './aac'
import { BadAudio } from './bad-audio'
import { skipId3 } from './id3'
import type { Chunk, Probe } from './sound'

const headBytesMin = 7
const headBytesWithCrc = 9
/** Largest gap between the tags and the first frame, and largest damage to skip. */
const junkBytesMax = 4096
const gapBytesMax = 65_536

/** Offset of the first frame, or null. */
export function findAdts(bytes: Uint8Array): number | null {
  const first = skipId3(bytes)
  return findFrame(bytes, first, first + junkBytesMax)
}

export function probeAdts(bytes: Uint8Array): Probe {
  const config = readConfig(bytes)
  const { sampleRate, channels } = config
  let frames = 0
  for (const _ of rawFrames(bytes)) frames++
  return { kind: 'aac', sampleRate, channels, durationSeconds: decodedSeconds(config, frames), durationExact: false }
}

export function decodeAdts(bytes: Uint8Array): AsyncGenerator<Chunk> {
  return decodeAac(readConfig(bytes), rawFrames(bytes), null)
}

/** Converts the fields of the first header into an AudioSpecificConfig. */
function readConfig(bytes: Uint8Array) {
  const at = firstFrame(bytes)
  const objectType = (bytes[at + 2]! >> 6) + 1
  const rateIndex = (bytes[at + 2]! >> 2) & 15
  const channels = ((bytes[at + 2]! & 1) << 2) | (bytes[at + 3]! >> 6)
  return readAacConfig(Uint8Array.of((objectType << 3) | (rateIndex >> 1), ((rateIndex & 1) << 7) | (channels << 3)))
}

function firstFrame(bytes: Uint8Array): number {
  const at = findAdts(bytes)
  if (at === null) throw new BadAudio('corrupt', 'The AAC file has no frames.')
  return at
}

/** All complete frames of the first frame's format, without their headers. */
function* rawFrames(bytes: Uint8Array): Generator<Uint8Array> {
  const first = firstFrame(bytes)
  let at: number | null = first
  while (at !== null) {
    const frame = readHead(bytes, at)
    if (frame && isSameFormat(bytes, first, at)) {
      if (at + frame.lengthBytes > bytes.length) return
      yield bytes.subarray(at + frame.headBytes, at + frame.lengthBytes)
      at += frame.lengthBytes
    } else {
      at = findFrame(bytes, at + 1, at + gapBytesMax)
    }
  }
}

/** A header counts only where the next header follows or the file ends. */
function findFrame(bytes: Uint8Array, from: number, to: number): number | null {
  const last = Math.min(to, bytes.length - headBytesMin)
  for (let at = from; at <= last; at++) {
    const frame = readHead(bytes, at)
    if (!frame) continue
    const next = at + frame.lengthBytes
    if (next === bytes.length || (next < bytes.length && readHead(bytes, next))) return at
  }
  return null
}

function readHead(bytes: Uint8Array, at: number): { headBytes: number; lengthBytes: number } | null {
  const isSync = bytes[at] === 0xff && (bytes[at + 1]! & 0xf6) === 0xf0
  if (!isSync || at + headBytesMin > bytes.length || !aacSampleRates[(bytes[at + 2]! >> 2) & 15]) return null
  const headBytes = bytes[at + 1]! & 1 ? headBytesMin : headBytesWithCrc
  const lengthBytes = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5)
  return lengthBytes > headBytes + 1 ? { headBytes, lengthBytes } : null
}

function isSameFormat(bytes: Uint8Array, first: number, at: number): boolean {
  const profileAndRate = (bytes[first + 2]! ^ bytes[at + 2]!) & 0xfd
  const channels = (bytes[first + 3]! ^ bytes[at + 3]!) & 0xc0
  return profileAndRate === 0 && channels === 0
}
