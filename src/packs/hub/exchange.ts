/** One request to a server, without redirects. A connection without activity is closed after a while. */
import { version } from '../../version'
import { Interruption } from './failures'

export type HubAnswer = {
  readonly status: number
  readonly headers: Headers
  /** Throws `Interruption` on a broken or idle connection. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Closes the connection. */
  cancel(): void
}

type ExchangeOptions = {
  readonly headers: Readonly<Record<string, string>>
  /** Longest wait for the response head, and between two chunks of the body. */
  readonly idleMs: number
  /** Its reason is thrown on abort. */
  readonly signal?: AbortSignal
  /** Explains a connection error. */
  readonly explain: (error: unknown) => Error
}

/** Sends a GET. The caller reads or cancels the body. */
export async function exchange(url: URL, { headers, idleMs, signal, explain }: ExchangeOptions): Promise<HubAnswer> {
  const stop = new AbortController()
  const leave = () => stop.abort(signal!.reason)
  signal?.addEventListener('abort', leave)
  if (signal?.aborted) leave()
  const watchdog = createWatchdog(idleMs, () =>
    stop.abort(new Interruption(`${url.host} sent nothing for ${idleMs} ms`)),
  )
  const end = () => {
    watchdog.stop()
    signal?.removeEventListener('abort', leave)
  }
  const asError = (error: unknown): unknown => (stop.signal.aborted ? stop.signal.reason : explain(error))
  try {
    const sent = { 'user-agent': `sonant/${version}`, 'accept-encoding': 'identity', ...headers }
    const response = await fetch(url, { headers: sent, redirect: 'manual', signal: stop.signal, decompress: false })
    const cancel = () => {
      end()
      stop.abort(new Error('not needed'))
    }
    return {
      status: response.status,
      headers: response.headers,
      chunks: readBody(response, watchdog, { end, asError }),
      cancel,
    }
  } catch (error) {
    end()
    throw asError(error)
  }
}

type Watchdog = ReturnType<typeof createWatchdog>

/** Calls `onIdle` when `feed` was not called for `idleMs`. */
function createWatchdog(idleMs: number, onIdle: () => void) {
  let timer = setTimeout(onIdle, idleMs)
  return {
    feed() {
      clearTimeout(timer)
      timer = setTimeout(onIdle, idleMs)
    },
    stop: () => clearTimeout(timer),
  }
}

async function* readBody(
  response: Response,
  watchdog: Watchdog,
  { end, asError }: { end: () => void; asError: (error: unknown) => unknown },
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body ?? []) {
      // Excludes the consumer's time, such as disk writes.
      watchdog.stop()
      yield chunk
      watchdog.feed()
    }
  } catch (error) {
    throw asError(error)
  } finally {
    end()
  }
}
