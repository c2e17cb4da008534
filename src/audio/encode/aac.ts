/**
 * AAC-LC in ADTS with the encoder of FFmpeg as WebAssembly. ADTS cannot say where the sound begins and ends, so players hear
 * the encoder's delay of one frame first and up to one frame of silence last. ISO/IEC 14496-3, subpart 4 and section 1.A.2.
 */
// The package exports an encoder in a thread only. This file of it is the compiled library.
import createModule from '../../../node_modules/@mediabunny/aac-encoder/dist/modules/build/aac.js'
import { fromInt16 } from '../pcm'
import type { Encoder } from './encoder'
import { createFramer, joinBytes } from './frames'
import { aacSampleRates } from './sample-rates'

/** Compiled from `src/bridge.c` of the package. A number is an address in `HEAPU8`, which is replaced when it grows. */
type Libavcodec = {
  readonly HEAPU8: Uint8Array
  /** Returns 0 when it fails. */
  _init_encoder(channels: number, sampleRate: number, bitrate: number): number
  _get_encode_input_ptr(encoder: number, bytes: number): number
  /** Encodes the frame in the input buffer; `position` in samples. Returns less than 0 when it fails. */
  _send_frame(encoder: number, position: bigint): number
  _flush_encoder_start(encoder: number): void
  /** Returns the bytes of the next packet; 0 if none is ready, less when it fails. */
  _receive_packet(encoder: number): number
  _get_encoded_data(encoder: number): number
  _close_encoder(encoder: number): void
}

const frameSamples = 1024
const adtsBytes = 7

let library: Promise<Libavcodec> | undefined

/** Bit rate in kbit/s: that of MP3 at the same sample rate. */
export function aacBitrateKbps(sampleRate: number): number {
  return sampleRate <= 24_000 ? 64 : 96
}

/** Mono. Throws `RangeError` on a sample rate (Hz) that AAC does not have. */
export async function createAacEncoder({ sampleRate }: { sampleRate: number }): Promise<Encoder> {
  const rateIndex = aacSampleRates.indexOf(sampleRate)
  if (rateIndex < 0) throw new RangeError(`AAC has no sample rate of ${sampleRate} Hz.`)
  const aac = await (library ??= createModule() as Promise<Libavcodec>)
  const encoder = aac._init_encoder(1, sampleRate, aacBitrateKbps(sampleRate) * 1000)
  if (encoder === 0) throw new Error('libavcodec could not make an encoder.')
  const framer = createFramer(frameSamples)
  let framesTotal = 0
  let samplesTotal = 0
  let ready: Uint8Array[] = []

  function encode(frame: Int16Array): void {
    const at = aac._get_encode_input_ptr(encoder, frameSamples * Float32Array.BYTES_PER_ELEMENT)
    if (at === 0) throw new Error('libavcodec has no memory for a frame.')
    new Float32Array(aac.HEAPU8.buffer, at, frameSamples).set(fromInt16(frame))
    const result = aac._send_frame(encoder, BigInt(framesTotal++ * frameSamples))
    if (result < 0) throw new Error(`libavcodec could not encode a frame (${result}).`)
    takePackets()
  }

  function takePackets(): void {
    for (;;) {
      const bytes = aac._receive_packet(encoder)
      if (bytes < 0) throw new Error(`libavcodec could not encode a frame (${bytes}).`)
      if (bytes === 0) return
      const at = aac._get_encoded_data(encoder)
      ready.push(adtsHeader(rateIndex, bytes), aac.HEAPU8.slice(at, at + bytes))
    }
  }

  function take(): Uint8Array {
    const bytes = joinBytes(ready)
    ready = []
    return bytes
  }

  return {
    headBytes: 0,
    append(samples) {
      samplesTotal += samples.length
      framer.add(samples, encode)
      return take()
    },
    finish() {
      // An empty stream gets a frame too, because players reject a file without any.
      if (framesTotal * frameSamples < Math.max(1, samplesTotal)) encode(framer.pad())
      aac._flush_encoder_start(encoder)
      takePackets()
      aac._close_encoder(encoder)
      return { tail: take(), head: new Uint8Array(0) }
    },
    discard: () => aac._close_encoder(encoder),
  }
}

/** Before each packet: MPEG-4, AAC-LC, one channel, no checksum, and the signal for a variable bit rate. */
function adtsHeader(rateIndex: number, packetBytes: number): Uint8Array {
  const bytes = adtsBytes + packetBytes
  return Uint8Array.of(
    0xff,
    0xf1,
    (1 << 6) | (rateIndex << 2),
    (1 << 6) | (bytes >> 11),
    (bytes >> 3) & 0xff,
    ((bytes & 7) << 5) | 0x1f,
    0xfc,
  )
}
