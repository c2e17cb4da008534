/**
 * Fast elementary functions for spectra, which need them hundred thousands of times for a second of speech. Tables with
 * a short Taylor series keep the error near that of 32-bit numbers.
 */

const tableSize = 4096
const mask = tableSize - 1
const quarter = tableSize / 4
const cosines = Float32Array.from({ length: tableSize }, (_, i) => Math.cos((2 * Math.PI * i) / tableSize))

/** sin(2π · `turns`). Absolute error below 2⁻²², near 0 also the relative one. */
export function sine(turns: number): number {
  const place = (turns - Math.floor(turns)) * tableSize
  const nearest = (place + 0.5) | 0
  const rest = (place - nearest) * ((2 * Math.PI) / tableSize)
  const s = cosines[(nearest - quarter) & mask]!
  return s + rest * (cosines[nearest & mask]! - 0.5 * rest * s)
}

/** Multiplies the number at `at` by `gain` · exp(2πi · `turns`). Relative error below 2⁻²². */
export function turn(re: Float64Array, im: Float64Array, at: number, turns: number, gain: number): void {
  const place = (turns - Math.floor(turns)) * tableSize
  const nearest = (place + 0.5) | 0
  const rest = (place - nearest) * ((2 * Math.PI) / tableSize)
  const c = cosines[nearest & mask]!
  const s = cosines[(nearest - quarter) & mask]!
  const cosine = gain * (c - rest * (s + 0.5 * rest * c))
  const sine = gain * (s + rest * (c - 0.5 * rest * s))
  const real = re[at]!
  const imaginary = im[at]!
  re[at] = cosine * real - sine * imaginary
  im[at] = cosine * imaginary + sine * real
}

/** Adds `gain` · exp(2πi · `turns`) to the number at `at`. Relative error below 2⁻²². */
export function addTurned(re: Float64Array, im: Float64Array, at: number, turns: number, gain: number): void {
  const place = (turns - Math.floor(turns)) * tableSize
  const nearest = (place + 0.5) | 0
  const rest = (place - nearest) * ((2 * Math.PI) / tableSize)
  const c = cosines[nearest & mask]!
  const s = cosines[(nearest - quarter) & mask]!
  re[at]! += gain * (c - rest * (s + 0.5 * rest * c))
  im[at]! += gain * (s + rest * (c - 0.5 * rest * s))
}

/**
 * Radii of complex Gaussian noise at the centers of equally likely intervals, scaled to a mean square of 2, which is
 * unit variance per component.
 */
const radii = makeRadii()

function makeRadii(): Float32Array {
  const found = Float64Array.from({ length: tableSize }, (_, i) => Math.sqrt(-2 * Math.log((i + 0.5) / tableSize)))
  const meanSquare = found.reduce((sum, radius) => sum + radius * radius, 0) / tableSize
  return Float32Array.from(found, (radius) => radius * Math.sqrt(2 / meanSquare))
}

/**
 * Adds complex Gaussian noise of variance `gain`² per component to the number at `at`, made from 32 `random` bits by
 * Box and Muller's method ("A note on the generation of random normal deviates", 1958). It has one of 4096 radii and one
 * of 4096 directions, which in a sum of hundreds of bins cannot be told from continuous ones.
 */
export function addNoise(re: Float64Array, im: Float64Array, at: number, random: number, gain: number): void {
  const radius = gain * radii[random >>> 20]!
  const direction = (random >>> 8) & mask
  re[at]! += radius * cosines[direction]!
  im[at]! += radius * cosines[(direction - quarter) & mask]!
}

const powerSteps = 256
/** 2^(i/256). */
const powers = Float64Array.from({ length: powerSteps }, (_, i) => 2 ** (i / powerSteps))
/** 2^(i − 128). */
const scales = Float64Array.from({ length: 256 }, (_, i) => 2 ** (i - 128))
const exponentMax = 80

/** e^`x`, with a relative error below 2⁻²⁷; 0 below −80, e^80 above 80. */
export function exp(x: number): number {
  if (x < -exponentMax) return 0
  // Positive, so that cutting the fraction off rounds down.
  const place = (x > exponentMax ? exponentMax : x) * (powerSteps / Math.LN2) + 128 * powerSteps
  const whole = place | 0
  const rest = (place - whole) * (Math.LN2 / powerSteps)
  return powers[whole & (powerSteps - 1)]! * scales[whole >> 8]! * (1 + rest * (1 + 0.5 * rest))
}

/** From here on the hyperbolic tangent is 1 in 32 bits. */
const tanhMax = 10
const tanhSteps = 256
const tangents = Float64Array.from({ length: 2 * tanhMax * tanhSteps + 1 }, (_, i) =>
  Math.tanh(i / tanhSteps - tanhMax),
)
tangents[0] = -1
tangents[tangents.length - 1] = 1

/** The hyperbolic tangent, with an absolute error below 2⁻²⁶. */
export function tanh(x: number): number {
  // Comparisons are faster than Math.min and Math.max.
  const limited = x < -tanhMax ? -tanhMax : x > tanhMax ? tanhMax : x
  const place = (limited + tanhMax) * tanhSteps
  const nearest = (place + 0.5) | 0
  const rest = (place - nearest) * (1 / tanhSteps)
  const t = tangents[nearest]!
  return t + rest * (1 - t * t) * (1 - rest * t)
}
