/**
 * The pulse train of voiced speech: at each sample the sum of all harmonics of the fundamental frequency up to a cutoff,
 * with equal amplitude. The closed form of that sum is Dirichlet's kernel. Phases are 64-bit numbers of turns.
 */
import { round, sineOf, smallCosine, smallSine, wholeOf } from './functions'

/** The samples of a frame, and room for two more. */
export const pulses: usize = memory.data(302 * 4, 16)

const sampleRate: f64 = 24_000
const hop: f64 = 300
/** Samples on either side of the center of a frame. */
const halfHop: usize = 150
/** Lower frequencies count as unvoiced. */
const voicedAboveHz: f64 = 40
const cutoffHz: f64 = 11_000
/** Denominators of the closed form at or below this value give its limit. */
const limitBelow: f32 = 2e-3

let turns: f64 = 0

export function resetPulses(): void {
  turns = 0
}

/**
 * Writes the pulses of a frame. The fundamental frequency is interpolated linearly between the centers of the frame and
 * its neighbours; 0 Hz where unvoiced.
 */
export function writePulses(beforeHz: f64, hereHz: f64, afterHz: f64): void {
  if (beforeHz > voicedAboveHz || hereHz > voicedAboveHz || afterHz > voicedAboveHz) {
    writeHalf(0, hereHz, hereHz - beforeHz)
    writeHalf(halfHop, hereHz, afterHz - hereHz)
  } else {
    turns += (hop * voicedAboveHz) / sampleRate
    memory.fill(pulses, 0, 2 * halfHop * 4)
  }
}

/** Writes `halfHop` samples, rounded up to whole vectors. `hereHz`: at the center; `slopeHz`: per frame. */
function writeHalf(first: usize, hereHz: f64, slopeHz: f64): void {
  const half = f64x2.splat(0.5)
  for (let i = first; i < first + halfHop; i += 4) {
    const low = hzAt(i, hereHz, slopeHz)
    const high = hzAt(i + 2, hereHz, slopeHz)
    const lowSum = f64x2.add(f64x2.splat(turns), sumsOf(stepsOf(low)))
    const highSum = f64x2.add(v128.shuffle<f64>(lowSum, lowSum, 1, 1), sumsOf(stepsOf(high)))
    const lowTurns = centered(lowSum)
    const highTurns = centered(highSum)
    turns = f64x2.extract_lane(i + 2 === first + halfHop ? lowTurns : highTurns, 1)
    const lowCount = f64x2.floor(f64x2.div(f64x2.splat(cutoffHz), low))
    const highCount = f64x2.floor(f64x2.div(f64x2.splat(cutoffHz), high))
    const above = join(
      centered(f64x2.mul(f64x2.add(lowCount, half), lowTurns)),
      centered(f64x2.mul(f64x2.add(highCount, half), highTurns)),
    )
    const denominator = f32x4.mul(sineOfTurns(f32x4.mul(join(lowTurns, highTurns), f32x4.splat(0.5))), f32x4.splat(2))
    const closed = f32x4.sub(f32x4.div(sineOfTurns(above), denominator), f32x4.splat(0.5))
    const isLimit = f32x4.le(f32x4.abs(denominator), f32x4.splat(limitBelow))
    const sums = v128.bitselect(join(lowCount, highCount), closed, isLimit)
    v128.store(pulses + i * 4, v128.and(sums, v128.shuffle<u32>(isVoiced(low), isVoiced(high), 0, 2, 4, 6)))
  }
}

/** The frequencies of sample `i` of the frame and the next one. */
function hzAt(i: usize, hereHz: f64, slopeHz: f64): v128 {
  const places = f64x2.div(f64x2(<f64>i + 0.5, <f64>i + 1.5), f64x2.splat(hop))
  const fromCenter = f64x2.sub(places, f64x2.splat(0.5))
  return f64x2.add(f64x2.splat(hereHz), f64x2.mul(fromCenter, f64x2.splat(slopeHz)))
}

function isVoiced(hz: v128): v128 {
  return f64x2.gt(hz, f64x2.splat(voicedAboveHz))
}

/** Turns of a sample. The phase goes on through unvoiced speech. */
function stepsOf(hz: v128): v128 {
  const usedHz = v128.bitselect(hz, f64x2.splat(voicedAboveHz), isVoiced(hz))
  return f64x2.mul(usedHz, f64x2.splat(1 / sampleRate))
}

/** The first number, and the sum of both. */
function sumsOf(steps: v128): v128 {
  return f64x2.add(steps, v128.shuffle<f64>(f64x2.splat(0), steps, 0, 2))
}

/** The same angles within half a turn of 0. */
function centered(angles: v128): v128 {
  return f64x2.sub(angles, f64x2.nearest(angles))
}

function join(low: v128, high: v128): v128 {
  return v128.shuffle<u64>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 2)
}

/** sin(2π · `angles`). */
function sineOfTurns(angles: v128): v128 {
  const quarters = round(f32x4.mul(angles, f32x4.splat(4)))
  const rest = f32x4.sub(angles, f32x4.mul(wholeOf(quarters), f32x4.splat(0.25)))
  const radians = f32x4.mul(rest, f32x4.splat(6.283185307179586))
  const square = f32x4.mul(radians, radians)
  return sineOf(smallSine(radians, square), smallCosine(square), quarters)
}
