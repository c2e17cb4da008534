/** Counts calls and failed attempts, and refuses what exceeds a limit. The counts go into the headers of the answer. */
import type { Caller } from '../account/keys'
import { limits, type RateLimits } from '../config'
import { AppError } from '../errors'
import type { RateLimit } from '../operations/operation'
import { stateOf } from './request-state'
import { createWindow, type Verdict } from './window'

const windowMs = 60_000

/** Counts calls per key, and those of anonymous callers per address. Each limit has a count of its own. */
export function createCallCounter(rateLimits: RateLimits) {
  const calls = createWindow({ windowMs, subjectsMax: limits.limitedSubjectsMax })

  function take(request: Request, subject: string, callsMax: number): void {
    if (callsMax === 0) return
    const verdict = calls.take(subject, callsMax)
    stateOf(request).verdict = verdict
    if (!verdict.allowed) throw tooMany(request, verdict, `The limit of ${callsMax} calls per minute is reached`)
  }

  function callsMaxOf(limit: RateLimit, caller: Caller): number {
    if (limit === 'tts') return caller.limits.tts ?? rateLimits.tts
    if (limit === 'clone') return caller.limits.clone ?? rateLimits.clone
    if (limit === 'cloneDeletion') return Math.min(rateLimits.account, limits.cloneDeletionsPerMinute)
    return limit === 'voices' ? rateLimits.voices : rateLimits.account
  }

  return {
    /** Throws `rate_limited`. */
    countCall(request: Request, limit: RateLimit, caller: Caller): void {
      take(request, `${limit} ${caller.keyId}`, callsMaxOf(limit, caller))
    },

    /** `subject`: the address or network of the caller. Throws `rate_limited`. */
    countAnonymousCall(request: Request, limit: RateLimit, subject: string): void {
      take(request, `${limit} ${subject}`, rateLimits.anonymous)
    },
  }
}

/** Counts wrong keys, activation codes, tokens and passwords. `subject`: the address or network of the client. */
export function createFailureCounter() {
  const failures = createWindow({ windowMs, subjectsMax: limits.limitedSubjectsMax })

  function limitGuesses<T>(
    request: Request,
    { subjects, max, of }: { subjects: readonly string[]; max: number; of: string },
    guess: () => T,
  ): T {
    for (const each of subjects) {
      const verdict = failures.peek(each, max)
      if (!verdict.allowed) throw tooMany(request, verdict, `Too many wrong ${of}`)
    }
    try {
      return guess()
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_params')
        for (const each of subjects) failures.take(each, max)
      throw error
    }
  }

  return {
    /** Throws `rate_limited` after too many. */
    countWrongKey(request: Request, subject: string): void {
      const verdict = failures.take(`key ${subject}`, limits.wrongKeysPerMinute)
      if (!verdict.allowed) throw tooMany(request, verdict, 'Too many failed attempts')
    },

    /**
     * Runs `guess`, which throws `invalid_params` for a wrong code. After too many wrong ones by a key or from an
     * address, both are blocked for a while; with the key limit alone, a client with many keys could guess without
     * limit.
     */
    guessCode<T>(request: Request, caller: Caller, subject: string, guess: () => T): T {
      const subjects = [`guess ${caller.keyId}`, `guess ${subject}`]
      return limitGuesses(request, { subjects, max: limits.wrongCodesPerMinute, of: 'codes' }, guess)
    },

    /** Runs `guess`, which throws `invalid_params` for a wrong token of a link. */
    guessToken<T>(request: Request, subject: string, guess: () => T): T {
      const subjects = [`token from ${subject}`]
      return limitGuesses(request, { subjects, max: limits.wrongTokensPerMinute, of: 'tokens' }, guess)
    },

    /**
     * Limits the passwords, and more strictly the wrong ones, of one e-mail address and from one client address. `admit`
     * counts one and throws `rate_limited` after too many; `onWrong` counts a wrong one.
     */
    throttlePassword(request: Request, email: string, subject: string) {
      const subjects = [`password ${email}`, `password from ${subject}`]
      const max = limits.wrongPasswordsPerMinute
      return {
        admit(): void {
          for (const each of subjects) {
            const verdict = failures.peek(each, max)
            if (!verdict.allowed) throw tooMany(request, verdict, 'Too many wrong passwords')
          }
          for (const each of subjects) {
            const verdict = failures.take(`any ${each}`, limits.passwordsPerMinute)
            if (!verdict.allowed) throw tooMany(request, verdict, 'Too many sign-ins')
          }
        },
        onWrong(): void {
          for (const each of subjects) failures.take(each, max)
        },
      }
    },
  }
}

function tooMany(request: Request, verdict: Verdict, reason: string): AppError {
  stateOf(request).verdict = verdict
  const { retryAfterSeconds } = verdict
  return new AppError('rate_limited', `${reason}; try again in ${retryAfterSeconds} s.`, { retryAfterSeconds })
}
