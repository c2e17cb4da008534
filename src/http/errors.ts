/** The error envelope, the table from errors to statuses, and the other codes under `/v1` (7.2 of the interface). */
import { publicCode, type AppError, type ErrorCode } from '../errors'

export const statuses = {
  invalid_params: 400,
  invalid_format: 400,
  invalid_speed: 400,
  unsupported_audio: 400,
  audio_parse_failed: 400,
  duration_exceeded: 400,
  invalid_url: 400,
  url_blocked: 400,
  unsupported_model: 400,
  body_too_slow: 400,
  body_too_fragmented: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  invalid_session: 401,
  wrong_password: 401,
  insufficient_balance: 402,
  key_cap_reached: 402,
  account_disabled: 403,
  api_key_revoked: 403,
  voice_disabled: 403,
  voice_not_allowed: 403,
  group_forbidden: 403,
  permission_denied: 403,
  group_not_found: 404,
  voice_not_found: 404,
  unknown_hash: 404,
  not_found: 404,
  unknown_path: 404,
  method_not_allowed: 405,
  conflict: 409,
  idempotency_conflict: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  file_too_large: 413,
  url_too_large: 413,
  unsupported_encoding: 415,
  range_not_satisfiable: 416,
  rate_limited: 429,
  upstream_capacity: 429,
  client_gone: 499,
  internal_error: 500,
  url_fetch_failed: 502,
  render_failed: 502,
  synthesis_failed: 502,
  storage_failed: 502,
  transcode_failed: 502,
  speed_processing_failed: 502,
  shutting_down: 503,
  synthesis_timeout: 504,
} satisfies Record<ErrorCode, number>

const types: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  500: 'internal_error',
  502: 'engine_error',
  503: 'internal_error',
  504: 'engine_error',
}

export function typeOfStatus(status: number): string {
  return types[status] ?? 'invalid_request_error'
}

/** The words of an error: those of 7.1 of the interface, or those of 7.2 under `/v1`. */
export type Dialect = 'api' | 'v1'

export function dialectOf(path: string): Dialect {
  return /^\/v1(\/|$)/.test(path) ? 'v1' : 'api'
}

/** The code and the status that an answer shows. */
export function shownAs(code: ErrorCode, dialect: Dialect): { readonly status: number; readonly code: string } {
  const status = statuses[code]
  if (dialect === 'api' || namedOnV1.includes(code)) return { status, code: publicCode(code) }
  if (code === 'insufficient_balance') return { status, code: 'insufficient_credits' }
  if (status === 401 || code === 'api_key_revoked') return { status: 401, code: 'invalid_api_key' }
  if (status < 500) return { status, code: 'invalid_request' }
  return { status: typeOfStatus(status) === 'engine_error' ? 500 : status, code: 'internal_error' }
}

/** Codes that 7.2 has under the same name. */
const namedOnV1: readonly ErrorCode[] = [
  'missing_api_key',
  'key_cap_reached',
  'rate_limited',
  'upstream_capacity',
  'unsupported_model',
]

/** Errors of `speak` that name the field and the list of voices. */
const aboutVoices: readonly ErrorCode[] = ['voice_not_found', 'voice_disabled', 'voice_not_allowed']

/** Message and field of an error, by the names that they have under `/v1`. */
export function inWordsOf(
  { code, message, param }: Pick<AppError, 'code' | 'message' | 'param'>,
  dialect: Dialect,
): Pick<AppError, 'message' | 'param'> {
  if (dialect === 'api' || !aboutVoices.includes(code)) return { message, param }
  const renamed = message.replace(/^voice_id: /, 'voice: ').replace('/api/v1/voices', '/v1/audio/voices')
  return { message: renamed, param: 'voice' }
}

/** Errors that refuse a body while it arrives. The client is still sending, and must be able to read the answer. */
export const refusesBody: readonly ErrorCode[] = ['payload_too_large', 'file_too_large', 'unsupported_encoding']

/** The connection is not reusable: its next bytes belong to the refused body. */
const closesConnection: readonly ErrorCode[] = ['body_too_slow', 'body_too_fragmented', 'shutting_down']

type Failed = {
  readonly requestId: string
  readonly dialect: Dialect
  /** The headers of every answer. */
  readonly headers: Readonly<Record<string, string>>
}

/** The answer to a failed request (7.2 of the interface). */
export function errorResponse(error: AppError, { requestId, dialect, headers }: Failed): Response {
  const { status, code } = shownAs(error.code, dialect)
  const { message, param } = inWordsOf(error, dialect)
  const all = new Headers({ vary: 'Authorization', ...headers, 'cache-control': 'private, no-store' })
  if (error.retryAfterSeconds !== undefined) all.set('retry-after', String(error.retryAfterSeconds))
  if (status === 401) all.set('www-authenticate', 'Bearer')
  if (closesConnection.includes(error.code)) all.set('connection', 'close')
  // The accepted encodings of a body (RFC 9110 section 12.5.3).
  if (status === 415) all.set('accept-encoding', 'identity')
  const body = {
    code,
    message,
    type: typeOfStatus(status),
    param,
    x_relay: { request_id: requestId },
  }
  return Response.json({ error: body }, { status, headers: all })
}
