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
