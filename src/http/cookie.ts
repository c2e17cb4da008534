/**
 * The cookie of a session (RFC 6265bis). Scripts cannot read it, and no other site can make a browser send it. The prefix
 * `__Host-` keeps subdomains from setting it; browsers accept it over https only.
 */
import { limits } from '../config'

const plainName = 'sonant_session'
const secureName = `__Host-${plainName}`

/** `isSecure`: whether clients reach the server over https. */
export function readCookie(request: Request, isSecure: boolean): string | undefined {
  const header = request.headers.get('cookie')
  if (header === null) return undefined
  const start = `${isSecure ? secureName : plainName}=`
  const pair = header.split(';').find((each) => each.trimStart().startsWith(start))
  return pair?.trim().slice(start.length)
}

/**
 * The value of `Set-Cookie`; undefined removes the cookie. Browsers forget it when the session would end without use; a
 * new secret renews that time.
 */
export function writeCookie(secret: string | undefined, isSecure: boolean): string {
  const seconds = secret === undefined ? 0 : limits.sessionIdleMs / 1000
  const name = isSecure ? secureName : plainName
  return `${name}=${secret ?? ''}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}
