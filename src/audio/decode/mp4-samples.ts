/**
 * Locates the frames of a track by the tables of `stbl` or, in a fragmented file, by its `moof` boxes (ISO/IEC
 * 14496-12, 8.7 and 8.8). A frame beyond the end of the file ends the track.
 */
import { BadAudio } from './bad-audio'
import { uint32, uint64 } from './bytes'
import { type Box, boxesIn, findBox, type NamedBox, readTable } from './mp4-boxes'

/** A frame: a sample of the container, not of the sound. */
export type Sample = { readonly start: number; readonly lengthBytes: number }

/** Six hours of AAC. */
const samplesMax = 1_000_000
/** AAC has at most 768 bytes per channel and frame. */
const sampleBytesMax = 65_536

export function findSamples(bytes: Uint8Array, tables: Box): Sample[] {
  const sizes = readSizes(bytes, findBox(bytes, tables, 'stsz'))
  const offsets = readOffsets(bytes, tables)
  const runs = readTable(bytes, findBox(bytes, tables, 'stsc'), { headBytes: 8, entryBytes: 12 })
  const samples: Sample[] = []
  let run = 0
  let index = 0
  for (let chunk = 0; chunk < offsets.count && index < sizes.count; chunk++) {
    // A run of chunks, counted from 1, lasts to the start of the next run.
    while (run + 1 < runs.count && uint32(bytes, runs.start + (run + 1) * 12) <= chunk + 1) run++
    const inChunk = runs.count > 0 ? uint32(bytes, runs.start + run * 12 + 4) : 1
    if (inChunk === 0) throw new BadAudio('corrupt', 'The MP4 file is damaged: it has chunks without frames.')
    let start = offsets.at(chunk)
    for (let i = 0; i < inChunk && index < sizes.count; i++, index++) {
      const lengthBytes = sizes.at(index)
      if (!isPresent(bytes, start, lengthBytes)) return samples
      if (lengthBytes > 0) samples.push({ start, lengthBytes })
      start += lengthBytes
    }
  }
  return samples
}

function isPresent(bytes: Uint8Array, start: number, lengthBytes: number): boolean {
  return start >= 0 && start + lengthBytes <= bytes.length && lengthBytes <= sampleBytesMax
}

/** Either one size for all frames, or a table. */
function readSizes(bytes: Uint8Array, box: NamedBox | undefined) {
  const common = box ? uint32(bytes, box.start + 4) : 0
  if (box && common > 0) {
    const count = uint32(bytes, box.start + 8)
    refuseCount(count, Math.floor(bytes.length / common))
    return { count, at: () => common }
  }
  const { count, start } = readTable(bytes, box, { headBytes: 12, entryBytes: 4 })
  refuseCount(count, samplesMax)
  return { count, at: (index: number) => uint32(bytes, start + index * 4) }
}

function readOffsets(bytes: Uint8Array, tables: Box) {
  const short = findBox(bytes, tables, 'stco')
  if (short) {
    const { count, start } = readTable(bytes, short, { headBytes: 8, entryBytes: 4 })
    return { count, at: (index: number) => uint32(bytes, start + index * 4) }
  }
  const { count, start } = readTable(bytes, findBox(bytes, tables, 'co64'), { headBytes: 8, entryBytes: 8 })
  return { count, at: (index: number) => uint64(bytes, start + index * 8) }
}

function refuseCount(count: number, present: number): void {
  const countMax = Math.min(samplesMax, present)
  if (count > countMax) {
    throw new BadAudio(
      'corrupt',
      `The MP4 file is damaged: it declares ${count} frames, more than the possible ${countMax}.`,
    )
  }
}

/** The frames of the track with the number in `track`, from all fragments of the file. */
export function findFragmentSamples(bytes: Uint8Array, movie: Box, track: Box): Sample[] {
  const trackId = readTrackId(bytes, findBox(bytes, track, 'tkhd'))
  const defaultBytes = readDefaultBytes(bytes, movie, trackId)
  const samples: Sample[] = []
  for (const fragment of boxesIn(bytes, { start: 0, end: bytes.length })) {
    if (fragment.name !== 'moof') continue
    for (const part of boxesIn(bytes, fragment)) {
      if (part.name === 'traf') addRuns(bytes, { part, fragment, trackId, defaultBytes }, samples)
    }
  }
  return samples
}

function readTrackId(bytes: Uint8Array, header: NamedBox | undefined): number {
  return header ? uint32(bytes, header.start + (bytes[header.start] === 1 ? 20 : 12)) : 0
}

/** Frame size for fragments that do not give one. */
function readDefaultBytes(bytes: Uint8Array, movie: Box, trackId: number): number {
  const extension = findBox(bytes, movie, 'mvex')
  if (!extension) return 0
  for (const box of boxesIn(bytes, extension)) {
    if (box.name === 'trex' && uint32(bytes, box.start + 4) === trackId) return uint32(bytes, box.start + 16)
  }
  return 0
}

type TrackFragment = { part: NamedBox; fragment: NamedBox; trackId: number; defaultBytes: number }

function addRuns(bytes: Uint8Array, { part, fragment, trackId, defaultBytes }: TrackFragment, samples: Sample[]): void {
  const header = findBox(bytes, part, 'tfhd')
  if (!header || uint32(bytes, header.start + 4) !== trackId) return
  const flags = readFlags(bytes, header)
  let field = header.start + 8
  // Base of the offsets; without the field, the start of the fragment.
  const base = flags & 0x1 ? uint64(bytes, field) : fragment.head
  field += (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0) + (flags & 0x8 ? 4 : 0)
  const usualBytes = flags & 0x10 ? uint32(bytes, field) : defaultBytes

  let next = base
  for (const run of boxesIn(bytes, part)) {
    if (run.name === 'trun') next = addRun(bytes, { run, base, next, usualBytes }, samples)
  }
}

type Run = { run: NamedBox; base: number; next: number; usualBytes: number }

/** Returns the offset behind the run's last frame. */
function addRun(bytes: Uint8Array, { run, base, next, usualBytes }: Run, samples: Sample[]): number {
  const flags = readFlags(bytes, run)
  const count = uint32(bytes, run.start + 4)
  let field = run.start + 8
  let start = next
  if (flags & 0x1) {
    // The field is signed.
    start = base + (uint32(bytes, field) | 0)
    field += 4
  }
  if (flags & 0x4) field += 4
  // Optional fields per frame, each present if its bit is set: duration, size, flags, composition time.
  const has = (flag: number) => (flags & flag ? 4 : 0)
  const entryBytes = has(0x100) + has(0x200) + has(0x400) + has(0x800)
  const sizeOffset = has(0x100)
  if (!has(0x200) && usualBytes === 0) return start
  refuseCount(samples.length + count, samplesMax)
  refuseCount(count, Math.floor(entryBytes > 0 ? (run.end - field) / entryBytes : bytes.length / usualBytes))
  for (let i = 0; i < count; i++) {
    const lengthBytes = flags & 0x200 ? uint32(bytes, field + i * entryBytes + sizeOffset) : usualBytes
    if (!isPresent(bytes, start, lengthBytes)) break
    if (lengthBytes > 0) samples.push({ start, lengthBytes })
    start += lengthBytes
  }
  return start
}

/** The three bytes behind a box's version. */
function readFlags(bytes: Uint8Array, box: Box): number {
  return uint32(bytes, box.start) & 0xff_ffff
}
