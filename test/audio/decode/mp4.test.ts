import { describe, expect, it } from 'bun:test'
import { decode } from '../../../src/audio/decode/decode'
import { probe } from '../../../src/audio/decode/probe'
import { limits, outcome, readFixture } from './recordings'

const file = readFixture('mono.m4a')
const plain = await decode(file, limits)
const frameSamples = 1024

/** Offset of the nth `name` in `bytes`. */
function find(bytes: Uint8Array, name: string, nth = 0): number {
  let at = -1
  for (let i = 0; i <= nth; i++) at = Buffer.from(bytes).indexOf(name, at + 1, 'latin1')
  if (at < 0) throw new Error(`no ${name}`)
  return at
}

/** Renames the box `from` to an unknown name. */
function hide(bytes: Uint8Array, name: string): Uint8Array<ArrayBuffer> {
  const changed = Uint8Array.from(bytes)
  changed.set(new TextEncoder().encode('free'), find(bytes, name))
  return changed
}

function box(name: string, ...parts: Uint8Array[]): Uint8Array {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8)
  head.write(name, 4, 'latin1')
  return new Uint8Array(Buffer.concat([head, body]))
}

/** The file with one more box at the end of `moov`, which is the last box. */
function appendToMovie(bytes: Uint8Array, added: Uint8Array): Uint8Array {
  const longer = new Uint8Array(Buffer.concat([bytes, added]))
  const view = new DataView(longer.buffer)
  const length = find(bytes, 'moov') - 4
  if (length + view.getUint32(length) !== bytes.length) throw new Error('"moov" is not the last box')
  view.setUint32(length, view.getUint32(length) + added.length)
  return longer
}

/** The tag of iTunes with this delay and length in samples. */
function itunesTag(delay: number, length: number): Uint8Array {
  const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0')
  const text = ` 00000000 ${hex(delay, 8)} 000001CA ${hex(length, 16)} 00000000 00000000`
  const full = (body: string) => Buffer.concat([Buffer.alloc(4), Buffer.from(body)])
  return box(
    '----',
    box('mean', full('com.apple.iTunes')),
    box('name', full('iTunSMPB')),
    box('data', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]), Buffer.from(text)),
  )
}

describe('MP4', () => {
  it('is decoded in full without an edit list', async () => {
    const { pcm } = await decode(hide(file, 'edts'), limits)
    expect(pcm.samples.length % frameSamples).toBe(0)
    expect(pcm.samples.length).toBeGreaterThan(plain.pcm.samples.length)
    expect([...pcm.samples.slice(0, plain.pcm.samples.length)]).toEqual([...plain.pcm.samples])
  })

  it('is trimmed by the iTunes tag without an edit list', async () => {
    const [delay, length] = [2112, 15_000]
    const tagged = appendToMovie(hide(file, 'edts'), box('udta', itunesTag(delay, length)))
    expect(probe(tagged)).toMatchObject({ durationSeconds: length / 22_050, durationExact: true })
    const { pcm } = await decode(tagged, limits)
    // The decoder never returns the first frame of the delay.
    const from = delay - frameSamples
    expect([...pcm.samples]).toEqual([...plain.pcm.samples.slice(from, from + length)])
  })

  it('ignores a tag with an implausible delay', async () => {
    const tagged = appendToMovie(hide(file, 'edts'), box('udta', itunesTag(40_000, 15_000)))
    expect(await decode(tagged, limits)).toEqual(await decode(hide(file, 'edts'), limits))
  })

  it('prefers the edit list to the tag', async () => {
    const tagged = appendToMovie(file, box('udta', itunesTag(2112, 15_000)))
    expect(await decode(tagged, limits)).toEqual(plain)
  })

  it('begins at the start of the edit', async () => {
    const later = Uint8Array.from(file)
    // Skips name, version and flags, count and duration.
    const time = find(file, 'elst') + 16
    const view = new DataView(later.buffer)
    expect(view.getUint32(time)).toBe(frameSamples)
    view.setUint32(time, frameSamples + 500)
    const { pcm } = await decode(later, limits)
    expect([...pcm.samples.slice(0, 15_000)]).toEqual([...plain.pcm.samples.slice(500, 15_500)])
  })

  it('decodes the sound track of two tracks', async () => {
    const silent = box('trak', box('mdia', box('hdlr', Buffer.from('\0\0\0\0\0\0\0\0vide')), new Uint8Array(0)))
    expect(await decode(appendToMovie(file, silent), limits)).toEqual(plain)
  })

  it('is decoded with boxes of 64-bit length', async () => {
    const data = find(file, 'mdat') - 4
    const view = new DataView(file.buffer)
    const length = view.getUint32(data)
    // Writers leave an empty box of eight bytes before "mdat" for the longer length.
    expect([view.getUint32(data - 8), find(file, 'free')]).toEqual([8, data - 4])
    const long = Uint8Array.from(file)
    const longView = new DataView(long.buffer)
    longView.setUint32(data - 8, 1)
    long.set(new TextEncoder().encode('mdat'), data - 4)
    longView.setBigUint64(data, BigInt(length + 8))
    expect(await decode(long, limits)).toEqual(plain)
  })

  it('is decoded up to a cut in its sound when the index is first', async () => {
    const fragmented = readFixture('fragmented.mp4')
    const whole = await decode(fragmented, limits)
    const { pcm } = await decode(fragmented.subarray(0, Math.floor(fragmented.length * 0.6)), limits)
    expect(pcm.samples.length).toBeGreaterThan(0.3 * whole.pcm.samples.length)
    expect(pcm.samples.length).toBeLessThan(0.9 * whole.pcm.samples.length)
    expect(pcm.samples).toEqual(whole.pcm.samples.slice(0, pcm.samples.length))
  })

  it('is refused when its tables claim more than there is', async () => {
    const claims: [name: string, offset: number, code: string][] = [
      ['stsz', 12, 'corrupt'],
      ['stco', 8, 'corrupt'],
      ['stsc', 8, 'corrupt'],
      ['stts', 8, 'corrupt'],
      ['elst', 8, 'corrupt'],
    ]
    for (const [name, offset, code] of claims) {
      for (const count of [1000, 500_000_000, 0xffff_ffff]) {
        const lying = Uint8Array.from(file)
        new DataView(lying.buffer).setUint32(find(file, name) + offset, count)
        expect([name, count, await outcome(lying)]).toEqual([name, count, code])
      }
    }
  })
})
