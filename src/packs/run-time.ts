/**
 * Times runs of a model on a machine that may be busy. The time of a run is its time on the clock, but no more than its
 * processor time: a process that waits for a core uses none. With one thread this is exact. With more threads a busy
 * machine may make the result too long by their number at most; the requests measure the speed again.
 */

export type RunClock = {
  /** Time on the clock. */
  readonly wallMs: () => number
  /** Processor time of this process, of all its threads. */
  readonly cpuMs: () => number
}

const processClock: RunClock = {
  wallMs: () => performance.now(),
  cpuMs() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
}

/** Further runs are timed until they took this long together. */
const enoughMs = 1_000
const runsMax = 3

/** Runs `run` one to three times. Returns the result of the last run and the time of the fastest one. */
export async function timeRuns<T>(
  run: () => Promise<T>,
  clock: RunClock = processClock,
): Promise<{ readonly result: T; readonly ms: number }> {
  let fastestMs = Infinity
  let togetherMs = 0
  for (let count = 1; ; count++) {
    const [wallMs, cpuMs] = [clock.wallMs(), clock.cpuMs()]
    const result = await run()
    const tookMs = clock.wallMs() - wallMs
    fastestMs = Math.min(fastestMs, tookMs, clock.cpuMs() - cpuMs)
    togetherMs += tookMs
    if (count === runsMax || togetherMs >= enoughMs) return { result, ms: fastestMs }
  }
}
