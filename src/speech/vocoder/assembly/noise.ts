/**
 * Complex Gaussian noise for four spectra, the same in every run: xoshiro128** of `src/speech/random.ts`, and Box and
 * Muller's method ("A note on the generation of random normal deviates", 1958).
 */
import { bins, complexBytes } from './transform'

/** Complex numbers of unit variance per component, `bins` of them. */
export const noise: usize = memory.data(601 * 32, 16)

const tableSize: u32 = 4096
const mask: u32 = tableSize - 1
const quarter: u32 = tableSize / 4
/** Input: one period of the cosine. */
export const directions: usize = memory.data(4096 * 4, 16)
/** Input: radii at the centers of equally likely intervals, with a mean square of 2. */
export const radii: usize = memory.data(4096 * 4, 16)

let s0: u32, s1: u32, s2: u32, s3: u32

/** Begins the sequence again. */
export function seedNoise(): void {
  s0 = 0x243f6a88
  s1 = 0x85a308d3
  s2 = 0x13198a2e
  s3 = 0x03707344
}

/**
 * Writes `noise`, lane after lane. It has one of 4096 radii and one of 4096 directions, which in a sum of hundreds of bins
 * cannot be told from continuous ones.
 */
export function writeNoise(): void {
  let a = s0
  let b = s1
  let c = s2
  let d = s3
  for (let lane: usize = 0; lane < 4; lane++)
    for (let bin: usize = 0; bin < bins; bin++) {
      const random = rotl<u32>(b * 5, 7) * 9
      const shifted = b << 9
      c ^= a
      d ^= b
      b ^= c
      a ^= d
      c ^= shifted
      d = rotl<u32>(d, 11)
      const radius = load<f32>(radii + (random >>> 20) * 4)
      const direction = random >>> 8
      const at = noise + bin * complexBytes + lane * 4
      store<f32>(at, radius * load<f32>(directions + (direction & mask) * 4))
      store<f32>(at, radius * load<f32>(directions + ((direction - quarter) & mask) * 4), 16)
    }
  s0 = a
  s1 = b
  s2 = c
  s3 = d
}
