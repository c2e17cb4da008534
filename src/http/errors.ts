/** The error envelope, and the table from errors to statuses. */
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

/** Errors that refuse a body while it arrives. The client is still sending, and must be able to read the answer. */
export const refusesBody: readonly ErrorCode[] = ['payload_too_large', 'file_too_large', 'unsupported_encoding']

/** The connection is not reusable: its next bytes belong to the refused body. */
const closesConnection: readonly ErrorCode[] = ['body_too_slow', 'body_too_fragmented', 'shutting_down']

/** The answer to a failed request (7.2 of the interface). `headers`: the headers of every answer. */
export function errorResponse(error: AppError, requestId: string, headers: Record<string, string>): Response {
  const status = statuses[error.code]
  const all = new Headers({ ...headers, 'cache-control': 'private, no-store', vary: 'Authorization' })
  if (error.retryAfterSeconds !== undefined) all.set('retry-after', String(error.retryAfterSeconds))
  if (status === 401) all.set('www-authenticate', 'Bearer')
  if (closesConnection.includes(error.code)) all.set('connection', 'close')
  // The accepted encodings of a body (RFC 9110 section 12.5.3).
  if (status === 415) all.set('accept-encoding', 'identity')
  const body = {
    code: publicCode(error.code),
    message: error.message,
    type: typeOfStatus(status),
    param: error.param,
    x_relay: { request_id: requestId },
  }
  return Response.json({ error: body }, { status, headers: all })
}
