/**
 * The deadline of one operation. It is set where the operation begins and handed down, so that every wait inside lies
 * under the same clock: body, download, queue, worker, answer.
 */

export type Deadline = {
  /** By `performance.now()`. */
  readonly endAtMs: number
  /** 0 once the time is up. */
  remainingMs(): number
  /** Aborted when the time is up. It holds a timer until then, so take it only where something has to be stopped. */
  readonly signal: AbortSignal
}

/** Ends `timeoutMs` after `startedAtMs` (by `performance.now()`; now unless given). */
export function startDeadline(timeoutMs: number, startedAtMs = performance.now()): Deadline {
  return endingAt(startedAtMs + timeoutMs)
}

/** A part of the operation may take `timeoutMs` from now, and no longer than the whole. */
export function shorten(whole: Deadline, timeoutMs: number): Deadline {
  return endingAt(Math.min(whole.endAtMs, performance.now() + timeoutMs))
}

/** As `deadline`, but it ends `byMs` later. */
export function lengthen(deadline: Deadline, byMs: number): Deadline {
  return endingAt(deadline.endAtMs + byMs)
}

/**
 * Waits for `work` until the deadline, then throws `late()`. The work itself is not stopped: what it throws later is
 * dropped, and the caller must stop it.
 */
export async function runWithin<T>(deadline: Deadline, work: Promise<T>, late: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), deadline.remainingMs())
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

function endingAt(endAtMs: number): Deadline {
  let signal: AbortSignal | undefined
  const remainingMs = () => Math.max(0, endAtMs - performance.now())
  return {
    endAtMs,
    remainingMs,
    get signal() {
      return (signal ??= AbortSignal.timeout(Math.ceil(remainingMs())))
    },
  }
}
