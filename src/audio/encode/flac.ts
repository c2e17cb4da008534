/**
 * FLAC with libFLAC as WebAssembly (compression level 5). The head is the stream information with the number of samples and
 * their MD5, and the comment block of libFLAC. RFC 9639.
 */
// The package exports an encoder in a thread only. This file of it is the compiled library.
import createModule from '../../../node_modules/@mediabunny/flac-encoder/dist/modules/build/flac.js'
import type { Encoder } from './encoder'
import { joinBytes } from './frames'

/** Compiled from `src/bridge.c` of the package. A number is an address in `HEAPU8`, which is replaced when it grows. */
type LibFlac = {
  readonly HEAPU8: Uint8Array
  /** Returns 0 when it fails. */
  _init_encoder(channels: number, sampleRate: number, bitsPerSample: number): number
  _get_header_data(encoder: number): number
  _get_header_size(encoder: number): number
  _get_encode_input_ptr(encoder: number, bytes: number): number
  /** Encodes samples of 32 bits. Returns less than 0 when it fails. */
  _send_samples(encoder: number, samples: number): number
  /** Encodes the last samples. Returns less than 0 when it fails. */
  _finish_encoder(encoder: number): number
  _get_output_data(encoder: number): number
  _get_frame_count(encoder: number): number
  _get_frame_size(encoder: number, frame: number): number
}

const bitsPerSample = 16
const sampleRateMax = 655_350
/** The input buffer grows with the largest chunk. */
const chunkSamplesMax = 16_384
const sampleBytes = 4

/** Places in the head: the stream information follows the mark `fLaC` and its block header. */
const frameSizesAt = 12
const samplesAt = 21
const digestAt = 26

/** Mono, 16 bit. Throws `RangeError` on a sample rate (Hz) that FLAC does not have. */
export async function createFlacEncoder({ sampleRate }: { sampleRate: number }): Promise<Encoder> {
  if (!Number.isInteger(sampleRate) || sampleRate < 1 || sampleRate > sampleRateMax)
    throw new RangeError(`FLAC has no sample rate of ${sampleRate} Hz.`)
  // An instance for each stream, collected with it (5 ms): the library frees no encoder, and forgets its settings at the end.
  const flac = (await createModule()) as LibFlac
  const encoder = flac._init_encoder(1, sampleRate, bitsPerSample)
  if (encoder === 0) throw new Error('libFLAC has no memory for an encoder.')
  const headAt = flac._get_header_data(encoder)
  const head = flac.HEAPU8.slice(headAt, headAt + flac._get_header_size(encoder))
  const digest = new Bun.CryptoHasher('md5')
  const frameSizes = { min: Infinity, max: 0 }
  let samplesTotal = 0

  function takeFrames(): Uint8Array {
    let bytes = 0
    for (let i = 0; i < flac._get_frame_count(encoder); i++) {
      const size = flac._get_frame_size(encoder, i)
      frameSizes.min = Math.min(frameSizes.min, size)
      frameSizes.max = Math.max(frameSizes.max, size)
      bytes += size
    }
    const at = flac._get_output_data(encoder)
    return flac.HEAPU8.slice(at, at + bytes)
  }

  function encode(samples: Int16Array): Uint8Array {
    const at = flac._get_encode_input_ptr(encoder, samples.length * sampleBytes)
    const input = new Int32Array(flac.HEAPU8.buffer, at, samples.length)
    for (let i = 0; i < samples.length; i++) input[i] = samples[i]! << 16
    if (flac._send_samples(encoder, samples.length) < 0) throw new Error('libFLAC could not encode the samples.')
    return takeFrames()
  }

  return {
    headBytes: head.length,
    append(samples) {
      samplesTotal += samples.length
      digest.update(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
      const parts: Uint8Array[] = []
      for (let start = 0; start < samples.length; start += chunkSamplesMax)
        parts.push(encode(samples.subarray(start, start + chunkSamplesMax)))
      return joinBytes(parts)
    },
    finish() {
      if (flac._finish_encoder(encoder) < 0) throw new Error('libFLAC could not end the stream.')
      const tail = takeFrames()
      const view = new DataView(head.buffer)
      if (frameSizes.max > 0) {
        writeUint24(head, frameSizesAt, frameSizes.min)
        writeUint24(head, frameSizesAt + 3, frameSizes.max)
      }
      // 36 bits, of which the first four share a byte with the sample size.
      head[samplesAt] = (head[samplesAt]! & 0xf0) | Math.floor(samplesTotal / 2 ** 32)
      view.setUint32(samplesAt + 1, samplesTotal % 2 ** 32)
      head.set(digest.digest(), digestAt)
      return { tail, head }
    },
    discard() {},
  }
}

function writeUint24(bytes: Uint8Array, at: number, value: number): void {
  bytes.set([value >> 16, (value >> 8) & 0xff, value & 0xff], at)
}
