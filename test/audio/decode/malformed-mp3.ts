/** MP3 headers and tags with false fields, and frames without content. */
import { concat, type NamedFile, randomBytes } from './damage'
import { patch } from './malformed-wav'
import { readFixture } from './recordings'

/** MPEG 2, 24 kHz, mono, 8 kbit/s: 24 bytes for 24 ms. */
const smallestHeader = [0xff, 0xf3, 0x14, 0xc0]
/** MPEG 1, 44.1 kHz, mono, 128 kbit/s. */
const usualHeader = [0xff, 0xfb, 0x90, 0xc0]

export function mp3Lies(): NamedFile[] {
  const file = readFixture('mono.mp3')
  const info = Buffer.from(file).indexOf('Info')
  if (info < 0) throw new Error('no tag')
  const delays = info + 120 + 21
  const id3 = (length: number[], body: Uint8Array) =>
    concat(Buffer.from('ID3'), Uint8Array.of(4, 0, 0, ...length), body)
  const without = readFixture('untagged.mp3')
  return [
    ...[0, 1, 10, 1000, 0xffff_ffff].map((frames): NamedFile => [
      `a tag of ${frames} frames`,
      patch(file, (view) => view.setUint32(info + 8, frames)),
    ]),
    ...[0, 0xfff_fff, 0xfff_000, 0x000_fff].map((delay): NamedFile => [
      `delays of ${delay.toString(16)}`,
      patch(file, (view) => [16, 8, 0].forEach((shift, i) => view.setUint8(delays + i, delay >> shift))),
    ]),
    ...[0, 1, 0xff].map((flags): NamedFile => [
      `tag flags ${flags}`,
      patch(file, (view) => view.setUint32(info + 4, flags)),
    ]),
    ['the tag in the middle too', concat(file.slice(0, 3000), file)],
    ['three tags', concat(file.slice(0, 200), file.slice(0, 200), file)],
    ['ID3 of 256 MB', id3([127, 127, 127, 127], file)],
    ['ID3 of 0 bytes', id3([0, 0, 0, 0], file)],
    ['ID3 longer than declared', id3([0, 0, 0, 10], concat(randomBytes(3000, 5), file))],
    ['20000 ID3 tags', concat(...Array.from({ length: 20_000 }, () => id3([0, 0, 0, 0], new Uint8Array(0))), file)],
    ['only ID3', id3([0, 0, 1, 0], new Uint8Array(128))],
    ['free format', frames([0xff, 0xfb, 0x00, 0xc0], 417, 50)],
    ['Layer I', frames([0xff, 0xff, 0x90, 0xc0], 417, 50)],
    ['Layer II', frames([0xff, 0xfd, 0x90, 0xc0], 417, 50)],
    ['version reserved', frames([0xff, 0xeb, 0x90, 0xc0], 417, 50)],
    ['rate reserved', frames([0xff, 0xfb, 0x9c, 0xc0], 417, 50)],
    ['bit rate forbidden', frames([0xff, 0xfb, 0xf0, 0xc0], 417, 50)],
    ['frames of zeros', frames(usualHeader, 417, 200)],
    ['frames of ones', frames(usualHeader, 417, 200, 255)],
    ['headers alone', frames(usualHeader, 4, 30_000)],
    ['half of the frames', concat(...Array.from({ length: 100 }, () => without.slice(0, 70)))],
    ['another rate in the middle', concat(without, readFixture('stereo-vbr.mp3'), without)],
    ['two files', concat(file, file)],
    ['3 hours of silence', frames(smallestHeader, 24, 450_000)],
    [
      '3 hours of silence with a tag that declares less',
      concat(file.slice(0, 209), frames(smallestHeader, 24, 450_000)),
    ],
  ]
}

function frames(header: number[], lengthBytes: number, count: number, fill = 0): Uint8Array {
  const frame = new Uint8Array(lengthBytes).fill(fill)
  frame.set(header)
  const bytes = new Uint8Array(lengthBytes * count)
  for (let i = 0; i < count; i++) bytes.set(frame, i * lengthBytes)
  return bytes
}
