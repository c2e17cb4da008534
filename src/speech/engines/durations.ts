/** The durations of symbols as the graphs of StyleTTS 2 round them, and the speed that is left of the one asked for. */

/** Relative speed error below which stretching costs more than it corrects. */
const speedTolerance = 0.01

/** As the graphs do: the nearest whole number, of two the even one; at least 1. */
export function toUnits(duration: number): number {
  const rounded = Math.round(duration)
  return Math.max(1, rounded - duration === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded)
}

/** `found`: speed by the durations; returns `asked` for a difference that is not worth stretching. */
export function appliedSpeed(found: number, asked: number): number {
  return Math.abs(found / asked - 1) < speedTolerance ? asked : found
}
