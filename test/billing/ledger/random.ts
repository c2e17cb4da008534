/** Pseudo-random numbers, repeatable from a seed. */

export type Random = {
  /** A whole number from 0 to `below` - 1. */
  below(limit: number): number
  pick<T>(list: readonly T[]): T
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  function below(limit: number): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return { below, pick: (list) => list[below(list.length)]! }
}
