/**
 * The discrete Fourier transform of four real signals of 1,200 samples at once, one in each lane of a vector: a complex
 * transform of half the length, unfolded as in `src/audio/analysis/fft.ts`. The complex transform is Stockham's, which
 * needs no sorting, with the radices 4, 5, 5 and 6.
 */

export const samples: usize = 1200
export const bins: usize = 601
/** Numbers of the complex transform. */
const points: usize = 600
/** Bytes of a complex number of four lanes: the real parts before the imaginary ones. */
export const complexBytes: usize = 32

/** `samples` vectors, which are `points` complex numbers as well. */
export const signals: usize = memory.data(600 * 32, 16)
/** Complex numbers, `bins` of them. */
export const spectra: usize = memory.data(601 * 32, 16)
const spare: usize = memory.data(600 * 32, 16)
/** Input: cos(2π·k/1200) in 64 bits, one period. */
export const circle: usize = memory.data(1200 * 8, 16)
/** e^(−2πi·k/600) as pairs of numbers. */
const roots: usize = memory.data(600 * 8, 16)
/** cos and sin of 2π·k/1200. */
const halfRoots: usize = memory.data(301 * 8, 16)

/** cos(2π·`k`/1200). */
export function cosine(k: usize): f64 {
  return load<f64>(circle + (k % samples) * 8)
}

/** sin(2π·`k`/1200). */
function sine(k: usize): f64 {
  return cosine(k + (3 * samples) / 4)
}

/** Makes tables of `circle`. */
export function prepareRoots(): void {
  for (let k: usize = 0; k < points; k++) {
    store<f32>(roots + k * 8, <f32>cosine(2 * k))
    store<f32>(roots + k * 8, <f32>-sine(2 * k), 4)
  }
  for (let k: usize = 0; k <= points / 2; k++) {
    store<f32>(halfRoots + k * 8, <f32>cosine(k))
    store<f32>(halfRoots + k * 8, <f32>sine(k), 4)
  }
}

/** Writes `spectra`, twice as large as they are; overwrites `signals`. */
export function forward(): void {
  transform()
  for (let k: usize = 0; k <= points / 2; k++) {
    const a = signals + k * complexBytes
    const b = signals + (k === 0 ? 0 : points - k) * complexBytes
    const aRe = v128.load(a)
    const aIm = v128.load(a, 16)
    const bRe = v128.load(b)
    const bIm = v128.load(b, 16)
    const evenRe = f32x4.add(aRe, bRe)
    const evenIm = f32x4.sub(aIm, bIm)
    const oddRe = f32x4.add(aIm, bIm)
    const oddIm = f32x4.sub(bRe, aRe)
    const c = v128.load32_splat(halfRoots + k * 8)
    const s = v128.load32_splat(halfRoots + k * 8, 4)
    const re = f32x4.add(f32x4.mul(oddRe, c), f32x4.mul(oddIm, s))
    const im = f32x4.sub(f32x4.mul(oddIm, c), f32x4.mul(oddRe, s))
    put(spectra + k * complexBytes, f32x4.add(evenRe, re), f32x4.add(evenIm, im))
    put(spectra + (points - k) * complexBytes, f32x4.sub(evenRe, re), f32x4.sub(im, evenIm))
  }
}

/** Writes `signals`, 1,200 times as large as they are, and those with odd indices with the wrong sign. */
export function inverse(): void {
  for (let k: usize = 0; k <= points / 2; k++) {
    const a = spectra + k * complexBytes
    const b = spectra + (points - k) * complexBytes
    const aRe = v128.load(a)
    const aIm = v128.load(a, 16)
    const bRe = v128.load(b)
    const bIm = v128.load(b, 16)
    const evenRe = f32x4.add(aRe, bRe)
    const evenIm = f32x4.sub(aIm, bIm)
    const re = f32x4.sub(aRe, bRe)
    const im = f32x4.add(aIm, bIm)
    const c = v128.load32_splat(halfRoots + k * 8)
    const s = v128.load32_splat(halfRoots + k * 8, 4)
    const oddRe = f32x4.sub(f32x4.mul(re, c), f32x4.mul(im, s))
    const oddIm = f32x4.add(f32x4.mul(im, c), f32x4.mul(re, s))
    // The conjugate turns the forward transform into the inverse.
    if (k > 0) put(signals + (points - k) * complexBytes, f32x4.add(evenRe, oddIm), f32x4.sub(evenIm, oddRe))
    put(signals + k * complexBytes, f32x4.sub(evenRe, oddIm), f32x4.neg(f32x4.add(evenIm, oddRe)))
  }
  transform()
}

