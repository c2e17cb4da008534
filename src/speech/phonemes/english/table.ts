/**
 * A sorted table of short strings inside a larger buffer, searched in place: no JavaScript object per entry. Keys are
 * UTF-8, in byte order, in blocks of `blockEntries`. An entry is the number of bytes that its key shares with the key
 * before it in the block, the number of further bytes, these bytes, the value's size (two bytes, little-endian), and
 * the value. scripts/english-data.ts writes it.
 *
 * Layout: number of entries and of blocks, the block's offsets behind the header (uint32, little-endian), the blocks.
 */

export const blockEntries = 16
export const keyBytesMax = 120

export type Table = {
  readonly entries: number
  /** A view of the value; undefined for a missing key. */
  find(key: string): Uint8Array | undefined
}

const encoder = new TextEncoder()

/** `bytes`: the whole table. Throws when its parts do not fit into it. */
export function openTable(bytes: Uint8Array): Table {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries = bytes.length < 8 ? NaN : view.getUint32(0, true)
  const blocks = bytes.length < 8 ? NaN : view.getUint32(4, true)
  const headerBytes = 8 + 4 * blocks
  if (!(blocks === Math.ceil(entries / blockEntries) && headerBytes <= bytes.length))
    throw new Error('a table does not fit into its section')
  const offsets = Uint32Array.from({ length: blocks + 1 }, (_, at) =>
    at === blocks ? bytes.length : headerBytes + view.getUint32(8 + 4 * at, true),
  )
  if (offsets.some((offset, at) => at > 0 && offset <= offsets[at - 1]!))
    throw new Error('the blocks of a table are out of order')
  const wanted = new Uint8Array(keyBytesMax)

  /** The last block whose first key is not greater than the wanted one; −1 without one. */
  function findBlock(length: number): number {
    let low = -1
    let high = blocks
    while (high - low > 1) {
      const middle = (low + high) >> 1
      const start = offsets[middle]! + 2
      if (compare(bytes, start, bytes[start - 1]!, wanted, length) <= 0) low = middle
      else high = middle
    }
    return low
  }

  return {
    entries,
    find(key) {
      const { read, written: length } = encoder.encodeInto(key, wanted)
      if (read < key.length) return undefined
      const block = findBlock(length)
      if (block < 0) return undefined
      const end = offsets[block + 1]!
      // Bytes that the wanted key has in common with the entry before.
      let common = 0
      for (let at = offsets[block]!; at < end;) {
        const shared = bytes[at]!
        const suffix = bytes[at + 1]!
        const valueAt = at + 4 + suffix
        const valueBytes = bytes[valueAt - 2]! | (bytes[valueAt - 1]! << 8)
        // The entry differs from the one before where the wanted key was still equal, so it is greater.
        if (shared < common) return undefined
        if (shared === common) {
          let same = 0
          while (same < suffix && common + same < length && bytes[at + 2 + same] === wanted[common + same]) same++
          common += same
          if (same === suffix && common === length) return bytes.subarray(valueAt, valueAt + valueBytes)
        }
        at = valueAt + valueBytes
      }
      return undefined
    },
  }
}

/** Order of `left[at … at + leftBytes]` and `right[0 … rightBytes]`: negative, zero or positive. */
function compare(left: Uint8Array, at: number, leftBytes: number, right: Uint8Array, rightBytes: number): number {
  const length = Math.min(leftBytes, rightBytes)
  for (let index = 0; index < length; index++) {
    const difference = left[at + index]! - right[index]!
    if (difference !== 0) return difference
  }
  return leftBytes - rightBytes
}
