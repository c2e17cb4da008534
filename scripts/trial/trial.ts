/** A trial attacks the running executable from outside and reports its findings. */

export type TrialOptions = {
  /** `short` is part of `bun run check`; `full` is for releases. */
  readonly size: 'short' | 'full'
  /** All random choices depend on it, so that a finding can be repeated. */
  readonly seed: number
}

export type TrialResult = {
  /** Requests, files or sentences that were tried. */
  readonly tried: number
  /** One line each; empty when all checks held. */
  readonly findings: readonly string[]
}

export type Trial = (options: TrialOptions) => Promise<TrialResult>

/** Collects findings, at most so many of them in full: a thousand equal lines do not help. */
export function createFindings(linesMax = 40) {
  const lines: string[] = []
  let tried = 0
  return {
    try(): void {
      tried++
    },
    add(line: string): void {
      if (lines.length < linesMax) lines.push(line)
      else if (lines.length === linesMax) lines.push('… and more')
    },
    result: (): TrialResult => ({ tried, findings: lines }),
  }
}

export type Findings = ReturnType<typeof createFindings>

/** A seeded source of numbers (mulberry32, Tommy Ettinger 2017): 0 ≤ x < 1. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    /** A whole number, 0 to `below` − 1. */
    below: (below: number): number => Math.floor(next() * below),
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!,
    bytes: (length: number): Uint8Array => Uint8Array.from({ length }, () => Math.floor(next() * 256)),
  }
}

export type Random = ReturnType<typeof createRandom>
