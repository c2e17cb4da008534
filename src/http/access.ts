/**
 * Authenticates callers by `Authorization: Bearer <API_KEY>` or, without that header, by the cookie of a session, and
 * applies the access rule and limit of an operation. With the header the cookie is ignored.
 */
import { foldEmail } from '../account/email'
import { authenticate, type Caller, type createKeyUse } from '../account/keys'
import { limits, type RateLimits } from '../config'
import type { Database } from '../db/database'
import { createMemo } from '../db/statements'
import { AppError } from '../errors'
import { limitSubject } from '../net/address'
import type { Method, Operation } from '../operations/operation'
import type { OwnPage } from './own-page'
import { createCallCounter, createFailureCounter } from './rate-limits'
import { stateOf } from './request-state'
import type { SessionAccess } from './session-access'

export type Access = ReturnType<typeof createAccess>

const bearer = /^Bearer +([^\s]{1,256}) *$/i

type AccessOptions = {
  readonly db: Database
  readonly rateLimits: RateLimits
  readonly keyUse: ReturnType<typeof createKeyUse>
  /** The client's address. */
  readonly addressOf: (request: Request) => string
  readonly sessions: SessionAccess
  readonly ownPage: OwnPage
  readonly nowMs?: () => number
}

/** The parts of an operation that say who may call it. */
export type Entry = Pick<Operation, 'access' | 'limit' | 'body'> & { readonly method: Method }

export function createAccess(options: AccessOptions) {
  const { rateLimits, sessions, ownPage, keyUse, nowMs = Date.now } = options
  const subjectOf = (request: Request) => limitSubject(options.addressOf(request))
  const calls = createCallCounter(rateLimits)
  const failures = createFailureCounter()
  /** Valid keys still work after too many wrong ones from an address, because clients may share it. */
  const identify = createAuthentication(options, (request) => failures.countWrongKey(request, subjectOf(request)))

  function enterBySession(request: Request, secret: string, { method, body }: Entry): Caller {
    if (method !== 'GET') ownPage.ensure(request, { mayLackOrigin: false, mayBeForm: body?.form !== undefined })
    try {
      const caller = sessions.identify(request, secret)
      keyUse.note(caller.keyId, nowMs())
      stateOf(request).caller = caller
      return caller
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_session')
        failures.countWrongKey(request, subjectOf(request))
      throw error
    }
  }

  return {
    /**
     * Returns the caller, and counts the call where the operation has a limit. Undefined: an anonymous caller, where
     * the operation allows one. An invalid header or an ended session is an error, not an anonymous caller. Throws
     * `missing_api_key`, `invalid_api_key`, `invalid_session`, `api_key_revoked`, `account_disabled`,
     * `permission_denied`, `rate_limited`, and `invalid_params` for the type of a body.
     */
    enter(request: Request, entry: Entry): Caller | undefined {
      const { access, limit } = entry
      if (access === 'public') return undefined
      if (access === 'sign-in') {
        ownPage.ensure(request, { mayLackOrigin: true, mayBeForm: false })
        return undefined
      }
      const hasHeader = request.headers.has('authorization')
      const secret = hasHeader ? undefined : sessions.secretOf(request)
      if (access === 'optional key' && !hasHeader && secret === undefined) {
        if (limit && rateLimits.anonymous > 0) calls.countAnonymousCall(request, limit, subjectOf(request))
        return undefined
      }
      if (access === 'session' && !hasHeader && secret === undefined)
        throw new AppError('missing_api_key', 'Sign in first: this takes the session of a person.')
      const caller = secret === undefined ? identify(request) : enterBySession(request, secret, entry)
      ensurePermitted(caller, access)
      if (limit) calls.countCall(request, limit, caller)
      return caller
    },

    /** Runs `guess`, which tries an activation code. Throws its errors, and `rate_limited` after too many wrong codes. */
    guessCode<T>(request: Request, caller: Caller, guess: () => T): T {
      return failures.guessCode(request, caller, subjectOf(request), guess)
    },

    /** Limits wrong tokens of links from the client's address. */
    guessTokenOf:
      (request: Request) =>
      <T>(guess: () => T): T =>
        failures.guessToken(request, subjectOf(request), guess),

    /** Limits wrong passwords of an e-mail address and from the client's address. */
    throttleOf: (request: Request) => (email: string) =>
      failures.throttlePassword(request, foldEmail(email), subjectOf(request)),
  }
}

/** Throws `permission_denied`. */
function ensurePermitted({ role, session }: Caller, access: Operation['access']): void {
  if (access === 'session' && !session)
    throw new AppError('permission_denied', 'This takes the session of a person; an API key cannot do it.')
  if (access === 'own keys' && !session && role !== 'admin')
    throw new AppError('permission_denied', 'This takes the session of a person, or the API key of an administrator.')
  if (access === 'administrator' && role !== 'admin')
    throw new AppError('permission_denied', 'This takes the API key or the session of an administrator.')
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
