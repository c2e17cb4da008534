/**
 * Learns how long tasks take on this machine. A task takes a fixed time plus a time per unit of its size. A line is
 * fitted to the latest tasks of each name by least squares with decaying weights. While there are few samples, the line
 * that a probe measured counts as well; without one the line of the family (all voices of an engine), and before that a
 * prior.
 */

/** The cost of one task, or the amount of audio it yields. */
export type Measure = {
  /** Tasks of the same cost, such as those of one voice. */
  readonly name: string
  /** Tasks of similar cost, such as those of all voices of one engine. */
  readonly family: string
  /** Characters, seconds or megabytes, by family. */
  readonly size: number
  /** Line of this name before its tasks were timed, measured by a probe; undefined: the line of the family. */
  readonly prior?: Line
}

/** `fixed` per task, `each` per unit of size. */
export type Line = { readonly fixed: number; readonly each: number }

/** `typicalSize`: the usual size of the family's tasks. */
export type Prior = Line & { readonly typicalSize: number }

/** Weighted sums over the samples; the latest sample has weight 1. */
type Fit = {
  samples: number
  learnedAtMs: number
  weight: number
  x: number
  y: number
  xx: number
  xy: number
}

export type Speeds = ReturnType<typeof createSpeeds>

/** The weight of a sample halves every fourteen tasks. */
const decay = 0.95
/** Weight of the family's line, in samples at size 0 and at the typical size. */
const priorWeight = 0.3
/** A sample counts as at most this many times the expected time; its process may have been stopped meanwhile. */
const outlierFactor = 4
/** Samples needed to recognize outliers and to call a speed known. */
const samplesMin = 3
/** Older samples are no reason to refuse a request, because the machine may be faster by now. */
const knownForMs = 300_000
/** Weight that such samples keep together, so that few new ones correct them. */
const staleWeight = 2
const namesMax = 10_000

/** `priorOf`: the cost of a family before any measurement. Tests replace `nowMs`. */
export function createSpeeds(priorOf: (family: string) => Prior, nowMs = () => performance.now()) {
  const fits = new Map<string, Fit>()
  const families = new Map<string, Fit>()

  function lineOfFamily(family: string): Line {
    const prior = priorOf(family)
    const fit = families.get(family)
    return fit ? solve(fit, prior, prior.typicalSize) : prior
  }

  function lineOf({ name, family, prior }: Omit<Measure, 'size'>): Line {
    const line = prior ?? lineOfFamily(family)
    const fit = fits.get(name)
    return fit ? solve(fit, line, priorOf(family).typicalSize) : line
  }

  function expected(measure: Measure): number {
    const { fixed, each } = lineOf(measure)
    return fixed + each * measure.size
  }

  function note(into: Map<string, Fit>, name: string, size: number, value: number): void {
    const fit = into.get(name) ?? { samples: 0, learnedAtMs: 0, weight: 0, x: 0, y: 0, xx: 0, xy: 0 }
    if (nowMs() - fit.learnedAtMs >= knownForMs && fit.weight > staleWeight) age(fit, staleWeight / fit.weight)
    fit.samples++
    fit.learnedAtMs = nowMs()
    fit.weight = fit.weight * decay + 1
    fit.x = fit.x * decay + size
    fit.y = fit.y * decay + value
    fit.xx = fit.xx * decay + size * size
    fit.xy = fit.xy * decay + size * value
    // Move it to the end, so that the first entry is the least recently learned.
    into.delete(name)
    into.set(name, fit)
    if (into.size > namesMax) into.delete(into.keys().next().value!)
  }

  return {
    lineOf,

    /** Expected milliseconds, or seconds of audio, by family. */
    expected,

    /** A task of this measure took, or yielded, `value`. */
    learn(measure: Measure, value: number): void {
      const { name, family, size } = measure
      const isSettled = (fits.get(name)?.samples ?? 0) >= samplesMin
      const taken = isSettled ? Math.min(value, outlierFactor * expected(measure)) : value
      note(fits, name, size, taken)
      note(families, family, size, taken)
    },

    /** Whether any task of that name was timed. */
    isTimed: (name: string): boolean => fits.has(name),

    /** Whether it was measured often and recently enough to refuse a request because of it. */
    isKnown(name: string): boolean {
      const fit = fits.get(name)
      return fit !== undefined && fit.samples >= samplesMin && nowMs() - fit.learnedAtMs < knownForMs
    },
  }
}

function age(fit: Fit, factor: number): void {
  for (const sum of ['weight', 'x', 'y', 'xx', 'xy'] as const) fit[sum] *= factor
}

/** Least-squares line through the samples and, with little weight, two points of the line `before`. */
function solve(fit: Fit, before: Line, typicalSize: number): Line {
  const atTypical = before.fixed + before.each * typicalSize
  const n = fit.weight + 2 * priorWeight
  const x = fit.x + priorWeight * typicalSize
  const y = fit.y + priorWeight * (before.fixed + atTypical)
  const xx = fit.xx + priorWeight * typicalSize * typicalSize
  const xy = fit.xy + priorWeight * typicalSize * atTypical
  const each = (n * xy - x * y) / (n * xx - x * x)
  const fixed = (y - each * x) / n
  if (each < 0) return { fixed: y / n, each: 0 }
  if (fixed < 0) return { fixed: 0, each: xy / xx }
  return { fixed, each }
}
