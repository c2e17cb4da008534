/**
 * HTTP requests to a hub: a server with the paths of https://huggingface.co. The operator configures its address, so it
 * may be on a private network. Proxies come from the environment (`HTTPS_PROXY`, `NO_PROXY`). Requests carry no
 * secrets. Paths and headers: https://huggingface.co/.well-known/openapi.md and the clients `huggingface_hub`
 * (`hf_raise_for_status`) and `@huggingface/hub` (`listFiles`).
 */
import { AppError } from '../../errors'
import { version } from '../../version'

export type HubOptions = {
  /** An http or https address without a query. */
  readonly address: string
  /** Overrides for tests. */
  readonly timing?: Partial<HubTiming>
}

export type HubTiming = {
  /** Longest wait for the response head, and between two chunks of a body. */
  readonly idleMs: number
  /** Wait before the first retry; it doubles for each further one. */
  readonly backoffMs: number
  /** Longest accepted Retry-After. */
  readonly retryAfterMaxMs: number
}

export type OpenOptions = { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal }

export type Hub = {
  /** Without a trailing slash. */
  readonly address: string
  readonly timing: HubTiming
  /**
   * Sends a GET and follows redirects. Returns a response with status 2xx or 416; the caller reads or cancels its body.
   * Throws `Interruption` for transient failures, else `url_fetch_failed` or `not_found`.
   */
  open(path: string, options?: OpenOptions): Promise<HubAnswer>
  /** Reads a whole body; retries transient failures. Throws `url_fetch_failed`, `not_found`. */
  getText(path: string, sizeBytesMax: number, signal?: AbortSignal): Promise<{ text: string; headers: Headers }>
}

export type HubAnswer = {
  readonly status: number
  readonly headers: Headers
  /** Throws `Interruption` on a broken or idle connection. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Closes the connection. */
  cancel(): void
}

/** A transient failure: a retry may succeed. */
export class Interruption extends Error {
  override readonly name = 'Interruption'

  constructor(
    message: string,
    /** The server's Retry-After. */
    readonly retryAfterMs?: number,
    options: { cause?: unknown } = {},
  ) {
    super(message, options)
  }
}

const redirectsMax = 5
const redirectStatuses = new Set([301, 302, 303, 307, 308])
const retriesMax = 5
const defaultTiming: HubTiming = { idleMs: 30_000, backoffMs: 1_000, retryAfterMaxMs: 120_000 }

