/** Random numbers that are the same on every run, for trials, tests and tables. */

/** A seeded source of numbers (mulberry32, Tommy Ettinger 2017): 0 ≤ x < 1. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    /** A whole number, 0 to `below` − 1. */
    below: (below: number): number => Math.floor(next() * below),
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!,
    bytes: (length: number): Uint8Array => Uint8Array.from({ length }, () => Math.floor(next() * 256)),
  }
}

export type Random = ReturnType<typeof createRandom>