function transform(): void {
  pass4(signals, spare)
  pass5(spare, signals, 30, 4)
  pass5(signals, spare, 6, 20)
  pass6(spare, signals)
}

function put(at: usize, re: v128, im: v128): void {
  v128.store(at, re)
  v128.store(at, im, 16)
}

/** Stores a number times root `k`. */
function putTurned(at: usize, re: v128, im: v128, k: usize): void {
  const c = v128.load32_splat(roots + k * 8)
  const s = v128.load32_splat(roots + k * 8, 4)
  put(at, f32x4.sub(f32x4.mul(re, c), f32x4.mul(im, s)), f32x4.add(f32x4.mul(re, s), f32x4.mul(im, c)))
}

function pass4(from: usize, to: usize): void {
  const leap = (points / 4) * complexBytes
  for (let p: usize = 0; p < points / 4; p++) {
    const a = from + p * complexBytes
    const b = a + leap
    const c = b + leap
    const d = c + leap
    const sumRe = f32x4.add(v128.load(a), v128.load(c))
    const sumIm = f32x4.add(v128.load(a, 16), v128.load(c, 16))
    const gapRe = f32x4.sub(v128.load(a), v128.load(c))
    const gapIm = f32x4.sub(v128.load(a, 16), v128.load(c, 16))
    const sumRe2 = f32x4.add(v128.load(b), v128.load(d))
    const sumIm2 = f32x4.add(v128.load(b, 16), v128.load(d, 16))
    const gapRe2 = f32x4.sub(v128.load(b), v128.load(d))
    const gapIm2 = f32x4.sub(v128.load(b, 16), v128.load(d, 16))
    const out = to + p * 4 * complexBytes
    put(out, f32x4.add(sumRe, sumRe2), f32x4.add(sumIm, sumIm2))
    putTurned(out + complexBytes, f32x4.add(gapRe, gapIm2), f32x4.sub(gapIm, gapRe2), p)
    putTurned(out + 2 * complexBytes, f32x4.sub(sumRe, sumRe2), f32x4.sub(sumIm, sumIm2), 2 * p)
    putTurned(out + 3 * complexBytes, f32x4.sub(gapRe, gapIm2), f32x4.add(gapIm, gapRe2), 3 * p)
  }
}

