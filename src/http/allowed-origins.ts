/** Lets pages of the origins that the operator names use the interfaces, without cookies (Fetch, CORS protocol). */
import { pathOf } from './path'
import { addHeaders, headersOf } from './request-state'

const opened = /^\/(api\/)?v1(\/|$)/

/** Headers that scripts of those pages may read besides the safelisted ones. */
const exposed = [
  'Content-Length',
  'Idempotent-Replay',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Remaining',
  'X-Request-Id',
  'X-Units',
].join(', ')

/** Undefined without origins: then no answer has headers for other origins. */
export function allowOrigins(origins: readonly string[]) {
  if (origins.length === 0) return undefined
  const allowed = new Set(origins)
  const originOf = (request: Request): string | undefined => {
    const origin = request.headers.get('origin')
    return origin !== null && allowed.has(origin) ? origin : undefined
  }

  /** Adds the permissions to the answer. Caches must keep the answers for each origin apart. */
  function open(request: Request): void {
    if (!opened.test(pathOf(request))) return
    addHeaders(request, { vary: 'Authorization, Origin' })
    const origin = originOf(request)
    if (origin === undefined) return
    addHeaders(request, { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed })
  }

  return {
    open,

    /** The answer to a preflight of such a page, whatever the path; undefined for other requests. */
    answerPreflight(request: Request): Response | undefined {
      if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) return undefined
      if (originOf(request) === undefined || !opened.test(pathOf(request))) return undefined
      open(request)
      addHeaders(request, {
        'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
        // The asterisk does not include Authorization.
        'access-control-allow-headers': 'Authorization, *',
        'access-control-max-age': '600',
      })
      return new Response(null, { status: 204, headers: headersOf(request) })
    },
  }
}
