/**
 * Decides which download runs next. A key may run at most as many downloads as there are free places, and queue at most
 * as many as there are free queue places (dynamic thresholds, Choudhury and Hahne 1998). So one busy key gets half of
 * the places, several get more together, and a place stays free for the next key. The key that has waited longest since
 * it came or last had a turn goes first.
 */
import { AppError } from '../../errors'

export type Turns = ReturnType<typeof createTurns>

type Waiting = { readonly key: string; readonly cameAt: number; start(): void }

/** Assumed duration of a download until one has ended. */
const firstDurationMs = 2_000
/** Weight of the last download in the average. */
const lastWeight = 0.1

export function createTurns({ runningMax, waitingMax }: { runningMax: number; waitingMax: number }) {
  const running = new Map<string, number>()
  const waiting = new Set<Waiting>()
  /** `clock` at the last turn of each key with running or waiting downloads. */
  const lastTurns = new Map<string, number>()
  let clock = 0
  let runningTotal = 0
  let durationMs = firstDurationMs

  const runningOf = (key: string) => running.get(key) ?? 0
  const mayRun = (key: string) => runningOf(key) < runningMax - runningTotal

  function mayWait(key: string): boolean {
    const own = [...waiting].filter((one) => one.key === key).length
    return own < waitingMax - waiting.size
  }

  function begin(key: string): () => void {
    const startedAtMs = performance.now()
    running.set(key, runningOf(key) + 1)
    lastTurns.set(key, clock++)
    runningTotal++
    return () => {
      durationMs += lastWeight * (performance.now() - startedAtMs - durationMs)
      runningTotal--
      if (runningOf(key) === 1) running.delete(key)
      else running.set(key, runningOf(key) - 1)
      startNext()
      forget(key)
    }
  }

  function forget(key: string): void {
    if (!running.has(key) && ![...waiting].some((one) => one.key === key)) lastTurns.delete(key)
  }

  const waitsSince = ({ key, cameAt }: Waiting) => Math.max(cameAt, lastTurns.get(key) ?? 0)

  function startNext(): void {
    for (;;) {
      let next: Waiting | undefined
      for (const one of waiting) if (mayRun(one.key) && (!next || waitsSince(one) < waitsSince(next))) next = one
      if (!next) return
      waiting.delete(next)
      next.start()
    }
  }

  return {
    /**
     * Waits for a turn of `key`. Returns a function that ends the turn; call it once. Throws `rate_limited` when too
     * many wait, and the reason of `signal`.
     */
    async take(key: string, signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted()
      if (mayRun(key)) return begin(key)
      if (!mayWait(key)) {
        const retryAfterSeconds = Math.ceil((durationMs * (waiting.size + 1)) / runningMax / 1000)
        const message = 'Too many downloads wait; try again later, or upload the file.'
        throw new AppError('rate_limited', message, { param: 'url', retryAfterSeconds })
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const entry: Waiting = { key, cameAt: clock++, start: () => resolve(begin(key)) }
      const leave = () => {
        if (waiting.delete(entry)) reject(signal.reason)
        forget(key)
      }
      waiting.add(entry)
      signal.addEventListener('abort', leave, { once: true })
      return promise.finally(() => signal.removeEventListener('abort', leave))
    },
  }
}
