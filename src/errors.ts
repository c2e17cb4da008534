/**
 * What a caller can cause, as one error type with a closed set of codes. No HTTP in here: `http/errors.ts` maps every
 * code to its status and type.
 */

export type ErrorCode =
  | 'invalid_params'
  | 'invalid_format'
  | 'invalid_speed'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'account_disabled'
  | 'api_key_revoked'
  | 'group_forbidden'
  | 'group_not_found'
  | 'voice_not_found'
  | 'rate_limited'
  | 'synthesis_failed'
  | 'synthesis_timeout'
  | 'client_gone'
  | 'storage_failed'
  | 'transcode_failed'
  | 'speed_processing_failed'
  | 'payload_too_large'
  | 'not_found'
  | 'unknown_path'
  | 'method_not_allowed'
  | 'shutting_down'
  | 'internal_error'

export class AppError extends Error {
  override readonly name = 'AppError'
  /** The request field at fault, or null. */
  readonly param: string | null
  /** When to try again, where that is known. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    readonly code: ErrorCode,
    /** For the caller's eyes: names the field, what was found, what is allowed; nothing of the inside. */
    message: string,
    options: { param?: string; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.param = options.param ?? null
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** A broken invariant is our fault: it is logged and answered as `internal_error`. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${message}`)
}
