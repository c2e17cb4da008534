/** WAV headers with false fields. */
import { concat, type NamedFile, randomBytes } from './damage'
import { wavFile } from './wav-files'

const largest = 0xffff_ffff

export function wavLies(): NamedFile[] {
  const file = wavFile({ format: 'pcm', bits: 16, sampleRate: 8000, channelData: [new Float32Array(8000)] })
  const set16 = (at: number, value: number) => patch(file, (view) => view.setUint16(at, value, true))
  const set32 = (at: number, value: number) => patch(file, (view) => view.setUint32(at, value, true))
  const chunks = (id: string, lengthBytes: number, count: number) => {
    const head = Buffer.alloc(8)
    head.write(id)
    head.writeUInt32LE(lengthBytes, 4)
    return concat(file.slice(0, 12), ...Array.from({ length: count }, () => head), file.slice(12))
  }
  const float = (bits: 32 | 64, body: Uint8Array) =>
    concat(wavFile({ format: 'float', bits, sampleRate: 8000, channelData: [[]] }).slice(0, 40), length32(body), body)
  const extensible = wavFile(
    { format: 'pcm', bits: 16, sampleRate: 8000, channelData: [new Float32Array(8000)] },
    { extensible: true },
  )
  const long = wavFile(
    { format: 'pcm', bits: 16, sampleRate: 8000, channelData: [new Float32Array(8000)] },
    { id: 'RF64' },
  )
  return [
    ...[0, 2, 17, 80, 85, 255, 0xfffe, 0xffff].map((tag): NamedFile => [`format ${tag}`, set16(20, tag)]),
    ...[0, 8, 9, 255, 65_535].map((channels): NamedFile => [`${channels} channels`, set16(22, channels)]),
    ...[0, 1, 3999, 384_001, largest].map((rate): NamedFile => [`${rate} Hz`, set32(24, rate)]),
    ...[0, 1, 7, 33, 64, 65_535].map((bits): NamedFile => [`${bits} bits`, set16(34, bits)]),
    ...[0, 1, 15, 17, largest].map((length): NamedFile => [`"fmt " of ${length} bytes`, set32(16, length)]),
    ...[0, 1, 0x7fff_ffff, largest].map((length): NamedFile => [`"data" of ${length} bytes`, set32(40, length)]),
    ...[0, 1, largest].map((length): NamedFile => [`RIFF of ${length} bytes`, set32(4, length)]),
    ['100000 empty chunks', chunks('junk', 0, 100_000)],
    ['a chunk of 4 GB', chunks('junk', largest, 1)],
    ['1000 chunks of 4 GB', chunks('junk', largest, 1000)],
    ['samples before their format', concat(file.slice(0, 12), file.slice(36), file.slice(12, 36))],
    ['no samples', file.slice(0, 36)],
    ['32-bit floats of anything', float(32, randomBytes(40_000, 1))],
    ['64-bit floats of anything', float(64, randomBytes(40_000, 2))],
    ['floats that are NaN', float(32, new Uint8Array(40_000).fill(255))],
    ['an extensible format that is cut off', patch(extensible, (view) => view.setUint32(16, 18, true))],
    ['RF64 of 2⁶⁴ bytes', patch(long, (view) => view.setBigUint64(28, 2n ** 64n - 1n, true))],
    ['RF64 of 0 bytes', patch(long, (view) => view.setBigUint64(28, 0n, true))],
    ['RF64 without lengths', concat(long.slice(0, 12), long.slice(48))],
    [
      '3 hours of silence',
      wavFile(
        { format: 'mulaw', bits: 8, sampleRate: 4000, channelData: [new Float32Array(3600)] },
        { dataBytes: 43_200_000 },
      ),
    ],
    [
      'a long recording',
      wavFile({ format: 'mulaw', bits: 8, sampleRate: 4000, channelData: [new Float32Array(400_000)] }),
    ],
  ]
}

export function patch(file: Uint8Array, change: (view: DataView) => void): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(file)
  change(new DataView(bytes.buffer))
  return bytes
}

function length32(body: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(body.length)
  return new Uint8Array(bytes)
}
