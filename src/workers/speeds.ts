/**
 * How long tasks take here, learned from those that were done. A task takes a fixed time and so much for each unit of
 * its size. A line is fitted to the latest tasks of each kind by least squares with weights that decay; until there are
 * enough of them, the line of the family (all voices of an engine) counts as well, and before that a prior.
 */

/** One task, or what one task brings, as far as its cost is concerned. */
export type Measure = {
  /** What is alike in cost, such as one voice. */
  readonly name: string
  /** What resembles it, such as the voices of one engine. */
  readonly family: string
  /** Characters, seconds or megabytes, by family. */
  readonly size: number
}

/** `fixed` for each task, `each` for each unit of size. */
export type Line = { readonly fixed: number; readonly each: number }

/** `typicalSize`: how long the tasks usually are that the line is for. */
export type Prior = Line & { readonly typicalSize: number }

/** Sums over what was learned, the latest with weight 1. */
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

/** The weight of what was learned halves every fourteen tasks. */
const decay = 0.95
/** Of the family's line, in samples at size 0 and at the typical size. */
const priorWeight = 0.3
/** One task that took longer than so many times the expected, such as one that was stopped meanwhile, moves no more. */
const outlierFactor = 4
/** From so many samples on outliers are recognized, and a speed is known. */
const samplesMin = 3
/** What was learned longer ago is no reason to refuse anything: the machine may be faster by now. */
const knownForMs = 300_000
const namesMax = 10_000

/** `priorOf`: what a family costs before anything was measured. `nowMs`: for tests. */
export function createSpeeds(priorOf: (family: string) => Prior, nowMs = () => performance.now()) {
  const fits = new Map<string, Fit>()
  const families = new Map<string, Fit>()

  function lineOfFamily(family: string): Line {
    const prior = priorOf(family)
    const fit = families.get(family)
    return fit ? solve(fit, prior, prior.typicalSize) : prior
  }

  function lineOf({ name, family }: Omit<Measure, 'size'>): Line {
    const line = lineOfFamily(family)
    const fit = fits.get(name)
    return fit ? solve(fit, line, priorOf(family).typicalSize) : line
  }

  function expected(measure: Measure): number {
    const { fixed, each } = lineOf(measure)
    return fixed + each * measure.size
  }

  function note(into: Map<string, Fit>, name: string, size: number, value: number): void {
    const fit = into.get(name) ?? { samples: 0, learnedAtMs: 0, weight: 0, x: 0, y: 0, xx: 0, xy: 0 }
    fit.samples++
    fit.learnedAtMs = nowMs()
    fit.weight = fit.weight * decay + 1
    fit.x = fit.x * decay + size
    fit.y = fit.y * decay + value
    fit.xx = fit.xx * decay + size * size
    fit.xy = fit.xy * decay + size * value
    // Again at the end, so that the first one is the one not learned for longest.
    into.delete(name)
    into.set(name, fit)
    if (into.size > namesMax) into.delete(into.keys().next().value!)
  }

  return {
    lineOf,

    /** Of that measure: milliseconds or seconds, by family. */
    expected,

    /** A task of that measure took, or brought, `value`. */
    learn(measure: Measure, value: number): void {
      const { name, family, size } = measure
      const isSettled = (fits.get(name)?.samples ?? 0) >= samplesMin
      const taken = isSettled ? Math.min(value, outlierFactor * expected(measure)) : value
      note(fits, name, size, taken)
      note(families, family, size, taken)
    },

    /** Whether it was measured often enough and lately, so that somebody may be refused because of it. */
    isKnown(name: string): boolean {
      const fit = fits.get(name)
      return fit !== undefined && fit.samples >= samplesMin && nowMs() - fit.learnedAtMs < knownForMs
    },
  }
}

/** The line of least squares through what was learned and, with little weight, two points of the line `before`. */
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
