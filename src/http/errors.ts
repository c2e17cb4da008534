/** The error envelope, and the one table from an error to what the client sees. */
import { AppError, type ErrorCode } from '../errors'

type PublicError = { readonly status: number; readonly code: string }

const publicErrors = {
  invalid_params: { status: 400, code: 'invalid_params' },
  invalid_format: { status: 400, code: 'invalid_format' },
  invalid_speed: { status: 400, code: 'invalid_speed' },
  missing_api_key: { status: 401, code: 'missing_api_key' },
  invalid_api_key: { status: 401, code: 'invalid_api_key' },
  account_disabled: { status: 403, code: 'account_disabled' },
  api_key_revoked: { status: 403, code: 'api_key_revoked' },
  group_forbidden: { status: 403, code: 'group_forbidden' },
  group_not_found: { status: 404, code: 'group_not_found' },
  voice_not_found: { status: 404, code: 'voice_not_found' },
  not_found: { status: 404, code: 'not_found' },
  unknown_path: { status: 404, code: 'invalid_request' },
  method_not_allowed: { status: 405, code: 'invalid_request' },
  payload_too_large: { status: 413, code: 'invalid_params' },
  rate_limited: { status: 429, code: 'rate_limited' },
  client_gone: { status: 499, code: 'internal_error' },
  internal_error: { status: 500, code: 'internal_error' },
  synthesis_failed: { status: 502, code: 'synthesis_failed' },
  storage_failed: { status: 502, code: 'storage_failed' },
  transcode_failed: { status: 502, code: 'transcode_failed' },
  speed_processing_failed: { status: 502, code: 'speed_processing_failed' },
  shutting_down: { status: 503, code: 'internal_error' },
  synthesis_timeout: { status: 504, code: 'synthesis_failed' },
} satisfies Record<ErrorCode, PublicError>

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

/** Anything that is not an `AppError` is our fault, and nothing of it is shown. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  return new AppError('internal_error', 'Something went wrong inside the service. Try again.', { cause: error })
}

/** The answer to a failed request (7.2 of the interface). */
export function errorResponse(error: AppError, requestId: string): Response {
  const { status, code } = publicErrors[error.code]
  const headers = new Headers({ 'cache-control': 'private, no-store', 'x-request-id': requestId })
  if (error.retryAfterSeconds !== undefined) headers.set('retry-after', String(error.retryAfterSeconds))
  if (status === 401) headers.set('www-authenticate', 'Bearer')
  if (status === 413) headers.set('connection', 'close')
  const type = types[status] ?? 'invalid_request_error'
  const body = { code, message: error.message, type, param: error.param, x_relay: { request_id: requestId } }
  return Response.json({ error: body }, { status, headers })
}
