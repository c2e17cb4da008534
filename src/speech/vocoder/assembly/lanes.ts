/** Four rows of numbers ⇄ vectors with one number of each row. */

/** Writes four numbers of each row as four vectors. `stride`: bytes from one result to the next. */
export function storeTransposed(a: v128, b: v128, c: v128, d: v128, to: usize, stride: usize): void {
  const ab = v128.shuffle<u32>(a, b, 0, 4, 1, 5)
  const abHigh = v128.shuffle<u32>(a, b, 2, 6, 3, 7)
  const cd = v128.shuffle<u32>(c, d, 0, 4, 1, 5)
  const cdHigh = v128.shuffle<u32>(c, d, 2, 6, 3, 7)
  v128.store(to, v128.shuffle<u64>(ab, cd, 0, 2))
  v128.store(to + stride, v128.shuffle<u64>(ab, cd, 1, 3))
  v128.store(to + 2 * stride, v128.shuffle<u64>(abHigh, cdHigh, 0, 2))
  v128.store(to + 3 * stride, v128.shuffle<u64>(abHigh, cdHigh, 1, 3))
}

/** The same, added to what is there. */
export function addTransposed(a: v128, b: v128, c: v128, d: v128, to: usize, stride: usize): void {
  const ab = v128.shuffle<u32>(a, b, 0, 4, 1, 5)
  const abHigh = v128.shuffle<u32>(a, b, 2, 6, 3, 7)
  const cd = v128.shuffle<u32>(c, d, 0, 4, 1, 5)
  const cdHigh = v128.shuffle<u32>(c, d, 2, 6, 3, 7)
  addAt(to, v128.shuffle<u64>(ab, cd, 0, 2))
  addAt(to + stride, v128.shuffle<u64>(ab, cd, 1, 3))
  addAt(to + 2 * stride, v128.shuffle<u64>(abHigh, cdHigh, 0, 2))
  addAt(to + 3 * stride, v128.shuffle<u64>(abHigh, cdHigh, 1, 3))
}

function addAt(at: usize, value: v128): void {
  v128.store(at, f32x4.add(v128.load(at), value))
}
