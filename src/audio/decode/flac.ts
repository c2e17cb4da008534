/** FLAC (RFC 9639), native or in Ogg, decoded by libFLAC as WebAssembly. */
import { BadAudio } from './bad-audio'
import { isAt, uint16, uint32 } from './bytes'
import { decodeStream } from './codec'
import { skipId3 } from './id3'
import { checkFormat, type Chunk, type Probe } from './sound'

/** Hours of silence compress to kilobytes, so a call gets few bytes. */
const chunkBytes = 2048
const marker = 'fLaC'
const blockHeadBytes = 4
export const streamInfoBytes = 34

export function isFlac(bytes: Uint8Array): boolean {
  return isAt(bytes, skipId3(bytes), marker)
}

export function probeFlac(bytes: Uint8Array): Probe {
  const block = skipId3(bytes) + marker.length
  const isStreamInfo = (bytes[block]! & 127) === 0
  if (!isStreamInfo || block + blockHeadBytes + streamInfoBytes > bytes.length) {
    throw new BadAudio('corrupt', 'The FLAC file does not begin with its stream information.')
  }
  return { kind: 'flac', ...readStreamInfo(bytes, block + blockHeadBytes) }
}

/** Parses the body of a STREAMINFO block. A length of 0 samples means "unknown". */
export function readStreamInfo(bytes: Uint8Array, at: number) {
  const sampleRate = (uint16(bytes, at + 10) << 4) | (bytes[at + 12]! >> 4)
  const channels = ((bytes[at + 12]! >> 1) & 7) + 1
  const samples = (bytes[at + 13]! & 15) * 2 ** 32 + uint32(bytes, at + 14)
  checkFormat({ sampleRate, channels })
  return { sampleRate, channels, durationSeconds: samples ? samples / sampleRate : null, durationExact: samples > 0 }
}

/** Decodes native FLAC and FLAC in Ogg. */
export async function* decodeFlac(bytes: Uint8Array): AsyncGenerator<Chunk> {
  // Imported by path: the bundler drops a class that the package's index names.
  const { default: FLACDecoder } = await import('../../../node_modules/@wasm-audio-decoders/flac/src/FLACDecoder.js')
  const decoder = new FLACDecoder()
  await decoder.ready
  yield* decodeStream(decoder, bytes.subarray(skipId3(bytes)), chunkBytes)
}
