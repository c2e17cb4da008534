/** Elementary functions of four numbers at a time, with errors near those of 32-bit numbers. NaN gives NaN. */

/** Added to a number below 2²², it leaves the nearest whole number in the lowest bits. */
const rounder: f32 = 12582912

/** The nearest whole numbers, in the lowest bits of the result. */
export function round(x: v128): v128 {
  return f32x4.add(x, f32x4.splat(rounder))
}

/** The numbers that `round` found. */
export function wholeOf(rounded: v128): v128 {
  return f32x4.sub(rounded, f32x4.splat(rounder))
}

function multiplyAdd(a: v128, b: v128, c: f32): v128 {
  return f32x4.add(f32x4.mul(a, b), f32x4.splat(c))
}

const exponentMin: f32 = -80

/**
 * e^`x` for `x` up to 88; 0 below −80. Powers of 2 times a polynomial; its coefficients and those of the sines are from
 * Moshier's Cephes library (https://www.netlib.org/cephes).
 */
export function exp(x: v128): v128 {
  const limited = f32x4.pmax(x, f32x4.splat(exponentMin))
  const rounded = round(f32x4.mul(limited, f32x4.splat(1.4426950408889634)))
  const whole = wholeOf(rounded)
  // ln 2 in two parts, the first of which has few bits.
  let rest = f32x4.sub(limited, f32x4.mul(whole, f32x4.splat(0.693359375)))
  rest = f32x4.add(rest, f32x4.mul(whole, f32x4.splat(2.1219444e-4)))
  let sum = multiplyAdd(f32x4.splat(1.98756915e-4), rest, 1.3981999507e-3)
  sum = multiplyAdd(sum, rest, 8.3334519073e-3)
  sum = multiplyAdd(sum, rest, 4.1665795894e-2)
  sum = multiplyAdd(sum, rest, 1.6666665459e-1)
  sum = multiplyAdd(sum, rest, 5.0000001201e-1)
  sum = f32x4.add(f32x4.add(f32x4.mul(sum, f32x4.mul(rest, rest)), rest), f32x4.splat(1))
  const power = i32x4.add(i32x4.shl(rounded, 23), i32x4.splat(127 << 23))
  return v128.andnot(f32x4.mul(sum, power), f32x4.lt(x, f32x4.splat(exponentMin)))
}

/** The hyperbolic tangent. */
export function tanh(x: v128): v128 {
  const power = exp(f32x4.pmin(f32x4.add(x, x), f32x4.splat(40)))
  return f32x4.sub(f32x4.splat(1), f32x4.div(f32x4.splat(2), f32x4.add(power, f32x4.splat(1))))
}

/** sin `x` for `x` in [−π/4, π/4]. `square`: of `x`. */
export function smallSine(x: v128, square: v128): v128 {
  let sum = multiplyAdd(f32x4.splat(-1.9515295891e-4), square, 8.3321608736e-3)
  sum = multiplyAdd(sum, square, -1.6666654611e-1)
  return f32x4.add(f32x4.mul(f32x4.mul(sum, square), x), x)
}

/** cos x for x in [−π/4, π/4]. `square`: of x. */
export function smallCosine(square: v128): v128 {
  let sum = multiplyAdd(f32x4.splat(2.443315711809948e-5), square, -1.388731625493765e-3)
  sum = multiplyAdd(sum, square, 4.166664568298827e-2)
  const parabola = f32x4.sub(f32x4.splat(1), f32x4.mul(square, f32x4.splat(0.5)))
  return f32x4.add(f32x4.mul(f32x4.mul(sum, square), square), parabola)
}

/** The sine of an angle of whole quarters of a turn, as `round` gives them, and a rest with these sines and cosines. */
export function sineOf(sine: v128, cosine: v128, quarters: v128): v128 {
  const isOdd = i32x4.shr_s(i32x4.shl(quarters, 31), 31)
  const sign = i32x4.shl(i32x4.shr_u(quarters, 1), 31)
  return v128.xor(v128.bitselect(cosine, sine, isOdd), sign)
}

/** The cosine of the same angle. */
export function cosineOf(sine: v128, cosine: v128, quarters: v128): v128 {
  return sineOf(sine, cosine, i32x4.add(quarters, i32x4.splat(1)))
}
