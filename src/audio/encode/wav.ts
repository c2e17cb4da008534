/** WAV: the canonical 44-byte RIFF header (Microsoft/IBM, "Multimedia Programming Interface", 1991) and 16-bit PCM. */
import { assert } from '../../errors'
import type { Encoder } from './encoder'

const riffHeadBytes = 44
const sampleBytes = 2
/** RIFF counts everything after its first 8 bytes in 32 bits. */
const dataBytesMax = 0xffff_ffff - (riffHeadBytes - 8)

/** Mono, signed 16 bit, little endian, at `sampleRate` Hz. */
export function createWavEncoder({ sampleRate }: { sampleRate: number }): Encoder {
  let dataBytes = 0
  return {
    headBytes: riffHeadBytes,
    append(samples) {
      const body = new Uint8Array(samples.length * sampleBytes)
      const view = new DataView(body.buffer)
      for (let i = 0; i < samples.length; i++) view.setInt16(i * sampleBytes, samples[i]!, true)
      dataBytes += body.length
      assert(dataBytes <= dataBytesMax, 'a WAV file holds less than 4 GiB')
      return body
    },
    finish() {
      return { tail: new Uint8Array(0), head: wavHead(sampleRate, dataBytes) }
    },
    discard() {},
  }
}

function wavHead(sampleRate: number, dataBytes: number): Uint8Array {
  const head = new Uint8Array(riffHeadBytes)
  const view = new DataView(head.buffer)
  const ascii = new TextEncoder()
  head.set(ascii.encode('RIFF'), 0)
  view.setUint32(4, riffHeadBytes - 8 + dataBytes, true)
  head.set(ascii.encode('WAVEfmt '), 8)
  view.setUint32(16, 16, true) // bytes of the format that follows
  view.setUint16(20, 1, true) // PCM
  view.setUint16(22, 1, true) // channels
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * sampleBytes, true) // bytes per second
  view.setUint16(32, sampleBytes, true) // bytes per frame
  view.setUint16(34, sampleBytes * 8, true) // bits per sample
  head.set(ascii.encode('data'), 36)
  view.setUint32(40, dataBytes, true)
  return head
}
