/**
 * Checks that a change with a cookie comes from a page of this server: its `Origin` is the base URL's or, without one,
 * scheme and `Host` of the request with a host of this machine; and its body is JSON, which no form of another page can
 * send.
 */
import type { Config } from '../config'
import { AppError } from '../errors'
import { createOwnNames } from './own-names'

export type OwnPage = {
  /** Throws `permission_denied` for a foreign or missing Origin, `invalid_params` for a body that is not JSON. */
  ensure(request: Request, rules: Rules): void
}

type Rules = {
  /** Whether the request may have no Origin. Programs send none, and browsers send one with every change. */
  readonly mayLackOrigin: boolean
  /** Whether the body may be a form (multipart/form-data). */
  readonly mayBeForm: boolean
}

export function createOwnPage(
  { baseUrl, tls }: Pick<Config, 'baseUrl' | 'tls'>,
  isOwnName: (hostname: string) => boolean = createOwnNames(),
): OwnPage {
  const configured = baseUrl === undefined ? undefined : new URL(baseUrl).origin
  const scheme = tls ? 'https' : 'http'

  function ownOrigin(request: Request): string | undefined {
    if (configured !== undefined) return configured
    const url = URL.parse(`${scheme}://${request.headers.get('host') ?? ''}`)
    return url && isOwnName(url.hostname) ? url.origin : undefined
  }

  return {
    ensure(request, { mayLackOrigin, mayBeForm }) {
      const origin = request.headers.get('origin')
      if (origin === null ? !mayLackOrigin : origin !== ownOrigin(request)) throw foreign(origin)
      if (hasBody(request) && !isAllowedType(request.headers.get('content-type') ?? '', mayBeForm)) {
        const allowed = `application/json${mayBeForm ? ' or multipart/form-data' : ''}`
        throw new AppError('invalid_params', `Content-Type: ${allowed} is required.`, { param: 'Content-Type' })
      }
    },
  }
}

function foreign(origin: string | null): AppError {
  const found = origin === null ? 'nothing' : JSON.stringify(origin.slice(0, 100))
  const message = `Origin: found ${found}; with a session only pages of this server may make changes. Behind a proxy or another name, its operator sets --base-url.`
  return new AppError('permission_denied', message, { param: 'Origin' })
}

function hasBody({ headers }: Request): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0
}

function isAllowedType(contentType: string, mayBeForm: boolean): boolean {
  const type = contentType.split(';')[0]!.trim().toLowerCase()
  return type === 'application/json' || (mayBeForm && type === 'multipart/form-data')
}
