/** Calls into codecs that are WebAssembly from elsewhere. */
import { BadAudio } from './bad-audio'
import type { Chunk } from './sound'

type CodecOutput = {
  readonly channelData: readonly Float32Array[]
  readonly sampleRate: number
  readonly errors?: readonly unknown[]
}

/** One call, with whatever it throws as `corrupt`, and without what it would print: a line for every damaged frame. */
export async function callCodec<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await silently(call)
  } catch (cause) {
    throw new BadAudio('corrupt', 'The sound in the file is damaged; it cannot be decoded.', { cause })
  }
}

/** As long as `call` runs, nothing else can: so nobody else's lines are lost. What it awaits is not covered. */
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

/** A decoder that is fed the file in portions. */
export type StreamDecoder = {
  decode(portion: Uint8Array): CodecOutput | Promise<CodecOutput>
  flush?(): CodecOutput | Promise<CodecOutput>
  free(): void
}

/**
 * Feeds `bytes` in portions, so small that a call neither takes long nor inflates to much, and frees the decoder at the
 * end, or when the caller stops.
 */
export async function* decodeStream(
  decoder: StreamDecoder,
  bytes: Uint8Array,
  portionBytes: number,
): AsyncGenerator<Chunk> {
  try {
    for (let at = 0; at < bytes.length; at += portionBytes) {
      yield toChunk(await callCodec(() => decoder.decode(bytes.subarray(at, at + portionBytes))))
    }
    if (decoder.flush) yield toChunk(await callCodec(() => decoder.flush!()))
  } finally {
    decoder.free()
  }
}

function toChunk({ channelData, sampleRate, errors }: CodecOutput): Chunk {
  return { channelData, sampleRate, damagedFrames: errors?.length ?? 0 }
}
