/**
 * Rate limits over a true sliding window: a log of each subject's counted calls, in memory. Written here because the
 * usual packages are not exact: `rate-limiter-flexible` 11.4.0 and `express-rate-limit` 8.7.4 count fixed windows in
 * memory (a limit of 60 a minute let 119 calls through within two seconds). `rolling-rate-limiter` 0.4.2 does keep a
 * log, but counts refused calls too, so that a retrying client stays locked out, and has one limit for all subjects.
 */

export type Verdict = {
  readonly allowed: boolean
  readonly limit: number
  /** Calls that are still allowed now. */
  readonly remaining: number
  /** Until one more call is allowed; 0 when nothing is counted. */
  readonly resetSeconds: number
  /** At least 1 when refused, 0 when allowed. A call after this time succeeds if no other was counted. */
  readonly retryAfterSeconds: number
}

export type Window = ReturnType<typeof createWindow>

/** One subject's counted calls, oldest first, in a ring buffer; and its links in the list by last counted call. */
type Log = {
  readonly subject: string
  stampsMs: Float64Array
  first: number
  count: number
  newestMs: number
  older: Log
  newer: Log
}

const firstCapacity = 8
/** A counted call adds at most one subject, so dropping two per call keeps expired subjects from piling up. */
const forgottenPerCall = 2

/**
 * A stamp exactly `windowMs` old has expired. Remembers at most `subjectsMax` subjects; drops the one with the oldest
 * last counted call first. `nowMs` must be monotonic.
 */
export function createWindow({
  windowMs,
  subjectsMax,
  nowMs = () => performance.now(),
}: {
  windowMs: number
  subjectsMax: number
  nowMs?: () => number
}) {
  const logs = new Map<string, Log>()
  // Sentinel of the circular list of logs: its `newer` is the oldest log, its `older` the newest.
  const ends = createLog('', 0)

  const hasLeft = (stampMs: number, now: number) => stampMs + windowMs <= now

  function dropLeft(log: Log, now: number): void {
    const { stampsMs } = log
    while (log.count > 0 && hasLeft(stampsMs[log.first]!, now)) {
      log.first = log.first + 1 === stampsMs.length ? 0 : log.first + 1
      log.count--
    }
  }

  function secondsUntilLeft(stampMs: number, now: number): number {
    const seconds = Math.floor((stampMs + windowMs - now) / 1000)
    // `ceil` may be a second off after rounding; test the time of the retry itself.
    return hasLeft(stampMs, now + seconds * 1000) ? seconds : seconds + 1
  }

  function verdict(log: Log | undefined, limit: number, allowed: boolean, now: number): Verdict {
    const count = log?.count ?? 0
    // After a lowered limit the oldest call's expiry frees nothing yet.
    const resetSeconds = log && count > 0 ? secondsUntilLeft(stampAt(log, Math.max(0, count - limit)), now) : 0
    const remaining = Math.max(0, limit - count)
    return { allowed, limit, remaining, resetSeconds, retryAfterSeconds: allowed ? 0 : resetSeconds }
  }

  function forget(log: Log): void {
    unlink(log)
    // A reference from an old log would keep all logs dropped after it alive.
    log.older = log
    log.newer = log
    logs.delete(log.subject)
  }

  function remember(subject: string, limit: number): Log {
    if (logs.size >= subjectsMax) forget(ends.newer)
    const log = createLog(subject, Math.min(limit, firstCapacity))
    logs.set(subject, log)
    return log
  }

  function forgetLeft(now: number): void {
    for (let i = 0; i < forgottenPerCall && hasLeft(ends.newer.newestMs, now); i++) forget(ends.newer)
  }

  return {
    /** Counts the call if it is allowed. `limit`: calls per window, at least 1. */
    take(subject: string, limit: number): Verdict {
      const now = nowMs()
      const known = logs.get(subject)
      if (known) {
        dropLeft(known, now)
        if (known.count >= limit) return verdict(known, limit, false, now)
      }
      const log = known ?? remember(subject, limit)
      append(log, now, limit)
      unlink(log)
      linkBefore(ends, log)
      forgetLeft(now)
      return verdict(log, limit, true, now)
    },

    /** Whether a call now would be allowed. Counts nothing. */
    peek(subject: string, limit: number): Verdict {
      const now = nowMs()
      const log = logs.get(subject)
      if (log) dropLeft(log, now)
      return verdict(log, limit, !log || log.count < limit, now)
    },
  }
}

function createLog(subject: string, capacity: number): Log {
  const stampsMs = new Float64Array(capacity)
  const log = { subject, stampsMs, first: 0, count: 0, newestMs: 0 } as Log
  log.older = log
  log.newer = log
  return log
}

function unlink(log: Log): void {
  log.older.newer = log.newer
  log.newer.older = log.older
}

function linkBefore(next: Log, log: Log): void {
  log.older = next.older
  log.newer = next
  next.older.newer = log
  next.older = log
}

function stampAt({ stampsMs, first }: Log, index: number): number {
  const at = first + index
  return stampsMs[at < stampsMs.length ? at : at - stampsMs.length]!
}

/** Expects fewer than `limit` stamps; never allocates room for more. */
function append(log: Log, stampMs: number, limit: number): void {
  if (log.count === log.stampsMs.length || log.stampsMs.length > limit)
    resize(log, Math.min(limit, Math.max(firstCapacity, log.count * 2)))
  const at = log.first + log.count
  log.stampsMs[at < log.stampsMs.length ? at : at - log.stampsMs.length] = stampMs
  log.count++
  log.newestMs = stampMs
}

function resize(log: Log, capacity: number): void {
  const stampsMs = new Float64Array(capacity)
  for (let i = 0; i < log.count; i++) stampsMs[i] = stampAt(log, i)
  log.stampsMs = stampsMs
  log.first = 0
}
