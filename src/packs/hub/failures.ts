/** Failures of a hub: those that a retry may mend, and those that the operator must know. */
import { AppError } from '../../errors'

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

/** An error for the operator: `The hub: …` */
export function failed(message: string, cause?: unknown): AppError {
  return new AppError('url_fetch_failed', `The hub: ${message}.`, { cause })
}

type Refusal = { readonly status: number; readonly headers: Headers; readonly url: URL }

/**
 * Explains a status other than 2xx and 416. A longer Retry-After than `retryAfterMaxMs` is no `Interruption`. The
 * statuses are those of `hf_raise_for_status` in `huggingface_hub`.
 */
export function explainRefusal({ status, headers, url }: Refusal, retryAfterMaxMs: number): Error {
  const code = headers.get('x-error-code')
  if (code === 'GatedRepo' || status === 403)
    return failed(
      `${url.host} gives ${url.pathname} only to those who accepted its terms there (HTTP ${status}); get it in a browser and put its folder into voices/ of the data directory`,
    )
  // The hub also answers 401 for repositories that do not exist.
  if (status === 404 || status === 401 || status === 410)
    return new AppError('not_found', `There is nothing public at ${url.origin}${url.pathname} (HTTP ${status}).`)
  const message = `${url.host} answered with HTTP ${status}`
  if (status < 500 && status !== 429 && status !== 408) return failed(message)
  const retryAfterMs = readRetryAfter(headers.get('retry-after'))
  if (retryAfterMs !== undefined && retryAfterMs > retryAfterMaxMs)
    return failed(`${message} and asks to retry in ${Math.ceil(retryAfterMs / 1000)} s`)
  return new Interruption(message, retryAfterMs)
}

/** Parses seconds or a date (RFC 9110, 10.2.3); returns milliseconds from now. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const timeMs = Date.parse(text)
  return Number.isNaN(timeMs) ? undefined : Math.max(0, timeMs - Date.now())
}

const permanentCodes = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_/

/**
 * Explains a connection that broke off. `unreachable`: the address of a hub that has not answered yet. Then there is no
 * network or the address is wrong, and a retry does not help.
 */
export function explainBreak(error: unknown, url: URL, unreachable: string | undefined): Error {
  const { code = 'no answer' } = error as { code?: string }
  if (permanentCodes.test(code)) return failed(`${url.host} has no valid certificate (${code})`)
  if (unreachable === undefined)
    return new Interruption(`the connection to ${url.host} broke off (${code})`, undefined, { cause: error })
  return failed(
    `${unreachable} cannot be reached (${code}). Packs can be carried to a machine without network: sonant help without-a-network`,
    error,
  )
}
