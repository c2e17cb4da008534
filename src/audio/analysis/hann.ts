/** The Hann window of all spectral analyses. */

/**
 * A periodic Hann window of `length` samples. `offset` (in samples) moves the sampled points; 0.5 makes the window
 * symmetric.
 */
export function hannWindow(length: number, offset = 0): Float64Array {
  return Float64Array.from({ length }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + offset)) / length))
}
