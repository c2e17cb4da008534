/**
 * The fast Fourier transform of complex signals whose length has no prime factor above 5: Stockham's algorithm with
 * butterflies of 5, 4, 3 and 2 (C. Van Loan, "Computational Frameworks for the Fast Fourier Transform", SIAM 1992,
 * 1.7). It needs no reordering, and each pass reads and writes consecutive numbers.
 */

/** The forward transform in place, without scaling. */
export type ComplexFft = (re: Float64Array, im: Float64Array) => void

/** Butterflies of `radix` for each of `groups` groups and `stride` interleaved transforms. */
type Pass = {
  readonly radix: number
  readonly groups: number
  readonly stride: number
  /** `radix` − 1 twiddle factors for each group. */
  readonly cosines: Float64Array
  readonly sines: Float64Array
}

type RunPass = (pass: Pass, re: Float64Array, im: Float64Array, toRe: Float64Array, toIm: Float64Array) => void

const runPass: Readonly<Record<number, RunPass>> = { 2: runPass2, 3: runPass3, 4: runPass4, 5: runPass5 }
const radices = [5, 4, 3, 2]

/** Returns undefined when `size` has a prime factor above 5. Calls share one buffer and must not nest. */
export function createComplexFft(size: number): ComplexFft | undefined {
  const passes = planPasses(size)
  if (!passes) return undefined
  const spareRe = new Float64Array(size)
  const spareIm = new Float64Array(size)
  return (re, im) => {
    let isSpare = false
    for (const pass of passes) {
      if (isSpare) runPass[pass.radix]!(pass, spareRe, spareIm, re, im)
      else runPass[pass.radix]!(pass, re, im, spareRe, spareIm)
      isSpare = !isSpare
    }
    if (!isSpare) return
    re.set(spareRe)
    im.set(spareIm)
  }
}

function planPasses(size: number): Pass[] | undefined {
  const passes: Pass[] = []
  let length = size
  for (let stride = 1; length > 1;) {
    const radix = radices.find((factor) => length % factor === 0)
    if (radix === undefined) return undefined
    const groups = length / radix
    const cosines = new Float64Array(groups * (radix - 1))
    const sines = new Float64Array(groups * (radix - 1))
    for (let at = 0; at < cosines.length; at++) {
      const turn = Math.floor(at / (radix - 1)) * ((at % (radix - 1)) + 1)
      cosines[at] = Math.cos((2 * Math.PI * turn) / length)
      sines[at] = -Math.sin((2 * Math.PI * turn) / length)
    }
    passes.push({ radix, groups, stride, cosines, sines })
    length = groups
    stride *= radix
  }
  return passes
}

function runPass2(pass: Pass, re: Float64Array, im: Float64Array, toRe: Float64Array, toIm: Float64Array): void {
  const { groups, stride, cosines, sines } = pass
  const far = groups * stride
  for (let group = 0; group < groups; group++) {
    const c = cosines[group]!
    const s = sines[group]!
    for (let at = group * stride, end = at + stride, to = 2 * at; at < end; at++, to++) {
      const re1 = re[at]! - re[at + far]!
      const im1 = im[at]! - im[at + far]!
      toRe[to] = re[at]! + re[at + far]!
      toIm[to] = im[at]! + im[at + far]!
      toRe[to + stride] = re1 * c - im1 * s
      toIm[to + stride] = re1 * s + im1 * c
    }
  }
}

const sin60 = Math.sin(Math.PI / 3)

function runPass3(pass: Pass, re: Float64Array, im: Float64Array, toRe: Float64Array, toIm: Float64Array): void {
  const { groups, stride, cosines, sines } = pass
  const far = groups * stride
  for (let group = 0; group < groups; group++) {
    const c1 = cosines[2 * group]!
    const s1 = sines[2 * group]!
    const c2 = cosines[2 * group + 1]!
    const s2 = sines[2 * group + 1]!
    for (let at = group * stride, end = at + stride, to = 3 * at; at < end; at++, to++) {
      const sumRe = re[at + far]! + re[at + 2 * far]!
      const sumIm = im[at + far]! + im[at + 2 * far]!
      const turnedRe = sin60 * (im[at + far]! - im[at + 2 * far]!)
      const turnedIm = sin60 * (re[at + 2 * far]! - re[at + far]!)
      const middleRe = re[at]! - sumRe / 2
      const middleIm = im[at]! - sumIm / 2
      toRe[to] = re[at]! + sumRe
      toIm[to] = im[at]! + sumIm
      const re1 = middleRe + turnedRe
      const im1 = middleIm + turnedIm
      const re2 = middleRe - turnedRe
      const im2 = middleIm - turnedIm
      toRe[to + stride] = re1 * c1 - im1 * s1
      toIm[to + stride] = re1 * s1 + im1 * c1
      toRe[to + 2 * stride] = re2 * c2 - im2 * s2
      toIm[to + 2 * stride] = re2 * s2 + im2 * c2
    }
  }
}