export function openHub({ address: given, timing: changes }: HubOptions): Hub {
  const address = given.replace(/\/+$/, '')
  const timing = { ...defaultTiming, ...changes }
  const isHttps = address.startsWith('https:')
  /** No retries before the first response: there is no network, or the address is wrong. */
  let hasAnswered = false

  async function open(path: string, { headers = {}, signal }: OpenOptions = {}): Promise<HubAnswer> {
    let url = new URL(`${address}${path}`)
    for (let redirects = 0; ; redirects++) {
      const answer = await request(url, headers, signal)
      const location = redirectStatuses.has(answer.status) ? answer.headers.get('location') : null
      if (location === null) return accept(answer, url)
      answer.cancel()
      if (redirects === redirectsMax) throw failed(`${url.host} redirects more than ${redirectsMax} times`)
      url = followTo(location, url)
    }
  }

  function followTo(location: string, from: URL): URL {
    const url = URL.parse(location, from)
    if (!url || !/^https?:$/.test(url.protocol) || (isHttps && url.protocol !== 'https:'))
      throw failed(`${from.host} redirects to an address that is not https`)
    return url
  }

  async function request(url: URL, headers: Readonly<Record<string, string>>, signal?: AbortSignal) {
    const stop = new AbortController()
    const leave = () => stop.abort(signal!.reason)
    signal?.addEventListener('abort', leave)
    if (signal?.aborted) leave()
    const watch = createWatch(() => stop.abort(new Interruption(`${url.host} sent nothing for ${timing.idleMs} ms`)))
    const end = () => {
      watch.stop()
      signal?.removeEventListener('abort', leave)
    }
    try {
      const sent = { 'user-agent': `sonant/${version}`, 'accept-encoding': 'identity', ...headers }
      const response = await fetch(url, { headers: sent, redirect: 'manual', signal: stop.signal, decompress: false })
      hasAnswered = true
      const chunks = readBody(response, watch, end, (error) => brokenOff(error, url, stop.signal))
      const cancel = () => {
        end()
        stop.abort(new Error('not needed'))
      }
      return { status: response.status, headers: response.headers, chunks, cancel }
    } catch (error) {
      end()
      throw brokenOff(error, url, stop.signal)
    }
  }

  /** Calls `bark` after `timing.idleMs` without activity. */
  function createWatch(bark: () => void) {
    let timer = setTimeout(bark, timing.idleMs)
    return {
      pat: () => {
        clearTimeout(timer)
        timer = setTimeout(bark, timing.idleMs)
      },
      stop: () => clearTimeout(timer),
    }
  }

  /** Classifies a connection error. */
  function brokenOff(error: unknown, url: URL, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason
    const { code = 'no answer' } = error as { code?: string }
    if (permanentCodes.test(code)) return failed(`${url.host} has no valid certificate (${code})`)
    if (hasAnswered)
      return new Interruption(`the connection to ${url.host} broke off (${code})`, undefined, { cause: error })
    return failed(
      `${address} cannot be reached (${code}). Packs can be carried to a machine without network: sonant help without-a-network`,
      error,
    )
  }

  function accept(answer: HubAnswer, url: URL): HubAnswer {
    const { status, headers } = answer
    if (status < 300 || status === 416) {
      const encoding = headers.get('content-encoding') ?? 'identity'
      if (encoding === 'identity') return answer
      answer.cancel()
      throw failed(`${url.host} compresses its answers (${encoding})`)
    }
    answer.cancel()
    throw refused(status, headers, url)
  }

  function refused(status: number, headers: Headers, url: URL): Error {
    const code = headers.get('x-error-code')
    if (code === 'GatedRepo' || status === 403)
      return failed(
        `${url.host} gives ${url.pathname} only to those who accepted its terms there (HTTP ${status}); get it in a browser and put its folder into voices/ of the data directory`,
      )
    // The hub also answers 401 for repositories that do not exist.
    if (status === 404 || status === 401 || status === 410)
      return new AppError('not_found', `There is nothing public at ${url.origin}${url.pathname} (HTTP ${status}).`)
    if (status >= 500 || status === 429 || status === 408) {
      const retryAfterMs = readRetryAfter(headers.get('retry-after'))
      const message = `${url.host} answered with HTTP ${status}`
      if (retryAfterMs === undefined || retryAfterMs <= timing.retryAfterMaxMs)
        return new Interruption(message, retryAfterMs)
      return failed(`${message} and asks to come back in ${Math.ceil(retryAfterMs / 1000)} s`)
    }
    return failed(`${url.host} answered with HTTP ${status}`)
  }

  return {
    address,
    timing,
    open,
    async getText(path, sizeBytesMax, signal) {
      return repeating(timing, signal, async () => {
        const { status, headers, chunks, cancel } = await open(path, { signal })
        try {
          if (status !== 200) throw failed(`${address}${path} answered with HTTP ${status}`)
          const text = new TextDecoder().decode(await collect(chunks, sizeBytesMax, `${address}${path}`))
          return { text, headers }
        } finally {
          cancel()
        }
      })
    },
  }
}

const permanentCodes = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_/

async function* readBody(
  response: Response,
  watch: { pat(): void; stop(): void },
  end: () => void,
  asError: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body ?? []) {
      // Excludes the consumer's time, such as disk writes.
      watch.stop()
      yield chunk
      watch.pat()
    }
  } catch (error) {
    throw asError(error)
  } finally {
    end()
  }
}

async function collect(chunks: AsyncIterable<Uint8Array>, sizeBytesMax: number, url: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of chunks) {
    sizeBytes += chunk.length
    if (sizeBytes > sizeBytesMax) throw failed(`${url} is larger than ${sizeBytesMax} bytes`)
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}

/** Parses seconds or a date (RFC 9110, 10.2.3); returns milliseconds from now. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const timeMs = Date.parse(text)
  return Number.isNaN(timeMs) ? undefined : Math.max(0, timeMs - Date.now())
}

/**
 * Runs `attempt` until it succeeds or throws anything but an `Interruption`. Retries at most five times; attempts after
 * which `hasProgressed` returns true do not count. Throws `url_fetch_failed` in the end.
 */
export async function repeating<T>(
  { backoffMs }: HubTiming,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
  hasProgressed: () => boolean = () => false,
): Promise<T> {
  for (let failures = 0; ;)
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Interruption)) throw error
      failures = hasProgressed() ? 1 : failures + 1
      if (failures > retriesMax) throw failed(`${error.message}, ${failures} times in a row`, error)
      await sleep(error.retryAfterMs ?? backoffMs * 2 ** (failures - 1), signal)
    }
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const leave = () => reject(signal!.reason)
  signal?.addEventListener('abort', leave)
  if (signal?.aborted) leave()
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
  }
}

/** An error for the operator: `The hub: …` */
export function failed(message: string, cause?: unknown): AppError {
  return new AppError('url_fetch_failed', `The hub: ${message}.`, { cause })
}
