/** ADTS headers with false fields, and frames without content. */
import { concat, type NamedFile, randomBytes } from './damage'
import { readFixture } from './recordings'

/** LC, mono. */
function header({ rateIndex = 7, channels = 1, lengthBytes = 100, profile = 1, blocks = 0 }): Uint8Array {
  return Uint8Array.of(
    0xff,
    0xf1,
    (profile << 6) | (rateIndex << 2) | (channels >> 2),
    ((channels & 3) << 6) | (lengthBytes >> 11),
    (lengthBytes >> 3) & 255,
    ((lengthBytes & 7) << 5) | 0x1f,
    0xfc | blocks,
  )
}

type HeaderFields = Parameters<typeof header>[0]

function frames(fields: HeaderFields, body: Uint8Array, count: number): Uint8Array {
  return repeat(concat(header({ ...fields, lengthBytes: 7 + body.length }), body), count)
}

function repeat(bytes: Uint8Array, count: number): Uint8Array {
  const all = new Uint8Array(bytes.length * count)
  for (let i = 0; i < count; i++) all.set(bytes, i * bytes.length)
  return all
}

/** A frame of silence: one channel without a coefficient. */
export const silentFrame = Uint8Array.of(0x01, 0x40, 0x20, 0x07, 0x00, 0x00, 0x1c)

export function aacLies(): NamedFile[] {
  const file = readFixture('mono.aac')
  const withLength = (lengthBytes: number) => repeat(header({ lengthBytes }), 20_000)
  const rewritten = (change: (bytes: Uint8Array, at: number) => void) => {
    const bytes = Uint8Array.from(file)
    for (let at = 0; at + 7 < bytes.length;) {
      const lengthBytes = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5)
      change(bytes, at)
      at += lengthBytes
    }
    return bytes
  }
  return [
    ...[0, 1, 6, 7, 8, 9, 8191].map((length): NamedFile => [`20000 frames of ${length} bytes`, withLength(length)]),
    ...[0, 2, 3, 4, 5, 6, 7].map((channels): NamedFile => [
      `${channels} channels in every header`,
      rewritten((bytes, at) => {
        bytes[at + 2] = (bytes[at + 2]! & 0xfe) | (channels >> 2)
        bytes[at + 3] = (bytes[at + 3]! & 0x3f) | ((channels & 3) << 6)
      }),
    ]),
    ...[0, 3, 12, 13, 15].map((rateIndex): NamedFile => [
      `rate ${rateIndex} in every header`,
      rewritten((bytes, at) => {
        bytes[at + 2] = (bytes[at + 2]! & 0xc3) | (rateIndex << 2)
      }),
    ]),
    ...[0, 2, 3].map((profile): NamedFile => [
      `profile ${profile} in every header`,
      rewritten((bytes, at) => {
        bytes[at + 2] = (bytes[at + 2]! & 0x3f) | (profile << 6)
      }),
    ]),
    ['three blocks in every frame', rewritten((bytes, at) => void (bytes[at + 6]! |= 3))],
    ['a checksum that is not there', rewritten((bytes, at) => void (bytes[at + 1]! &= 0xfe))],
    ['15000 frames of two bytes', frames({}, Uint8Array.of(0x55, 0x55), 15_000)],
    ['3000 frames of zeros', frames({}, new Uint8Array(100), 3000)],
    ['3000 frames of ones', frames({}, new Uint8Array(100).fill(255), 3000)],
    ['3000 frames of anything', frames({}, randomBytes(200, 9), 3000)],
    ['stereo frames of anything', frames({ channels: 2 }, randomBytes(400, 10), 1000)],
    ['one frame', file.slice(0, 180)],
    ['another rate in the middle', concat(file, readFixture('he-mono.aac'), frames({ rateIndex: 3 }, silentFrame, 50))],
    ['100 KB between the frames', concat(file.slice(0, 2000), randomBytes(100_000, 11), file)],
    ['3 hours of silence', frames({}, silentFrame, 232_000)],
  ]
}
