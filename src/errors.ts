/**
 * Errors that a caller can cause: one error type with a closed set of codes. Knows no HTTP; `http/errors.ts` maps every
 * code to its status and type.
 */

export type ErrorCode =
  | 'invalid_params'
  | 'invalid_format'
  | 'invalid_speed'
  | 'invalid_url'
  | 'url_blocked'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'invalid_session'
  | 'wrong_password'
  | 'insufficient_balance'
  | 'key_cap_reached'
  | 'account_disabled'
  | 'api_key_revoked'
  | 'voice_disabled'
  | 'voice_not_allowed'
  | 'group_forbidden'
  | 'permission_denied'
  | 'group_not_found'
  | 'voice_not_found'
  | 'unknown_hash'
  | 'unsupported_audio'
  | 'audio_parse_failed'
  | 'duration_exceeded'
  | 'conflict'
  | 'idempotency_conflict'
  | 'rate_limited'
  | 'upstream_capacity'
  | 'unsupported_model'
  | 'url_fetch_failed'
  | 'synthesis_failed'
  | 'synthesis_timeout'
  | 'client_gone'
  | 'storage_failed'
  | 'transcode_failed'
  | 'speed_processing_failed'
  | 'payload_too_large'
  | 'unsupported_encoding'
  | 'file_too_large'
  | 'render_failed'
  | 'url_too_large'
  | 'body_too_slow'
  | 'body_too_fragmented'
  | 'not_found'
  | 'gone'
  | 'unknown_path'
  | 'method_not_allowed'
  | 'precondition_failed'
  | 'range_not_satisfiable'
  | 'shutting_down'
  | 'internal_error'

/** Public names of internal codes. A code without an entry is public under its own name. */
const publicCodes = {
  invalid_session: 'invalid_api_key',
  wrong_password: 'invalid_api_key',
  gone: 'not_found',
  idempotency_conflict: 'invalid_params',
  unknown_hash: 'invalid_params',
  payload_too_large: 'invalid_params',
  unsupported_encoding: 'invalid_params',
  body_too_slow: 'invalid_params',
  body_too_fragmented: 'invalid_params',
  synthesis_timeout: 'synthesis_failed',
  unknown_path: 'invalid_request',
  method_not_allowed: 'invalid_request',
  precondition_failed: 'invalid_request',
  range_not_satisfiable: 'invalid_request',
  shutting_down: 'internal_error',
} as const satisfies Partial<Record<ErrorCode, string>>

/** Returns the code that answers and the history show. */
export function publicCode(code: ErrorCode): string {
  return (publicCodes as Partial<Record<ErrorCode, string>>)[code] ?? code
}

export class AppError extends Error {
  override readonly name = 'AppError'
  /** The request field at fault, or null. */
  readonly param: string | null
  /** Seconds until a retry can succeed, if known. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    readonly code: ErrorCode,
    /** Shown to the caller. Names the field, the value found and the values allowed, and no internals. */
    message: string,
    options: { param?: string; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.param = options.param ?? null
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Returns an `AppError` as it is, and any other error as the cause of an `internal_error` without its details. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  return new AppError('internal_error', 'Something went wrong inside the service. Try again.', { cause: error })
}

/** Throws when an invariant is broken. The error is logged and answered as `internal_error`. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${message}`)
}
