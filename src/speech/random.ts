/** Random numbers that are the same in every run, for noise that must not change the bytes of a request. */

/**
 * Returns a generator of 32 random bits, as an unsigned integer: xoshiro128** of Blackman and Vigna, "Scrambled linear
 * pseudorandom number generators" (ACM TOMS 47, 2021), https://prng.di.unimi.it/xoshiro128starstar.c. Every generator
 * gives the same sequence.
 */
export function createRandom(): () => number {
  // The first hexadecimal digits of π; any seed works that is not all zero.
  let s0 = 0x243f6a88 | 0
  let s1 = 0x85a308d3 | 0
  let s2 = 0x13198a2e | 0
  let s3 = 0x03707344 | 0
  return () => {
    const product = Math.imul(s1, 5)
    const result = Math.imul((product << 7) | (product >>> 25), 9)
    const shifted = s1 << 9
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << 11) | (s3 >>> 21)
    return result >>> 0
  }
}
