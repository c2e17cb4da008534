/** Ogg pages and identification headers with false fields. */
import { concat, type NamedFile, randomBytes } from './damage'
import { patch } from './malformed-wav'
import { readFixture } from './recordings'

const firstPacket = 28

type Page = { flags: number; granule: bigint; serial: number; sequence: number; packets: Uint8Array[] }

export function oggLies(): NamedFile[] {
  const vorbis = readFixture('stereo-vorbis.ogg')
  const opus = readFixture('stereo-opus.ogg')
  const flac = readFixture('mono-flac.ogg')
  const set = (bytes: Uint8Array, at: number, value: number) =>
    withChecksums(patch(bytes, (view) => view.setUint8(firstPacket + at, value)))
  const set32 = (bytes: Uint8Array, at: number, value: number) =>
    withChecksums(patch(bytes, (view) => view.setUint32(firstPacket + at, value, true)))
  const everyPage = (bytes: Uint8Array, change: (view: DataView, at: number, index: number) => void) =>
    withChecksums(patch(bytes, (view) => pageOffsets(bytes).forEach((at, index) => change(view, at, index))))
  const granules: [string, (index: number) => bigint][] = [
    ['0', () => 0n],
    ['all ones', () => 2n ** 64n - 1n],
    ['2⁶³', () => 2n ** 63n],
    ['2⁴⁰', () => 2n ** 40n],
    ['falling', (index) => BigInt(1_000_000 - index * 1000)],
  ]
  const files = { vorbis, opus, flac }
  const all = Object.entries(files)
  return [
    ...all.flatMap(([kind, bytes]) =>
      granules.map(([name, of]): NamedFile => [
        `${kind}, granules ${name}`,
        everyPage(bytes, (view, at, index) => view.setBigUint64(at + 6, of(index), true)),
      ]),
    ),
    ...[0, 3, 8, 255].map((channels): NamedFile => [`vorbis, ${channels} channels`, set(vorbis, 11, channels)]),
    ...[0, 1, 3_000_000_000].map((rate): NamedFile => [`vorbis, ${rate} Hz`, set32(vorbis, 12, rate)]),
    ...[0x00, 0x11, 0x68, 0xdd, 0xff].map((sizes): NamedFile => [`vorbis, blocks ${sizes}`, set(vorbis, 28, sizes)]),
    ...[0, 1, 3, 8, 255].map((channels): NamedFile => [`opus, ${channels} channels`, set(opus, 9, channels)]),
    ...[1, 255].map((family): NamedFile => [`opus, mapping ${family}`, set(opus, 18, family)]),
    ...[0x00, 0xf0].map((version): NamedFile => [`opus, version ${version}`, set(opus, 8, version)]),
    ...[0x7f, 0x80].map((gain): NamedFile => [`opus, gain ${gain}`, set(opus, 17, gain)]),
    ['opus, all of it skipped', withChecksums(patch(opus, (view) => view.setUint16(firstPacket + 10, 65_535, true)))],
    ['flac, 8 channels', set(flac, 29, 0x5e)],
    ['flac, other version', set(flac, 5, 9)],
    ...all.flatMap(([kind, bytes]): NamedFile[] => {
      const offsets = pageOffsets(bytes)
      const first = bytes.slice(0, offsets[1])
      return [
        [`${kind}, no second header`, concat(first, bytes.slice(offsets[2]))],
        [`${kind}, only the first page`, first],
        [`${kind}, the first page again and again`, concat(...Array.from({ length: 2000 }, () => first))],
        [`${kind}, no end`, everyPage(bytes, (view, at) => view.setUint8(at + 5, view.getUint8(at + 5) & ~4))],
        [
          `${kind}, every page marked as the last`,
          everyPage(bytes, (view, at) => view.setUint8(at + 5, view.getUint8(at + 5) | 4)),
        ],
        [`${kind}, every page continued`, everyPage(bytes, (view, at) => view.setUint8(at + 5, 1))],
        [`${kind}, another serial on every page`, everyPage(bytes, (view, at, i) => view.setUint32(at + 14, i, true))],
        [
          `${kind}, 255 segments on every page`,
          everyPage(bytes, (view, at, i) => i > 1 && view.setUint8(at + 26, 255)),
        ],
        [`${kind}, 30000 empty pages`, concat(bytes, ...emptyPages(30_000, 0n))],
        [`${kind}, 30000 empty pages first`, concat(first, ...emptyPages(30_000, 0n), bytes.slice(offsets[1]))],
        [`${kind}, two streams`, concat(bytes, bytes)],
        [
          `${kind}, packets of anything`,
          concat(bytes.slice(0, offsets[3] ?? offsets[2]), pageOf(randomBytes(4000, 8))),
        ],
      ]
    }),
    ['vorbis, then opus', concat(vorbis, opus)],
    ['opus, then 255 channels of vorbis', concat(opus, set(vorbis, 11, 255))],
    ['opus, 3 hours of silence', silence({ hours: 3, said: true })],
    ['opus, 3 hours of silence of undeclared length', silence({ hours: 3, said: false })],
  ]
}

