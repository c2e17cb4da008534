/** Calls into third-party WebAssembly codecs. */
import { BadAudio } from './bad-audio'
import type { Chunk } from './sound'

type CodecOutput = {
  readonly channelData: readonly Float32Array[]
  readonly sampleRate: number
  readonly errors?: readonly unknown[]
}

/**
 * Runs one codec call. Turns every exception into `corrupt` and suppresses output: codecs print a line per damaged
 * frame.
 */
export async function callCodec<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await silently(call)
  } catch (cause) {
    throw new BadAudio('corrupt', 'The sound in the file is damaged and cannot be decoded.', { cause })
  }
}

/** Mutes the console while `call` runs synchronously, so no other code loses a line. Awaited parts are not covered. */
function silently<T>(call: () => T): T {
  const { log, warn, error } = console
  const mute = () => undefined
  Object.assign(console, { log: mute, warn: mute, error: mute })
  try {
    return call()
  } finally {
    Object.assign(console, { log, warn, error })
  }
}

/** A decoder that takes the file in chunks. */
export type StreamDecoder = {
  decode(chunk: Uint8Array): CodecOutput | Promise<CodecOutput>
  flush?(): CodecOutput | Promise<CodecOutput>
  free(): void
}

/**
 * Feeds `bytes` in chunks small enough to bound the time and output of one call. Frees the decoder at the end, or when
 * the caller stops.
 */
export async function* decodeStream(
  decoder: StreamDecoder,
  bytes: Uint8Array,
  chunkBytes: number,
): AsyncGenerator<Chunk> {
  try {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      yield toChunk(await callCodec(() => decoder.decode(bytes.subarray(at, at + chunkBytes))))
    }
    if (decoder.flush) yield toChunk(await callCodec(() => decoder.flush!()))
  } finally {
    decoder.free()
  }
}

function toChunk({ channelData, sampleRate, errors }: CodecOutput): Chunk {
  return { channelData, sampleRate, damagedFrames: errors?.length ?? 0 }
}
