/**
 * Collects the garbage of a worker process explicitly. The collector alone lets the process grow to twice the memory
 * that it needs.
 */

/** Resident memory above which a busy worker collects garbage. An idle worker always does. */
const busyBytesMax = 110e6
/** Resident memory that a worker with a loaded model may add before it collects. */
const loadedGrowthMaxBytes = 60e6
const collectEveryMs = 1_000
const restMs = 300

export function createGarbageCollector() {
  let collectAboveBytes = busyBytesMax
  let collectedAtMs = 0
  let rest: NodeJS.Timeout | undefined

  return {
    /** Call it after each task. */
    collect(): void {
      clearTimeout(rest)
      rest = setTimeout(() => Bun.gc(true), restMs)
      if (performance.now() - collectedAtMs < collectEveryMs || process.memoryUsage.rss() < collectAboveBytes) return
      Bun.gc(true)
      collectedAtMs = performance.now()
    },

    /** Allows for a model that was just loaded. */
    allowModel(): void {
      collectAboveBytes = Math.max(collectAboveBytes, process.memoryUsage.rss() + loadedGrowthMaxBytes)
    },
  }
}
