/** The typed client of the HTTP interface, and its errors. */
import createClient from 'openapi-fetch'
import { baseUrl } from '../installation'
import type { components, paths } from './api'

/** The schemas of the interface by their name, such as `Schema<'Voice'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

/** A refusal of the service, or a request that did not reach it. */
export class ApiError extends Error {
  constructor(
    /** The code of the interface; `unreachable` where no answer came. */
    readonly code: string,
    message: string,
    readonly status: number,
    /** The field that is wrong. */
    readonly param: string | undefined,
    readonly requestId: string | undefined,
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(message)
  }
}

export const api = createClient<paths>({ baseUrl, cache: 'no-store', credentials: 'same-origin' })

let onEnded: () => void = () => {}

/** Sets what happens when an answer says that the session has ended. */
export function whenSessionEnds(action: () => void): void {
  onEnded = action
}

type Answer<Data> = { readonly data?: Data; readonly error?: unknown; readonly response: Response }

/** Returns the body of a successful answer. Throws {@link ApiError} for every other outcome. */
export async function dataOf<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    throw unreachable(cause)
  })
  if (response.ok) return data as Data
  const refusal = errorOf(error, response)
  if (isSessionEnd(refusal)) onEnded()
  throw refusal
}

/**
 * Whether the session has ended, which has the code of a wrong key and names the cookie, or the browser has dropped its
 * cookie.
 */
export const isSessionEnd = ({ code, param }: ApiError): boolean =>
  (code === 'invalid_api_key' && param === 'Cookie') || code === 'missing_api_key'

/** Files are at addresses that the description of the interface does not name. */
const files = createClient<any>({ cache: 'no-store', credentials: 'same-origin' })

/** Why the service refuses the file at this address; undefined when it does not. */
export async function findRefusal(url: string): Promise<ApiError | undefined> {
  try {
    await dataOf(files.GET(url, { parseAs: 'stream' }))
    return undefined
  } catch (error) {
    return error instanceof ApiError ? error : unreachable(error)
  }
}

/** Reads the error of an answer that did not come through {@link api}. */
export function errorOf(body: unknown, { status, headers }: Response): ApiError {
  const { error = {} } = (body ?? {}) as { error?: { code?: string; message?: string; param?: string | null } }
  const retryAfter = Number(headers.get('retry-after'))
  return new ApiError(
    error.code ?? 'internal_error',
    error.message ?? `HTTP ${status}`,
    status,
    error.param ?? undefined,
    headers.get('x-request-id') ?? undefined,
    retryAfter > 0 ? retryAfter : undefined,
  )
}

export function unreachable(cause: unknown): ApiError {
  return new ApiError('unreachable', String(cause), 0, undefined, undefined, undefined)
}
