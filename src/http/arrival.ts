/**
 * Takes in the body of a request: under its deadline, up to a size, in pieces, and no faster than the server can take
 * beside everything else. What is left of a refused body is dropped by Bun without waking us.
 */
import { limits } from '../config'
import type { Deadline } from '../deadline'
import { AppError } from '../errors'
import { stateOf } from './request-state'

export type ArrivalLimits = {
  readonly sizeBytesMax: number
  readonly deadline: Deadline
  /** What the client may be silent; undefined: until the deadline. */
  readonly idleMs?: number
  readonly tooLarge: () => AppError
  readonly tooSlow: () => AppError
}

/** One piece is worked on without a pause for other requests. */
const pieceBytesMax = 64 << 10
/** A timer is not worth less. */
const pauseMsMin = 10

/**
 * Hands the body to `take` as it arrives, waiting for it each time; what `take` throws passes through. Throws
 * `unsupported_encoding`, `client_gone`, `shutting_down`, and what the limits say.
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
    // Ends the read that waits.
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

/** A compressed body is refused and not opened: a few kilobytes of it could hold gigabytes. */
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

/** Calls `stop` when the server begins to stop; returns what makes it forget that. */
function onStop(request: Request, stop: () => void): () => void {
  const { stopping: signal } = stateOf(request)
  if (!signal) return () => {}
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  return () => signal.removeEventListener('abort', stop)
}

/** Calls `giveUp` at the deadline, or when a silence has lasted for `idleMs`. One timer, whatever arrives. */
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

/** Waits as long as the body is ahead of its budget; the client meanwhile fills its own buffers, not ours. */
function createPace() {
  let dueAtMs = performance.now()
  return (sizeBytes: number): Promise<void> | undefined => {
    const { bodyEventsPerSecondMax, bodyBytesPerSecondMax } = limits
    const nowMs = performance.now()
    dueAtMs = Math.max(dueAtMs, nowMs) + 1000 * Math.max(1 / bodyEventsPerSecondMax, sizeBytes / bodyBytesPerSecondMax)
    return dueAtMs - nowMs < pauseMsMin ? undefined : Bun.sleep(dueAtMs - nowMs)
  }
}
