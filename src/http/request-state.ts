/** What is known of a request while it is served: its id, and what its rate limit said. */
import type { Verdict } from './window'

export type RequestState = {
  /** A UUIDv7 (RFC 9562) as 32 hexadecimal characters, or the client's idempotency key. In `X-Request-Id`. */
  id: string
  verdict: Verdict | undefined
}

const states = new WeakMap<Request, RequestState>()

export function stateOf(request: Request): RequestState {
  let state = states.get(request)
  if (!state) states.set(request, (state = { id: Bun.randomUUIDv7('hex').replaceAll('-', ''), verdict: undefined }))
  return state
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