function runPass4(pass: Pass, re: Float64Array, im: Float64Array, toRe: Float64Array, toIm: Float64Array): void {
  const { groups, stride, cosines, sines } = pass
  const far = groups * stride
  for (let group = 0; group < groups; group++) {
    const c1 = cosines[3 * group]!
    const s1 = sines[3 * group]!
    const c2 = cosines[3 * group + 1]!
    const s2 = sines[3 * group + 1]!
    const c3 = cosines[3 * group + 2]!
    const s3 = sines[3 * group + 2]!
    for (let at = group * stride, end = at + stride, to = 4 * at; at < end; at++, to++) {
      const evenSumRe = re[at]! + re[at + 2 * far]!
      const evenSumIm = im[at]! + im[at + 2 * far]!
      const evenRe = re[at]! - re[at + 2 * far]!
      const evenIm = im[at]! - im[at + 2 * far]!
      const oddSumRe = re[at + far]! + re[at + 3 * far]!
      const oddSumIm = im[at + far]! + im[at + 3 * far]!
      const oddRe = re[at + far]! - re[at + 3 * far]!
      const oddIm = im[at + far]! - im[at + 3 * far]!
      toRe[to] = evenSumRe + oddSumRe
      toIm[to] = evenSumIm + oddSumIm
      const re1 = evenRe + oddIm
      const im1 = evenIm - oddRe
      const re2 = evenSumRe - oddSumRe
      const im2 = evenSumIm - oddSumIm
      const re3 = evenRe - oddIm
      const im3 = evenIm + oddRe
      toRe[to + stride] = re1 * c1 - im1 * s1
      toIm[to + stride] = re1 * s1 + im1 * c1
      toRe[to + 2 * stride] = re2 * c2 - im2 * s2
      toIm[to + 2 * stride] = re2 * s2 + im2 * c2
      toRe[to + 3 * stride] = re3 * c3 - im3 * s3
      toIm[to + 3 * stride] = re3 * s3 + im3 * c3
    }
  }
}

const cos72 = Math.cos((2 * Math.PI) / 5)
const cos144 = Math.cos((4 * Math.PI) / 5)
const sin72 = Math.sin((2 * Math.PI) / 5)
const sin144 = Math.sin((4 * Math.PI) / 5)

function runPass5(pass: Pass, re: Float64Array, im: Float64Array, toRe: Float64Array, toIm: Float64Array): void {
  const { groups, stride, cosines, sines } = pass
  const far = groups * stride
  for (let group = 0; group < groups; group++) {
    const twiddle = 4 * group
    for (let at = group * stride, end = at + stride, to = 5 * at; at < end; at++, to++) {
      const sum1Re = re[at + far]! + re[at + 4 * far]!
      const sum1Im = im[at + far]! + im[at + 4 * far]!
      const difference1Re = re[at + far]! - re[at + 4 * far]!
      const difference1Im = im[at + far]! - im[at + 4 * far]!
      const sum2Re = re[at + 2 * far]! + re[at + 3 * far]!
      const sum2Im = im[at + 2 * far]! + im[at + 3 * far]!
      const difference2Re = re[at + 2 * far]! - re[at + 3 * far]!
      const difference2Im = im[at + 2 * far]! - im[at + 3 * far]!
      toRe[to] = re[at]! + sum1Re + sum2Re
      toIm[to] = im[at]! + sum1Im + sum2Im
      const middle1Re = re[at]! + cos72 * sum1Re + cos144 * sum2Re
      const middle1Im = im[at]! + cos72 * sum1Im + cos144 * sum2Im
      const middle2Re = re[at]! + cos144 * sum1Re + cos72 * sum2Re
      const middle2Im = im[at]! + cos144 * sum1Im + cos72 * sum2Im
      const turned1Re = sin72 * difference1Im + sin144 * difference2Im
      const turned1Im = sin72 * difference1Re + sin144 * difference2Re
      const turned2Re = sin144 * difference1Im - sin72 * difference2Im
      const turned2Im = sin144 * difference1Re - sin72 * difference2Re
      const re1 = middle1Re + turned1Re
      const im1 = middle1Im - turned1Im
      const re2 = middle2Re + turned2Re
      const im2 = middle2Im - turned2Im
      const re3 = middle2Re - turned2Re
      const im3 = middle2Im + turned2Im
      const re4 = middle1Re - turned1Re
      const im4 = middle1Im + turned1Im
      toRe[to + stride] = re1 * cosines[twiddle]! - im1 * sines[twiddle]!
      toIm[to + stride] = re1 * sines[twiddle]! + im1 * cosines[twiddle]!
      toRe[to + 2 * stride] = re2 * cosines[twiddle + 1]! - im2 * sines[twiddle + 1]!
      toIm[to + 2 * stride] = re2 * sines[twiddle + 1]! + im2 * cosines[twiddle + 1]!
      toRe[to + 3 * stride] = re3 * cosines[twiddle + 2]! - im3 * sines[twiddle + 2]!
      toIm[to + 3 * stride] = re3 * sines[twiddle + 2]! + im3 * cosines[twiddle + 2]!
      toRe[to + 4 * stride] = re4 * cosines[twiddle + 3]! - im4 * sines[twiddle + 3]!
      toIm[to + 4 * stride] = re4 * sines[twiddle + 3]! + im4 * cosines[twiddle + 3]!
    }
  }
}