/** `stride`: product of the radices of earlier passes; `groups` · `stride` · 5 = `points`. */
function pass5(from: usize, to: usize, groups: usize, stride: usize): void {
  const leap = (points / 5) * complexBytes
  const step = stride * complexBytes
  const c1 = f32x4.splat(0.30901699437494745)
  const c2 = f32x4.splat(-0.8090169943749475)
  const s1 = f32x4.splat(0.9510565162951535)
  const s2 = f32x4.splat(0.5877852522924731)
  for (let p: usize = 0; p < groups; p++)
    for (let q: usize = 0; q < stride; q++) {
      const a = from + (q + stride * p) * complexBytes
      const b = a + leap
      const c = b + leap
      const d = c + leap
      const e = d + leap
      const aRe = v128.load(a)
      const aIm = v128.load(a, 16)
      const outerRe = f32x4.add(v128.load(b), v128.load(e))
      const outerIm = f32x4.add(v128.load(b, 16), v128.load(e, 16))
      const outerGapRe = f32x4.sub(v128.load(b), v128.load(e))
      const outerGapIm = f32x4.sub(v128.load(b, 16), v128.load(e, 16))
      const innerRe = f32x4.add(v128.load(c), v128.load(d))
      const innerIm = f32x4.add(v128.load(c, 16), v128.load(d, 16))
      const innerGapRe = f32x4.sub(v128.load(c), v128.load(d))
      const innerGapIm = f32x4.sub(v128.load(c, 16), v128.load(d, 16))
      const re1 = f32x4.add(aRe, f32x4.add(f32x4.mul(outerRe, c1), f32x4.mul(innerRe, c2)))
      const im1 = f32x4.add(aIm, f32x4.add(f32x4.mul(outerIm, c1), f32x4.mul(innerIm, c2)))
      const re2 = f32x4.add(aRe, f32x4.add(f32x4.mul(outerRe, c2), f32x4.mul(innerRe, c1)))
      const im2 = f32x4.add(aIm, f32x4.add(f32x4.mul(outerIm, c2), f32x4.mul(innerIm, c1)))
      const gapRe1 = f32x4.add(f32x4.mul(outerGapRe, s1), f32x4.mul(innerGapRe, s2))
      const gapIm1 = f32x4.add(f32x4.mul(outerGapIm, s1), f32x4.mul(innerGapIm, s2))
      const gapRe2 = f32x4.sub(f32x4.mul(outerGapRe, s2), f32x4.mul(innerGapRe, s1))
      const gapIm2 = f32x4.sub(f32x4.mul(outerGapIm, s2), f32x4.mul(innerGapIm, s1))
      const out = to + (q + stride * 5 * p) * complexBytes
      const root = p * stride
      put(out, f32x4.add(aRe, f32x4.add(outerRe, innerRe)), f32x4.add(aIm, f32x4.add(outerIm, innerIm)))
      putTurned(out + step, f32x4.add(re1, gapIm1), f32x4.sub(im1, gapRe1), root)
      putTurned(out + 2 * step, f32x4.add(re2, gapIm2), f32x4.sub(im2, gapRe2), 2 * root)
      putTurned(out + 3 * step, f32x4.sub(re2, gapIm2), f32x4.add(im2, gapRe2), 3 * root)
      putTurned(out + 4 * step, f32x4.sub(re1, gapIm1), f32x4.add(im1, gapRe1), 4 * root)
    }
}

/** The last pass: three transforms of 2, then two of 3, which need no roots because 2 and 3 have no common divisor. */
function pass6(from: usize, to: usize): void {
  const leap = (points / 6) * complexBytes
  for (let q: usize = 0; q < points / 6; q++) {
    const a = from + q * complexBytes
    const b = a + 2 * leap
    const c = a + 4 * leap
    const d = a + 3 * leap
    const e = a + 5 * leap
    const f = a + leap
    const out = to + q * complexBytes
    pass3(
      f32x4.add(v128.load(a), v128.load(d)),
      f32x4.add(v128.load(a, 16), v128.load(d, 16)),
      f32x4.add(v128.load(b), v128.load(e)),
      f32x4.add(v128.load(b, 16), v128.load(e, 16)),
      f32x4.add(v128.load(c), v128.load(f)),
      f32x4.add(v128.load(c, 16), v128.load(f, 16)),
      out,
      out + 4 * leap,
      out + 2 * leap,
    )
    pass3(
      f32x4.sub(v128.load(a), v128.load(d)),
      f32x4.sub(v128.load(a, 16), v128.load(d, 16)),
      f32x4.sub(v128.load(b), v128.load(e)),
      f32x4.sub(v128.load(b, 16), v128.load(e, 16)),
      f32x4.sub(v128.load(c), v128.load(f)),
      f32x4.sub(v128.load(c, 16), v128.load(f, 16)),
      out + 3 * leap,
      out + leap,
      out + 5 * leap,
    )
  }
}

function pass3(aRe: v128, aIm: v128, bRe: v128, bIm: v128, cRe: v128, cIm: v128, x: usize, y: usize, z: usize): void {
  const half = f32x4.splat(0.5)
  const root = f32x4.splat(0.8660254037844386)
  const sumRe = f32x4.add(bRe, cRe)
  const sumIm = f32x4.add(bIm, cIm)
  const gapRe = f32x4.mul(f32x4.sub(bRe, cRe), root)
  const gapIm = f32x4.mul(f32x4.sub(bIm, cIm), root)
  const re = f32x4.sub(aRe, f32x4.mul(sumRe, half))
  const im = f32x4.sub(aIm, f32x4.mul(sumIm, half))
  put(x, f32x4.add(aRe, sumRe), f32x4.add(aIm, sumIm))
  put(y, f32x4.add(re, gapIm), f32x4.sub(im, gapRe))
  put(z, f32x4.sub(re, gapIm), f32x4.add(im, gapRe))
}
