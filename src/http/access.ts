/** Authenticates callers (`Authorization: Bearer <API_KEY>`) and applies their rate limits. */
import { authenticate, type Caller, type createKeyUse } from '../account/keys'
import { limits, type RateLimits } from '../config'
import type { Database } from '../db/database'
import { createMemo } from '../db/statements'
import { AppError } from '../errors'
import { limitSubject } from '../net/address'
import { stateOf } from './request-state'
import { createWindow, type Verdict } from './window'

export type Access = ReturnType<typeof createAccess>

/** The rate limits, each with its own window. */
export type Limited =
  | 'tts'
  | 'clone'
  | 'cloneDeletion'
  | 'precheck'
  | 'voices'
  | 'balance'
  | 'usage'
  | 'account'
  | 'estimate'
  | 'activation'

const bearer = /^Bearer +([^\s]{1,256}) *$/i
const windowMs = 60_000

export function createAccess(options: {
  db: Database
  rateLimits: RateLimits
  keyUse: ReturnType<typeof createKeyUse>
  /** The client's address. */
  addressOf: (request: Request) => string
  nowMs?: () => number
}) {
  const { db, rateLimits, keyUse, addressOf, nowMs = Date.now } = options
  const remember = createMemo(db, limits.rememberedMax)
  const calls = createWindow({ windowMs, subjectsMax: limits.limitedSubjectsMax })
  const failures = createWindow({ windowMs, subjectsMax: limits.limitedSubjectsMax })

  /**
   * After too many wrong keys from an address, further wrong ones get `rate_limited`. Valid keys from it still work,
   * because clients may share an address.
   */
  function check(apiKey: string, request: Request): Caller {
    try {
      const now = nowMs()
      const caller = remember(apiKey, () => authenticate(db, apiKey, now))
      const isExpired = caller.expiresAtMs !== null && caller.expiresAtMs <= now
      return isExpired ? authenticate(db, apiKey, now) : caller
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_api_key') countWrongKey(request)
      throw error
    }
  }

  function countWrongKey(request: Request): void {
    const verdict = failures.take(`key ${limitSubject(addressOf(request))}`, limits.wrongKeysPerMinute)
    if (!verdict.allowed) throw tooMany(request, verdict, 'Too many failed attempts')
  }

  function take(request: Request, subject: string, limit: number): void {
    if (limit === 0) return
    const verdict = calls.take(subject, limit)
    stateOf(request).verdict = verdict
    if (!verdict.allowed) throw tooMany(request, verdict, `The limit of ${limit} calls per minute is reached`)
  }

  function limitOf(limited: Limited, caller: Caller): number {
    if (limited === 'tts') return caller.limits.tts ?? rateLimits.tts
    if (limited === 'clone') return caller.limits.clone ?? rateLimits.clone
    if (limited === 'cloneDeletion') return Math.min(rateLimits.account, limits.cloneDeletionsPerMinute)
    return limited === 'voices' ? rateLimits.voices : rateLimits.account
  }

  function identify(request: Request): Caller {
    const header = request.headers.get('authorization')
    if (!header) throw new AppError('missing_api_key', 'Send the header Authorization: Bearer <API_KEY>.')
    const apiKey = bearer.exec(header)?.[1]
    if (!apiKey) throw new AppError('missing_api_key', 'The Authorization header must read: Bearer <API_KEY>.')
    const caller = check(apiKey, request)
    stateOf(request).caller = caller
    keyUse.note(caller.keyId, nowMs())
    return caller
  }

  return {
    /**
     * Authenticates the caller and counts the call. Throws `missing_api_key`, `invalid_api_key`, `api_key_revoked`,
     * `account_disabled`, `rate_limited`.
     */
    caller(request: Request, limited: Limited): Caller {
      const caller = identify(request)
      take(request, `${limited} ${caller.keyId}`, limitOf(limited, caller))
      return caller
    },

    /** As `caller`, but undefined without the header. An invalid header is an error, not an anonymous caller. */
    callerOrNobody(request: Request, limited: Limited): Caller | undefined {
      if (request.headers.has('authorization')) return this.caller(request, limited)
      if (rateLimits.anonymous > 0)
        take(request, `${limited} ${limitSubject(addressOf(request))}`, rateLimits.anonymous)
      return undefined
    },

    /** Throws `permission_denied` for other roles, and the errors of `caller`. */
    administrator(request: Request): Caller {
      const caller = identify(request)
      if (caller.role !== 'admin')
        throw new AppError('permission_denied', 'This takes the API key of an administrator.')
      return caller
    },

    /**
     * Runs `guess`, which throws `invalid_params` for a wrong code. After too many wrong ones by a key or from an
     * address, both are blocked for a while; with the key limit alone, a client with many keys could guess without
     * limit.
     */
    guessing<T>(request: Request, caller: Caller, guess: () => T): T {
      const subjects = [`guess ${caller.keyId}`, `guess ${limitSubject(addressOf(request))}`]
      for (const subject of subjects) {
        const verdict = failures.peek(subject, limits.wrongCodesPerMinute)
        if (!verdict.allowed) throw tooMany(request, verdict, 'Too many wrong codes')
      }
      try {
        return guess()
      } catch (error) {
        if (error instanceof AppError && error.code === 'invalid_params')
          for (const subject of subjects) failures.take(subject, limits.wrongCodesPerMinute)
        throw error
      }
    },
  }
}

function tooMany(request: Request, verdict: Verdict, reason: string): AppError {
  stateOf(request).verdict = verdict
  const { retryAfterSeconds } = verdict
  return new AppError('rate_limited', `${reason}; try again in ${retryAfterSeconds} s.`, { retryAfterSeconds })
}
