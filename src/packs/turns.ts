/** Runs tasks one at a time. A task that takes longer than `patienceMs` lets the next one run in parallel. */
type Running = { readonly startedAtMs: number; readonly ending: AbortController; readonly done: Promise<void> }

export type TurnOptions<T> = {
  readonly patienceMs: number
  /** Chooses the next task among those not running; undefined for none. */
  readonly next: (isRunning: (thing: T) => boolean) => T | undefined
  /** Never rejects. `signal` is aborted when the result is no longer needed. */
  readonly run: (thing: T, signal: AbortSignal) => Promise<void>
  /** Called after each task. */
  readonly onEnd: () => void
}

export type Turns<T> = ReturnType<typeof createTurns<T>>

export function createTurns<T>({ patienceMs, next, run, onEnd }: TurnOptions<T>) {
  const running = new Map<T, Running>()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  /** Call this whenever there may be a new task. */
  function pump(): void {
    clearTimeout(timer)
    while (!closed) {
      const newestAtMs = Math.max(...[...running.values()].map(({ startedAtMs }) => startedAtMs))
      const leftMs = newestAtMs + patienceMs - performance.now()
      if (leftMs > 0) {
        timer = setTimeout(pump, Math.ceil(leftMs))
        return
      }
      const thing = next((one) => running.has(one))
      if (thing === undefined) return
      begin(thing)
    }
  }

  function begin(thing: T): void {
    const ending = new AbortController()
    const done = run(thing, ending.signal).finally(() => {
      running.delete(thing)
      onEnd()
      pump()
    })
    running.set(thing, { startedAtMs: performance.now(), ending, done })
  }

  return {
    pump,

    /** Aborts the run of a task whose result is no longer needed. */
    abort: (thing: T): void => running.get(thing)?.ending.abort(),

    /** Resolves when all current runs have ended. */
    async settled(): Promise<void> {
      await Promise.all([...running.values()].map(({ done }) => done))
    },

    /** Aborts all runs and starts no more. */
    close(): void {
      closed = true
      clearTimeout(timer)
      for (const { ending } of running.values()) ending.abort()
    },
  }
}
