/**
 * Decodes uploaded recordings to mono PCM, within limits on time, memory and output. Headers are checked before a codec
 * is loaded. Codecs get small chunks, so an exceeded limit is noticed soon. Only ending the process stops a codec that
 * hangs, so this code runs in a worker.
 */
import { durationSeconds as getDurationSeconds, type Pcm } from '../pcm'
import { decodeAdts } from './adts'
import { BadAudio } from './bad-audio'
import { decodeFlac } from './flac'
import { createMixer, refuseChannels, refuseDuration } from './mix'
import { decodeMp3 } from './mp3'
import { decodeMp4 } from './mp4'
import { decodeOpus, decodeVorbis } from './ogg'
import { probe } from './probe'
import type { AudioKind, Chunk } from './sound'
import { decodeWav } from './wav'

export type DecodeLimits = {
  /** Longest decoded sound. */
  readonly secondsMax: number
  readonly channelsMax: number
  /** Largest file. */
  readonly sizeBytesMax: number
  readonly timeoutMs: number
}

export type Decoded = {
  readonly kind: AudioKind
  /** The mean of all channels, at the file's own rate, without codec padding. */
  readonly pcm: Pcm
  /** Channels in the file. */
  readonly channels: number
  /** Samples of all channels that were not finite or far beyond full scale; now 0, −1 or 1. */
  readonly repairedSamples: number
  /**
   * Codec frames that could not be decoded, which leaves gaps. At least 1 when the output is shorter than the header
   * says.
   */
  readonly damagedFrames: number
}

/** A larger shortfall means that the file is cut off or the codec lost sync. */
const missingSecondsMax = 0.01

/** Each decoder loads its codec on the first read. */
const decoders: Record<AudioKind, (bytes: Uint8Array) => AsyncGenerator<Chunk>> = {
  wav: decodeWav,
  mp3: decodeMp3,
  flac: decodeFlac,
  m4a: decodeMp4,
  aac: decodeAdts,
  'ogg-vorbis': decodeVorbis,
  'ogg-opus': decodeOpus,
  'ogg-flac': decodeFlac,
}

/** Throws `BadAudio` with any of its codes. */
export async function decode(bytes: Uint8Array, limits: DecodeLimits): Promise<Decoded> {
  const startMs = performance.now()
  if (bytes.length > limits.sizeBytesMax) {
    throw new BadAudio('too_long', `The file has ${bytes.length} bytes; at most ${limits.sizeBytesMax} are allowed.`)
  }
  const { kind, channels, durationSeconds, durationExact } = probe(bytes)
  refuseChannels(channels, limits.channelsMax)
  if (durationSeconds !== null) refuseDuration(durationSeconds, limits.secondsMax)

  const mixer = createMixer(limits)
  for await (const chunk of decoders[kind](bytes)) {
    mixer.add(chunk)
    if (performance.now() - startMs > limits.timeoutMs) {
      throw new BadAudio('timeout', `The file could not be decoded within ${limits.timeoutMs / 1000} s.`)
    }
  }
  const { alike, damagedFrames, ...mix } = mixer.finish()
  const isShort = durationExact && getDurationSeconds(mix.pcm) < durationSeconds! - missingSecondsMax
  return {
    kind,
    ...mix,
    channels: alike ? channels : mix.channels,
    damagedFrames: isShort ? Math.max(1, damagedFrames) : damagedFrames,
  }
}
