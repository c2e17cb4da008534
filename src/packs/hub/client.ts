/**
 * HTTP requests to a hub: a server with the paths of https://huggingface.co. The operator configures its address, so it
 * may be on a private network. Proxies come from the environment (`HTTPS_PROXY`, `NO_PROXY`). Requests carry no
 * secrets. Paths and headers: https://huggingface.co/.well-known/openapi.md and the clients `huggingface_hub`
 * (`hf_raise_for_status`) and `@huggingface/hub` (`listFiles`).
 */
import { exchange, type HubAnswer } from './exchange'
import { explainBreak, explainRefusal, failed, Interruption } from './failures'

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

const redirectsMax = 5
const redirectStatuses = new Set([301, 302, 303, 307, 308])
const retriesMax = 5
const defaultTiming: HubTiming = { idleMs: 30_000, backoffMs: 1_000, retryAfterMaxMs: 120_000 }

export function openHub({ address: given, timing: changes }: HubOptions): Hub {
  const address = given.replace(/\/+$/, '')
  const timing = { ...defaultTiming, ...changes }
  let hasAnswered = false

  async function open(path: string, { headers = {}, signal }: OpenOptions = {}): Promise<HubAnswer> {
    let url = new URL(`${address}${path}`)
    for (let redirects = 0; ; redirects++) {
      const explain = (error: unknown) => explainBreak(error, url, hasAnswered ? undefined : address)
      const answer = await exchange(url, { headers, idleMs: timing.idleMs, signal, explain })
      hasAnswered = true
      const location = redirectStatuses.has(answer.status) ? answer.headers.get('location') : null
      if (location === null) return accept(answer, url, timing)
      answer.cancel()
      if (redirects === redirectsMax) throw failed(`${url.host} redirects more than ${redirectsMax} times`)
      url = followTo(location, url, address)
    }
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

/** An https hub may not redirect to http. */
function followTo(location: string, from: URL, hubAddress: string): URL {
  const url = URL.parse(location, from)
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && !hubAddress.startsWith('https:'))
  if (!isAllowed) throw failed(`${from.host} redirects to an address that is not https`)
  return url!
}

function accept(answer: HubAnswer, url: URL, { retryAfterMaxMs }: HubTiming): HubAnswer {
  const { status, headers } = answer
  const encoding = headers.get('content-encoding') ?? 'identity'
  const isAccepted = status < 300 || status === 416
  if (isAccepted && encoding === 'identity') return answer
  answer.cancel()
  throw isAccepted
    ? failed(`${url.host} compresses its answers (${encoding})`)
    : explainRefusal({ status, headers, url }, retryAfterMaxMs)
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
