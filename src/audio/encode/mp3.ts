/**
 * MP3 at a constant bit rate with LAME 3.100 as WebAssembly. The head is the tag frame with the exact length. Without
 * it players would play the encoder's delay and padding as silence.
 */
import { createEncoder, type WasmMediaEncoder } from 'wasm-media-encoders'
// Imported by path: the package's `exports` entry for this file has a typo. As a file, it is embedded in the
// executable.
import wasmPath from '../../../node_modules/wasm-media-encoders/wasm/mp3.wasm' with { type: 'file' }
import { fromInt16 } from '../pcm'
import type { Encoder } from './encoder'
import { createTagWriter, mp3SampleRates } from './mp3-tag'

type LameInstance = WasmMediaEncoder<'audio/mpeg'>

/** An instance has 16 MiB of linear memory and touches less than 1 MiB. A new one takes half a millisecond. */
const idleInstancesMax = 4
/** LAME's buffers grow with the largest chunk it ever got. */
const chunkSamplesMax = 11_520

let lameModule: Promise<WebAssembly.Module> | undefined
const idleInstances: LameInstance[] = []

/** The lowest bit rate in kbit/s at which speech has no audible artifacts. */
export function mp3BitrateKbps(sampleRate: number): number {
  return sampleRate <= 24_000 ? 64 : 96
}

/** The encoding rate in Hz for sound of this rate: the same where MP3 has it, else 44100. */
export function mp3SampleRate(sampleRate: number): number {
  return mp3SampleRates.includes(sampleRate) ? sampleRate : 44_100
}

/**
 * Mono, constant bit rate. The file is `head`, then every body byte. Throws `RangeError` when MP3 does not have the
 * sample rate (Hz), or the bit rate (kbit/s) at that sample rate.
 */
export async function createMp3Encoder({
  sampleRate,
  bitrateKbps,
}: {
  sampleRate: number
  bitrateKbps: number
}): Promise<Encoder> {
  const tag = createTagWriter({ sampleRate, bitrateKbps })
  const lame = idleInstances.pop() ?? (await createInstance())
  // `outputSampleRate` keeps LAME from choosing a lower one.
  lame.configure({ sampleRate, channels: 1, bitrate: bitrateKbps, outputSampleRate: sampleRate } as Parameters<
    LameInstance['configure']
  >[0])
  let samplesTotal = 0

  return {
    headBytes: tag.bytes,
    append(samples) {
      samplesTotal += samples.length
      const parts: Uint8Array[] = []
      for (let start = 0; start < samples.length; start += chunkSamplesMax) {
        // `encode` returns a view of the instance's memory, which the next call overwrites.
        parts.push(lame.encode([fromInt16(samples.subarray(start, start + chunkSamplesMax))]).slice())
      }
      const body = parts.length === 1 ? parts[0]! : new Uint8Array(Buffer.concat(parts))
      tag.add(body)
      return body
    },
    finish() {
      // An empty stream would be a single frame, which some players refuse.
      const only = samplesTotal === 0 ? lame.encode([new Float32Array(1)]).slice() : new Uint8Array(0)
      const tail = new Uint8Array(Buffer.concat([only, lame.finalize()]))
      tag.add(tail)
      if (idleInstances.length < idleInstancesMax) idleInstances.push(lame)
      return { tail, head: tag.write(samplesTotal) }
    },
    // The instance is collected with its stream.
    discard() {},
  }
}

async function createInstance(): Promise<LameInstance> {
  lameModule ??= Bun.file(wasmPath)
    .bytes()
    .then((bytes) => WebAssembly.compile(bytes))
  return createEncoder('audio/mpeg', await lameModule)
}
