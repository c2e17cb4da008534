/** MP4 with false tables and boxes. A parser that trusts one of their counts loops for ever or exhausts memory. */
import { concat, type NamedFile } from './damage'
import { patch } from './malformed-wav'
import { readFixture } from './recordings'

const counts = [0, 1, 1000, 1_000_000, 500_000_000, 0x7fff_ffff, 0xffff_ffff]
/** Four-byte fields by their offset behind a box's name. */
const fields: [name: string, field: string, offset: number][] = [
  ['stsz', 'common size', 8],
  ['stsz', 'count', 12],
  ['stsz', 'first size', 16],
  ['stco', 'count', 8],
  ['stco', 'first offset', 12],
  ['stsc', 'count', 8],
  ['stsc', 'first chunk', 12],
  ['stsc', 'frames a chunk', 16],
  ['stts', 'count', 8],
  ['stts', 'frames', 12],
  ['stts', 'duration', 16],
  ['elst', 'count', 8],
  ['elst', 'duration', 12],
  ['elst', 'time', 16],
  ['mdhd', 'timescale', 16],
  ['mvhd', 'timescale', 16],
  ['stsd', 'count', 8],
]
const fragmentFields: [name: string, field: string, offset: number][] = [
  ['trun', 'count', 8],
  ['trun', 'flags', 4],
  ['trun', 'offset', 12],
  ['tfhd', 'flags', 4],
  ['tfhd', 'track', 8],
  ['trex', 'size', 20],
]

export function mp4Lies(): NamedFile[] {
  const file = readFixture('mono.m4a')
  const fragmented = readFixture('fragmented.mp4')
  const set = (bytes: Uint8Array, name: string, offset: number, value: number) =>
    patch(bytes, (view) => view.setUint32(find(bytes, name) + offset, value))
  const lies = (bytes: Uint8Array, all: typeof fields): NamedFile[] =>
    all.flatMap(([name, field, offset]) =>
      counts.map((value): NamedFile => [`${name} ${field} ${value}`, set(bytes, name, offset, value)]),
    )
  const boxes = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd', 'mp4a', 'esds', 'mdat', 'ftyp']
  const movie = file.slice(find(file, 'moov') - 4)
  const track = file.slice(find(file, 'trak') - 4, find(file, 'udta') - 4)
  const beforeMovie = file.slice(0, find(file, 'moov') - 4)
  const config = Buffer.from(file).indexOf(Uint8Array.of(0x13, 0x88))
  return [
    ...lies(file, fields),
    ...lies(fragmented, fragmentFields),
    ...boxes.flatMap((name) =>
      [0, 1, 7, 8, 0x7fff_ffff, 0xffff_ffff].map((value): NamedFile => [
        `${name} of ${value} bytes`,
        set(file, name, -4, value),
      ]),
    ),
    ...Array.from({ length: 32 }, (_, type): NamedFile => [
      `object type ${type}`,
      patch(file, (view) => view.setUint8(config, (type << 3) | 3)),
    ]),
    ...[0, 2, 7, 8, 15].map((channels): NamedFile => [
      `${channels} channels`,
      patch(file, (view) => view.setUint8(config + 1, 0x80 | (channels << 3))),
    ]),
    ...[0, 12, 13, 15].map((rate): NamedFile => [
      `rate ${rate}`,
      patch(file, (view) => view.setUint16(config, (2 << 11) | (rate << 7) | (1 << 3))),
    ]),
    ['a description of 128 MB', patch(file, (view) => view.setUint32(find(file, 'esds') + 9, 0xffff_ff7f))],
    ['10000 indexes', concat(beforeMovie, ...Array.from({ length: 10_000 }, () => box('moov')), movie)],
    ['30000 empty tracks', concat(beforeMovie, box('moov', ...Array.from({ length: 30_000 }, () => box('trak'))))],
    ['500 tracks', concat(beforeMovie, box('moov', ...Array.from({ length: 500 }, () => track)))],
    ['1000 indexes in one another', nested('moov', 1000)],
    ['30000 fragments', concat(fragmented, ...Array.from({ length: 15_000 }, () => concat(box('moof'), box('mdat'))))],
    ['19000 runs of a million frames', manyRuns(fragmented)],
    ['no sound behind the index', concat(file.slice(0, find(file, 'mdat') - 4), movie)],
    ['3 hours of silence', threeHours(file)],
  ]
}

function find(bytes: Uint8Array, name: string): number {
  const at = Buffer.from(bytes).indexOf(name, 0, 'latin1')
  if (at < 0) throw new Error(`no ${name}`)
  return at
}

function box(name: string, ...parts: Uint8Array[]): Uint8Array {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8)
  head.write(name, 4, 'latin1')
  return concat(head, body)
}

function words(...values: number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4)
  return new Uint8Array(bytes)
}

function nested(name: string, depth: number): Uint8Array {
  let inner: Uint8Array = new Uint8Array(0)
  for (let i = 0; i < depth; i++) inner = box(name, inner)
  return concat(box('ftyp', words(0x4d344120)), inner)
}

/** No run gives the length of its frames, so they have no bytes. */
function manyRuns(fragmented: Uint8Array): Uint8Array {
  const run = box('trun', words(0, 1_000_000))
  const header = box('tfhd', words(0x10, 1, 0))
  const fragment = box('moof', box('traf', header, ...Array.from({ length: 19_000 }, () => run)))
  return concat(fragmented.slice(0, find(fragmented, 'moof') - 4), fragment)
}

/** A table of half a million entries that all point at the first frame. */
function threeHours(file: Uint8Array): Uint8Array {
  const frames = 232_000
  const [start, size] = [new DataView(file.buffer).getUint32(find(file, 'stco') + 12), 40]
  const tables = box(
    'stbl',
    file.slice(find(file, 'stsd') - 4, find(file, 'stts') - 4),
    box('stts', words(0, 1, frames, 1024)),
    box('stsc', words(0, 1, 1, 1, 1)),
    box('stsz', words(0, 0, frames), words(...Array.from({ length: frames }, () => size))),
    box('stco', words(0, frames), words(...Array.from({ length: frames }, () => start))),
  )
  const track = box(
    'trak',
    box(
      'mdia',
      file.slice(find(file, 'mdhd') - 4, find(file, 'hdlr') - 4),
      file.slice(find(file, 'hdlr') - 4, find(file, 'minf') - 4),
      box('minf', tables),
    ),
  )
  return concat(file.slice(0, find(file, 'moov') - 4), box('moov', track))
}
