/** FLAC with false stream information, and FLAC of pure silence, which inflates a thousandfold. */
import { concat, type NamedFile, randomBytes } from './damage'
import { patch } from './malformed-wav'
import { readFixture } from './recordings'

const streamInfo = 8

export function flacLies(): NamedFile[] {
  const file = readFixture('mono.flac')
  const set8 = (at: number, value: number) => patch(file, (view) => view.setUint8(streamInfo + at, value))
  const rate = (hz: number) =>
    patch(file, (view) => {
      view.setUint8(streamInfo + 10, hz >> 12)
      view.setUint8(streamInfo + 11, hz >> 4)
      view.setUint8(streamInfo + 12, ((hz & 15) << 4) | (view.getUint8(streamInfo + 12) & 15))
    })
  const total = (samples: number) => patch(file, (view) => writeTotal(view, samples))
  const blocks = (min: number, max: number) =>
    patch(file, (view) => {
      view.setUint16(streamInfo, min)
      view.setUint16(streamInfo + 2, max)
    })
  const block = (type: number, lengthBytes: number) => Uint8Array.of(type, 0, lengthBytes >> 8, lengthBytes & 255)
  return [
    ...[0, 1, 19_293, 2 ** 36 - 1].map((samples): NamedFile => [`${samples} samples`, total(samples)]),
    ...[0, 1, 655_350, 2 ** 20 - 1].map((hz): NamedFile => [`${hz} Hz`, rate(hz)]),
    ...[0x0e, 0x02, 0x00].map((bits): NamedFile => [`channels and bits ${bits}`, set8(12, 0x20 | bits)]),
    ['blocks of 0', blocks(0, 0)],
    ['blocks of 65535', blocks(65_535, 65_535)],
    ['a first block of another type', patch(file, (view) => view.setUint8(4, 4))],
    ['blocks that never end', concat(file.slice(0, 42), ...Array.from({ length: 5000 }, () => block(1, 0)))],
    ['a block of 16 MB', patch(file, (view) => view.setUint32(4, 0x00ff_ffff))],
    [
      '5000 empty blocks',
      concat(file.slice(0, 42), ...Array.from({ length: 5000 }, () => block(1, 0)), file.slice(42)),
    ],
    ['no frames', file.slice(0, 8288)],
    ['frames of anything', concat(file.slice(0, 8288), randomBytes(50_000, 6))],
    ['only frame headers', concat(file.slice(0, 8288), repeated(file.slice(8288, 8298), 5000))],
    ['one frame again and again', concat(file.slice(0, 8288), repeated(file.slice(8288, 12_000), 50))],
    ['3 hours of silence', silence({ samples: 10_800 * 44_100, said: 10_800 * 44_100 })],
    ['3 hours of silence, declared as a second', silence({ samples: 10_800 * 44_100, said: 44_100 })],
    ['3 hours of silence of unknown length', silence({ samples: 10_800 * 44_100, said: 0 })],
    ['1 hour of silence in eight channels', silence({ samples: 3600 * 44_100, said: 0, channels: 8 })],
  ]
}

function writeTotal(view: DataView, samples: number): void {
  view.setUint8(streamInfo + 13, (view.getUint8(streamInfo + 13) & 0xf0) | Math.floor(samples / 2 ** 32))
  view.setUint32(streamInfo + 14, samples % 2 ** 32)
}

/** 44.1 kHz, 16 bits, blocks of 32768 constant samples: valid, and 17 bytes of mono for 0.74 s. */
function silence({ samples, said, channels = 1 }: { samples: number; said: number; channels?: number }): Uint8Array {
  const head = new Uint8Array(42)
  head.set(Buffer.from('fLaC'))
  head.set([0x80, 0, 0, 34], 4)
  const view = new DataView(head.buffer)
  view.setUint16(streamInfo, 32_768)
  view.setUint16(streamInfo + 2, 32_768)
  const fields = (44_100 << 12) | ((channels - 1) << 9) | (15 << 4)
  view.setUint32(streamInfo + 10, fields)
  writeTotal(view, said)
  const frames = Array.from({ length: Math.ceil(samples / 32_768) }, (_, i) => silentFrame(i, channels))
  return concat(head, ...frames)
}

function silentFrame(index: number, channels: number): Uint8Array {
  // Sync, fixed block size; 32768 samples, 44.1 kHz; channels, 16 bits; the frame number in UTF-8.
  const head = [0xff, 0xf8, 0xf9, ((channels - 1) << 4) | 0x08, ...Buffer.from(String.fromCodePoint(index))]
  const withCrc = [...head, crc(head, 8, 0x07)]
  // Each channel: a subframe of type "constant", and the constant.
  const body = [...withCrc, ...Array.from({ length: channels }, () => [0, 0, 0]).flat()]
  const crc16 = crc(body, 16, 0x8005)
  return Uint8Array.of(...body, crc16 >> 8, crc16 & 255)
}

function crc(bytes: number[], width: number, polynomial: number): number {
  const top = 1 << (width - 1)
  const mask = 2 ** width - 1
  let value = 0
  for (const byte of bytes) {
    value ^= byte << (width - 8)
    for (let bit = 0; bit < 8; bit++) value = (value & top ? (value << 1) ^ polynomial : value << 1) & mask
  }
  return value
}

function repeated(bytes: Uint8Array, count: number): Uint8Array {
  return concat(...Array.from({ length: count }, () => bytes))
}
