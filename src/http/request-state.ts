/** What is known of a request while it is served: its id, and what its rate limit said. */
import type { Verdict } from './window'

export type RequestState = {
  /** A UUIDv7 (RFC 9562) as 32 hexadecimal characters, or the client's idempotency key. In `X-Request-Id`. */
  id: string
  verdict: Verdict | undefined
}

/** Kept on the request itself: a WeakMap costs as much as the rest of a short request. */
const stateKey = Symbol('state of the request')

export function stateOf(request: Request & { [stateKey]?: RequestState }): RequestState {
  return (request[stateKey] ??= { id: Bun.randomUUIDv7('buffer').toString('hex'), verdict: undefined })
}

export function requestIdOf(request: Request): string {
  return stateOf(request).id
}

/** What every answer to the request carries, whether it succeeded or not. */
export function headersOf(request: Request): Record<string, string> {
  const { id, verdict } = stateOf(request)
  if (!verdict) return { 'x-request-id': id }
  return {
    'x-request-id': id,
    'x-ratelimit-limit': String(verdict.limit),
    'x-ratelimit-remaining': String(verdict.remaining),
    'x-ratelimit-reset': String(verdict.resetSeconds),
  }
}
