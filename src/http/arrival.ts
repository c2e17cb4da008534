/**
 * Receives the body of a request in chunks, with limits on time, size and rate. Bun drops the rest of a refused body
 * without waking the process.
 */
import { limits } from '../config'
import type { Deadline } from '../deadline'
import { AppError } from '../errors'
import { stateOf } from './request-state'

export type ArrivalLimits = {
  readonly sizeBytesMax: number
  readonly deadline: Deadline
  /** Longest silence of the client; undefined: until the deadline. */
  readonly idleMs?: number
  readonly tooLarge: () => AppError
  readonly tooSlow: () => AppError
}

/** The server processes one chunk without yielding to other requests. */
const pieceBytesMax = 64 << 10
/** A shorter pause does not justify a timer. */
const pauseMsMin = 10

/**
 * Passes the body to `take` as it arrives and awaits each call; errors of `take` propagate. Throws
 * `unsupported_encoding`, `client_gone`, `shutting_down`, and the errors of the limits.
 */
export async function receiveBody(
  request: Request,
  { sizeBytesMax, deadline, idleMs = Infinity, tooLarge, tooSlow }: ArrivalLimits,
  take: (piece: Uint8Array) => void | Promise<void>,
): Promise<void> {
  ensureNotEncoded(request)
  if (Number(request.headers.get('content-length') ?? 0) > sizeBytesMax) throw tooLarge()
  if (!request.body) return
  const reader = request.body.getReader()
  let fault: AppError | undefined
  const giveUp = (error: AppError) => {
    fault ??= error
    // Ends the pending read.
    void reader.cancel().catch(() => {})
  }
  const silence = watchSilence(deadline, idleMs, () => giveUp(tooSlow()))
  const forgetStop = onStop(request, () => giveUp(stopping()))
  const pace = createPace()
  try {
    for (let sizeBytes = 0; ;) {
      silence.begins()
      const { done, value } = await reader.read().catch(leave)
      silence.ends()
      if (fault) throw fault
      if (done) return
      sizeBytes += value.length
      if (sizeBytes > sizeBytesMax) throw tooLarge()
      for (let start = 0; start < value.length; start += pieceBytesMax) {
        const piece = value.subarray(start, start + pieceBytesMax)
        await take(piece)
        await pace(piece.length)
        if (fault) throw fault
      }
    }
  } finally {
    silence.forget()
    forgetStop()
    void reader.cancel().catch(() => {})
  }
}

/** Refuses a compressed body: a few kilobytes could expand to gigabytes. */
function ensureNotEncoded(request: Request): void {
  const encoding = request.headers.get('content-encoding')
  if (encoding === null || /^\s*(identity\s*)?$/i.test(encoding)) return
  const found = JSON.stringify(encoding.slice(0, 64))
  const message = `Content-Encoding: found ${found}; send the body as it is, without compression.`
  throw new AppError('unsupported_encoding', message, { param: 'Content-Encoding' })
}

function leave(error: unknown): never {
  throw new AppError('client_gone', 'The client left before its request was whole.', { cause: error })
}

function stopping(): AppError {
  return new AppError('shutting_down', 'The service is stopping.', { retryAfterSeconds: 5 })
}

/** Calls `stop` when the server begins to stop; returns a function that cancels this. */
function onStop(request: Request, stop: () => void): () => void {
  const { stopping: signal } = stateOf(request)
  if (!signal) return () => {}
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  return () => signal.removeEventListener('abort', stop)
}

/** Calls `giveUp` at the deadline, or after `idleMs` of silence. Uses one timer for any number of chunks. */
function watchSilence(deadline: Deadline, idleMs: number, giveUp: () => void) {
  let sinceMs = performance.now()
  let timer: ReturnType<typeof setTimeout>
  const look = () => {
    const leftMs = Math.min(deadline.endAtMs, sinceMs + idleMs) - performance.now()
    if (leftMs <= 0) giveUp()
    else timer = setTimeout(look, Math.ceil(Math.min(leftMs, idleMs)))
  }
  look()
  return {
    begins: () => void (sinceMs = performance.now()),
    ends: () => void (sinceMs = Infinity),
    forget: () => clearTimeout(timer),
  }
}

/** Waits while the body is ahead of its budget; meanwhile the client fills its own buffers, not the server's. */
function createPace() {
  let dueAtMs = performance.now()
  return (sizeBytes: number): Promise<void> | undefined => {
    const { bodyEventsPerSecondMax, bodyBytesPerSecondMax } = limits
    const nowMs = performance.now()
    dueAtMs = Math.max(dueAtMs, nowMs) + 1000 * Math.max(1 / bodyEventsPerSecondMax, sizeBytes / bodyBytesPerSecondMax)
    return dueAtMs - nowMs < pauseMsMin ? undefined : Bun.sleep(dueAtMs - nowMs)
  }
}
