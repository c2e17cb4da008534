/** Receives the body of a request as it arrives, with limits on time, size, rate and the number of small chunks. */
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
/** Smaller chunks of a chunked body count against a budget: each costs Bun and the process far more than its bytes. */
const smallChunkBytes = 512

/**
 * Passes the body to `take` as it arrives and awaits each call; errors of `take` propagate. Throws
 * `unsupported_encoding`, `body_too_fragmented`, `client_gone`, `shutting_down`, and the errors of the limits.
 */
export async function receiveBody(
  request: Request,
  { sizeBytesMax, tooLarge, ...limit }: ArrivalLimits,
  take: (piece: Uint8Array) => void | Promise<void>,
): Promise<void> {
  if (!request.body) return ensureNotEncoded(request)
  const body = openBody(request, limit)
  try {
    ensureNotEncoded(request)
    if (Number(request.headers.get('content-length') ?? 0) > sizeBytesMax) throw tooLarge()
    let sizeBytes = 0
    for (let value = await body.read(); value; value = await body.read()) {
      sizeBytes += value.length
      if (sizeBytes > sizeBytesMax) throw tooLarge()
      for (let start = 0; start < value.length; start += pieceBytesMax) {
        const piece = value.subarray(start, start + pieceBytesMax)
        await take(piece)
        await body.pause(piece.length)
      }
    }
  } catch (error) {
    if (isChunked(request) && !body.hasFailed) await dropRest(body)
    throw error
  } finally {
    body.close()
  }
}

/** Whether chunks of the body may still arrive. The connection then has to close: Bun parses each chunk it drops. */
export function hasChunksLeft(request: Request): boolean {
  return isChunked(request) && !stateOf(request).isBodyWhole
}

function isChunked(request: Request): boolean {
  return request.headers.has('transfer-encoding')
}

type Body = ReturnType<typeof openBody>

function openBody(
  request: Request,
  { deadline, idleMs = Infinity, tooSlow }: Pick<ArrivalLimits, 'deadline' | 'idleMs' | 'tooSlow'>,
) {
  const reader = request.body!.getReader()
  const countsSmall = isChunked(request)
  let fault: AppError | undefined
  const giveUp = (error: AppError) => {
    fault ??= error
    // Ends the pending read.
    void reader.cancel().catch(() => {})
  }
  const silence = watchSilence(deadline, idleMs, () => giveUp(tooSlow()))
  const forgetStop = onStop(request, () => giveUp(stopping()))
  const pace = createPace()
  const allowsSmall = createSmallChunkBudget()
  return {
    get hasFailed() {
      return fault !== undefined
    },
    giveUp,

    /** Returns undefined at the end of the body. */
    async read(): Promise<Uint8Array | undefined> {
      silence.begins()
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw (fault ??= clientGone(error))
      })
      silence.ends()
      if (!fault && !done && countsSmall && value.length < smallChunkBytes && !allowsSmall()) giveUp(fragmented())
      if (fault) throw fault
      if (done) stateOf(request).isBodyWhole = true
      return value
    },

    /** Waits until the budget allows more. Never after a small chunk: Bun joins chunks in a pause, which hides them. */
    async pause(sizeBytes: number): Promise<void> {
      if (!countsSmall || sizeBytes >= smallChunkBytes) await pace(sizeBytes)
      if (fault) throw fault
    },

    close(): void {
      silence.forget()
      forgetStop()
      void reader.cancel().catch(() => {})
    },
  }
}

/**
 * Reads a bounded part of the rest before the answer, so that a client that still sends receives the answer. Bun drops
 * the rest of a body with a known length cheaply; only chunks need this.
 */
async function dropRest(body: Body): Promise<void> {
  const { refusedChunksTimeoutMs, refusedChunksBytesMax } = limits
  const late = new AppError('body_too_slow', 'The rest of the refused body took too long.')
  const timer = setTimeout(() => body.giveUp(late), refusedChunksTimeoutMs)
  try {
    for (let sizeBytes = 0; sizeBytes < refusedChunksBytesMax;) {
      const value = await body.read()
      if (!value) return
      sizeBytes += value.length
      await body.pause(value.length)
    }
  } catch (error) {
    // The caller reports the fault that came first.
    if (!(error instanceof AppError)) throw error
  } finally {
    clearTimeout(timer)
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

function clientGone(cause: unknown): AppError {
  return new AppError('client_gone', 'The client left before its request was whole.', { cause })
}

function fragmented(): AppError {
  const message = `The body has too many chunks of less than ${smallChunkBytes} bytes; send larger ones.`
  return new AppError('body_too_fragmented', message)
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
  let dueAtMs = 0
  return (sizeBytes: number): Promise<void> | undefined => {
    const { bodyEventsPerSecondMax, bodyBytesPerSecondMax, bodyBurstMs } = limits
    const nowMs = performance.now()
    dueAtMs =
      Math.max(dueAtMs, nowMs - bodyBurstMs) +
      1000 * Math.max(1 / bodyEventsPerSecondMax, sizeBytes / bodyBytesPerSecondMax)
    return dueAtMs - nowMs < pauseMsMin ? undefined : Bun.sleep(dueAtMs - nowMs)
  }
}

/** Returns a function that counts one small chunk and says whether the budget allows it: a burst, and a rate. */
function createSmallChunkBudget(): () => boolean {
  const { smallChunksMax, smallChunksPerSecondMax } = limits
  let chunks = 0
  let countedAtMs = performance.now()
  return () => {
    const nowMs = performance.now()
    chunks = Math.max(0, chunks - ((nowMs - countedAtMs) / 1000) * smallChunksPerSecondMax) + 1
    countedAtMs = nowMs
    return chunks <= smallChunksMax
  }
}
