/** Who calls (`Authorization: Bearer <API_KEY>`), and whether they may call again already. */
import { authenticate, type Caller, type createKeyUse } from '../account/keys'
import { limits, type RateLimits } from '../config'
import type { Database } from '../db/database'
import { createMemo } from '../db/statements'
import { AppError } from '../errors'
import { limitSubject } from '../net/address'
import { stateOf } from './request-state'
import { createWindow, type Verdict } from './window'

export type Access = ReturnType<typeof createAccess>

/** What is limited, each by its own window. */
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

  /** Wrong keys from an address are soon not looked at any more; right ones still are, for others may share it. */
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
     * Whoever calls, within their limit. Throws `missing_api_key`, `invalid_api_key`, `api_key_revoked`,
     * `account_disabled`, `rate_limited`.
     */
    caller(request: Request, limited: Limited): Caller {
      const caller = identify(request)
      take(request, `${limited} ${caller.keyId}`, limitOf(limited, caller))
      return caller
    },

    /** As `caller`, but nobody without the header; a bad header is an error, not an anonymous caller. */
    callerOrNobody(request: Request, limited: Limited): Caller | undefined {
      if (request.headers.has('authorization')) return this.caller(request, limited)
      if (rateLimits.anonymous > 0)
        take(request, `${limited} ${limitSubject(addressOf(request))}`, rateLimits.anonymous)
      return undefined
    },

    /** Throws `permission_denied` for a caller who is none, and what `caller` throws. */
    administrator(request: Request): Caller {
      const caller = identify(request)
      if (caller.role !== 'admin')
        throw new AppError('permission_denied', 'This takes the API key of an administrator.')
      return caller
    },

    /**
     * Runs `guess`, which throws `invalid_params` when it was wrong. After too many wrong ones by a key, or from an
     * address, neither guesses for a while: with many keys one could else guess as often as one likes.
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
