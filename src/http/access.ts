/** Authenticates callers (`Authorization: Bearer <API_KEY>`) and applies the access rule and limit of an operation. */
import { authenticate, type Caller, type createKeyUse } from '../account/keys'
import { limits, type RateLimits } from '../config'
import type { Database } from '../db/database'
import { createMemo } from '../db/statements'
import { AppError } from '../errors'
import { limitSubject } from '../net/address'
import type { Operation } from '../operations/operation'
import { createCallCounter, createFailureCounter } from './rate-limits'
import { stateOf } from './request-state'

export type Access = ReturnType<typeof createAccess>

const bearer = /^Bearer +([^\s]{1,256}) *$/i

type AccessOptions = {
  readonly db: Database
  readonly rateLimits: RateLimits
  readonly keyUse: ReturnType<typeof createKeyUse>
  /** The client's address. */
  readonly addressOf: (request: Request) => string
  readonly nowMs?: () => number
}

export function createAccess(options: AccessOptions) {
  const { rateLimits } = options
  const subjectOf = (request: Request) => limitSubject(options.addressOf(request))
  const calls = createCallCounter(rateLimits)
  const failures = createFailureCounter()
  /** Valid keys still work after too many wrong ones from an address, because clients may share it. */
  const identify = createAuthentication(options, (request) => failures.countWrongKey(request, subjectOf(request)))

  function enterByKey(request: Request, { access, limit }: Pick<Operation, 'access' | 'limit'>): Caller {
    const caller = identify(request)
    if (access === 'administrator' && caller.role !== 'admin')
      throw new AppError('permission_denied', 'This takes the API key of an administrator.')
    if (limit) calls.countCall(request, limit, caller)
    return caller
  }

  return {
    /**
     * Returns the caller, and counts the call where the operation has a limit. Undefined: an anonymous caller, where
     * the operation allows one. An invalid header is an error, not an anonymous caller. Throws `missing_api_key`,
     * `invalid_api_key`, `api_key_revoked`, `account_disabled`, `permission_denied`, `rate_limited`.
     */
    enter(request: Request, operation: Pick<Operation, 'access' | 'limit'>): Caller | undefined {
      const { access, limit } = operation
      if (access === 'public') return undefined
      if (access !== 'optional key' || request.headers.has('authorization')) return enterByKey(request, operation)
      if (limit && rateLimits.anonymous > 0) calls.countAnonymousCall(request, limit, subjectOf(request))
      return undefined
    },

    /** Runs `guess`, which tries an activation code. Throws its errors, and `rate_limited` after too many wrong codes. */
    guessCode<T>(request: Request, caller: Caller, guess: () => T): T {
      return failures.guessCode(request, caller, subjectOf(request), guess)
    },
  }
}

/** Returns a function that finds the caller of a request by its key. */
function createAuthentication(
  { db, keyUse, nowMs = Date.now }: AccessOptions,
  onWrongKey: (request: Request) => void,
): (request: Request) => Caller {
  const remember = createMemo(db, limits.rememberedMax)

  function check(apiKey: string, request: Request): Caller {
    try {
      const now = nowMs()
      const caller = remember(apiKey, () => authenticate(db, apiKey, now))
      const isExpired = caller.expiresAtMs !== null && caller.expiresAtMs <= now
      return isExpired ? authenticate(db, apiKey, now) : caller
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_api_key') onWrongKey(request)
      throw error
    }
  }

  return (request) => {
    const header = request.headers.get('authorization')
    if (!header) throw new AppError('missing_api_key', 'Send the header Authorization: Bearer <API_KEY>.')
    const apiKey = bearer.exec(header)?.[1]
    if (!apiKey) throw new AppError('missing_api_key', 'The Authorization header must read: Bearer <API_KEY>.')
    const caller = check(apiKey, request)
    stateOf(request).caller = caller
    keyUse.note(caller.keyId, nowMs())
    return caller
  }
}