function pageOffsets(bytes: Uint8Array): number[] {
  const offsets: number[] = []
  for (let at = 0; at + 27 <= bytes.length;) {
    offsets.push(at)
    const segments = bytes[at + 26]!
    at += 27 + segments
    for (const length of bytes.slice(at - segments, at)) at += length
  }
  return offsets
}

function page({ flags, granule, serial, sequence, packets }: Page): Uint8Array {
  const lacing = packets.flatMap(({ length }) => [...new Array(Math.floor(length / 255)).fill(255), length % 255])
  const head = Buffer.alloc(27)
  head.write('OggS')
  head.writeUInt8(flags, 5)
  head.writeBigUInt64LE(granule, 6)
  head.writeUInt32LE(serial, 14)
  head.writeUInt32LE(sequence, 18)
  head.writeUInt8(lacing.length, 26)
  return withChecksums(concat(head, Uint8Array.from(lacing), ...packets))
}

function pageOf(bytes: Uint8Array): Uint8Array {
  return page({ flags: 0, granule: 100_000n, serial: 0, sequence: 9, packets: [bytes] })
}

function emptyPages(count: number, granule: bigint): Uint8Array[] {
  const empty = page({ flags: 0, granule, serial: 0, sequence: 1, packets: [] })
  return Array.from({ length: count }, () => empty)
}

/** Corrects the checksum of every page, so that decoders read on. */
function withChecksums(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const offsets = pageOffsets(bytes)
  for (const [i, at] of offsets.entries()) {
    if (at + 27 > bytes.length) break
    view.setUint32(at + 22, 0)
    view.setUint32(at + 22, crc32(bytes.subarray(at, offsets[i + 1])), true)
  }
  return bytes
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24
  for (let bit = 0; bit < 8; bit++) value = value & 0x8000_0000 ? (value << 1) ^ 0x04c1_1db7 : value << 1
  return value
})

function crc32(bytes: Uint8Array): number {
  let value = 0
  for (const byte of bytes) value = ((value << 8) ^ crcTable[((value >>> 24) ^ byte) & 255]!) >>> 0
  return value
}

/** Opus frames of 20 ms in three bytes. */
function silence({ hours, said }: { hours: number; said: boolean }): Uint8Array {
  const opus = readFixture('mono-opus.ogg')
  const offsets = pageOffsets(opus)
  const head = opus.slice(0, offsets[2])
  const serial = new DataView(opus.buffer).getUint32(14, true)
  const packets = Array.from({ length: 200 }, () => Uint8Array.of(0xf8, 0xff, 0xfe))
  const pages = Array.from({ length: (hours * 3600 * 50) / 200 }, (_, i) =>
    page({ flags: 0, granule: said ? BigInt((i + 1) * 200 * 960) : 0n, serial, sequence: i + 2, packets }),
  )
  return concat(head, ...pages)
}
