/** The state of a request in progress: its id, deadline, rate limit headers and log fields. */
import type { Caller } from '../account/keys'
import { operationTimeoutsMs, type TimedOperation } from '../config'
import { startDeadline, type Deadline } from '../deadline'
import type { Verdict } from './window'

export type RequestState = {
  /** A UUIDv7 (RFC 9562) as 32 hexadecimal characters, or the client's idempotency key. In `X-Request-Id`. */
  id: string
  /** By `performance.now()`. */
  readonly startedAtMs: number
  operation: TimedOperation
  deadline: Deadline
  /** Aborted when the server begins to stop. */
  stopping: AbortSignal | undefined
  /** Whether the body was read to its end. */
  isBodyWhole: boolean
  verdict: Verdict | undefined
  /** Headers that the route adds to every answer, errors included. */
  headers: Readonly<Record<string, string>> | undefined
  /** For the log, as far as known: caller, voice, charged units. */
  caller: Pick<Caller, 'accountId' | 'keyId'> | undefined
  voiceId: string | undefined
  units: number | undefined
}

/** Kept on the request itself: a WeakMap costs as much as the rest of a short request. */
const stateKey = Symbol('state of the request')

export function stateOf(request: Request & { [stateKey]?: RequestState }): RequestState {
  return (request[stateKey] ??= newState())
}

function newState(): RequestState {
  const startedAtMs = performance.now()
  return {
    id: Bun.randomUUIDv7('buffer').toString('hex'),
    startedAtMs,
    operation: 'other',
    deadline: startDeadline(operationTimeoutsMs.other, startedAtMs),
    stopping: undefined,
    isBodyWhole: false,
    verdict: undefined,
    headers: undefined,
    caller: undefined,
    voiceId: undefined,
    units: undefined,
  }
}

/** Sets the operation of the request. Its deadline counts from the arrival of the request, not from this call. */
export function beginOperation(request: Request, operation: TimedOperation, timeoutMs: number): Deadline {
  const state = stateOf(request)
  state.operation = operation
  return (state.deadline = startDeadline(timeoutMs, state.startedAtMs))
}

/** Adds headers to every answer to the request, errors included. */
export function addHeaders(request: Request, headers: Readonly<Record<string, string>>): void {
  const state = stateOf(request)
  state.headers = { ...state.headers, ...headers }
}

export function requestIdOf(request: Request): string {
  return stateOf(request).id
}

/** The headers of every answer to the request, errors included. */
export function headersOf(request: Request): Record<string, string> {
  const { id, verdict, headers } = stateOf(request)
  if (!verdict) return { ...headers, 'x-request-id': id }
  return {
    ...headers,
    'x-request-id': id,
    'x-ratelimit-limit': String(verdict.limit),
    'x-ratelimit-remaining': String(verdict.remaining),
    'x-ratelimit-reset': String(verdict.resetSeconds),
  }
}
