/**
 * One thing after another, and none for long in the way of the rest: what has gone on for longer than `patienceMs` lets
 * the next begin beside it.
 */
type Running = { readonly startedAtMs: number; readonly ending: AbortController; readonly done: Promise<void> }

export type TurnOptions<T> = {
  readonly patienceMs: number
  /** What is to be done next, of what is not being done; undefined: nothing. */
  readonly next: (isRunning: (thing: T) => boolean) => T | undefined
  /** Never rejects. `signal` is aborted when the result is not wanted any more. */
  readonly run: (thing: T, signal: AbortSignal) => Promise<void>
  /** Called after each. */
  readonly onEnd: () => void
}

export type Turns<T> = ReturnType<typeof createTurns<T>>

export function createTurns<T>({ patienceMs, next, run, onEnd }: TurnOptions<T>) {
  const running = new Map<T, Running>()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  /** To be called whenever there may be something to do. */
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

    /** Tells whoever does it that the result is not wanted any more. */
    abort: (thing: T): void => running.get(thing)?.ending.abort(),

    /** Ends when all that runs now has ended. */
    async settled(): Promise<void> {
      await Promise.all([...running.values()].map(({ done }) => done))
    },

    /** Aborts what runs and begins nothing more. */
    close(): void {
      closed = true
      clearTimeout(timer)
      for (const { ending } of running.values()) ending.abort()
    },
  }
}
