/** Who calls: `Authorization: Bearer <API_KEY>`. */
import { authenticate, type Caller } from '../account/keys'
import type { Database } from '../db/database'
import { AppError } from '../errors'

const bearer = /^Bearer +([^\s]{1,256}) *$/i

/** Throws `missing_api_key`, `invalid_api_key`, `api_key_revoked`, `account_disabled`. */
export function requireCaller(db: Database, request: Request): Caller {
  const header = request.headers.get('authorization')
  if (!header) throw new AppError('missing_api_key', 'Send the header Authorization: Bearer <API_KEY>.')
  const apiKey = bearer.exec(header)?.[1]
  if (!apiKey) throw new AppError('missing_api_key', 'The Authorization header must read: Bearer <API_KEY>.')
  return authenticate(db, apiKey)
}

/** The caller, or undefined without the header; a bad header is an error, not an anonymous caller. */
export function optionalCaller(db: Database, request: Request): Caller | undefined {
  return request.headers.has('authorization') ? requireCaller(db, request) : undefined
}
