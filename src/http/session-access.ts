/** Finds the session of a request by its cookie, renews its secret and notes its use. */
import { ensureLasting, findSession, rotateSession, type createSessionUse } from '../account/sessions'
import type { Caller } from '../account/keys'
import { limits } from '../config'
import type { Database } from '../db/database'
import { createMemo, isBusy } from '../db/statements'
import { asAppError } from '../errors'
import { readCookie, writeCookie } from './cookie'
import { addHeaders } from './request-state'

/** How a request of the caller came, for the history. */
export const surfaceOf = ({ session }: Caller) => (session ? 'console' : 'api')

/** The caller of a session. */
export type SessionCaller = Caller & Required<Pick<Caller, 'session'>>

export type SessionAccess = ReturnType<typeof createSessionAccess>

type Options = {
  readonly db: Database
  readonly sessionUse: ReturnType<typeof createSessionUse>
  /** Whether clients reach the server over https. */
  readonly isSecure: (request: Request) => boolean
  readonly nowMs: () => number
}

export function createSessionAccess({ db, sessionUse, isSecure, nowMs }: Options) {
  const remember = createMemo(db, limits.rememberedMax)

  const find = (secret: string) => {
    const session = sessionUse.update(remember(secret, () => findSession(db, secret)))
    ensureLasting(session, nowMs())
    return session
  }

  /** A busy or full database only delays the new secret. */
  const rotate = (secret: string, session: ReturnType<typeof find>): string | undefined => {
    try {
      return rotateSession(db, secret, session, nowMs())
    } catch (error) {
      if (isBusy(error) || asAppError(error).code === 'storage_failed') return undefined
      throw error
    }
  }

  /** The secret in the cookie of the request. */
  const secretOf = (request: Request): string | undefined =>
    request.headers.has('cookie') ? readCookie(request, isSecure(request)) : undefined

  /** Sets the cookie of the client; undefined removes it. */
  const setCookie = (request: Request, secret: string | undefined): void =>
    addHeaders(request, { 'set-cookie': writeCookie(secret, isSecure(request)) })

  return {
    secretOf,
    setCookie,

    /** Returns the caller. Throws `invalid_session`. */
    identify(request: Request, secret: string): SessionCaller {
      const session = find(secret)
      const next = rotate(secret, session)
      if (next !== undefined) setCookie(request, next)
      sessionUse.note(session.id, nowMs())
      return session.caller
    },

    /** The session that the client of a request has now, if any. */
    presentOf(request: Request): SessionCaller['session'] | undefined {
      const secret = secretOf(request)
      try {
        return secret === undefined ? undefined : find(secret).caller.session
      } catch (error) {
        if (asAppError(error).code === 'invalid_session') return undefined
        throw error
      }
    },
  }
}
