/**
 * The boxes of MP4 (ISO/IEC 14496-12, 4.2): a length, a name and a body, which may hold boxes. Lengths and counts
 * beyond the bytes present are rejected.
 */
import { BadAudio } from './bad-audio'
import { ascii, uint32, uint64 } from './bytes'

/** A box's body, or the whole file. */
export type Box = { readonly start: number; readonly end: number }
export type NamedBox = Box & { readonly name: string; /** Offset of its length. */ readonly head: number }

const boxesMax = 20_000

export function* boxesIn(bytes: Uint8Array, { start, end }: Box): Generator<NamedBox, void> {
  let boxes = 0
  for (let head = start; head + 8 <= end;) {
    if (++boxes > boxesMax) throw new BadAudio('corrupt', `The MP4 file has more than ${boxesMax} boxes in a row.`)
    const name = ascii(bytes, head + 4, 4)
    let lengthBytes = uint32(bytes, head)
    let headBytes = 8
    if (lengthBytes === 1) {
      lengthBytes = uint64(bytes, head + 8)
      headBytes = 16
    } else if (lengthBytes === 0) lengthBytes = end - head
    if (lengthBytes < headBytes) {
      throw new BadAudio('corrupt', `The MP4 file is damaged: a box of ${lengthBytes} bytes is shorter than its head.`)
    }
    yield { name, head, start: Math.min(end, head + headBytes), end: Math.min(end, head + lengthBytes) }
    head += lengthBytes
  }
}

/** The first box at this path of names. */
export function findBox(bytes: Uint8Array, parent: Box, ...names: string[]): NamedBox | undefined {
  const [name, ...rest] = names
  for (const box of boxesIn(bytes, parent)) {
    if (box.name === name) return rest.length === 0 ? box : findBox(bytes, box, ...rest)
  }
  return undefined
}

/**
 * Returns the number of entries of a table and the offset of the first. The count is in the last four of `headBytes`.
 * Throws `corrupt` when the table is shorter than its count says. A missing table has no entries.
 */
export function readTable(
  bytes: Uint8Array,
  box: NamedBox | undefined,
  { headBytes, entryBytes }: { headBytes: number; entryBytes: number },
): { count: number; start: number } {
  if (!box || box.end - box.start < headBytes) return { count: 0, start: 0 }
  const start = box.start + headBytes
  const count = uint32(bytes, start - 4)
  const countMax = Math.floor((box.end - start) / entryBytes)
  if (count > countMax) {
    throw new BadAudio(
      'corrupt',
      `The MP4 file is damaged: its "${box.name}" table has ${countMax} entries, not ${count}.`,
    )
  }
  return { count, start }
}
