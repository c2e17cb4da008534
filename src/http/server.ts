/** All routes in one list, what every request gets, and what every error becomes. */
import { Elysia, NotFoundError } from 'elysia'
import { AppError } from '../errors'
import { limits } from '../config'
import { commit, version } from '../version'
import { audioRoutes } from './audio'
import type { HttpContext } from './context'
import { asAppError, errorResponse } from './errors'
import { requestIdOf } from './request-id'
import { ttsRoutes } from './tts'
import { voiceRoutes } from './voices'

export function createHttpServer(context: HttpContext) {
  const { log, isStopping } = context
  const { idleConnectionSeconds: idleTimeout } = limits
  // Without `reusePort: false` a second server on the same port would silently take half of the requests.
  return new Elysia({ serve: { maxRequestBodySize: bodyBytesAccepted, idleTimeout, reusePort: false } })
    .onRequest(({ request, set }) => {
      set.headers['x-request-id'] = requestIdOf(request)
      if (isStopping()) throw new AppError('shutting_down', 'The service is stopping.', { retryAfterSeconds: 5 })
    })
    .onError(({ request, error, set }) => {
      const known = error instanceof NotFoundError ? notFound(request) : asAppError(error)
      const requestId = requestIdOf(request)
      if (known.code === 'internal_error') log.error({ requestId, err: known.cause }, 'request failed')
      else if (known.cause) log.warn({ requestId, code: known.code, cause: String(known.cause) }, 'request failed')
      const response = errorResponse(known, requestId)
      const allowed = known.code === 'method_not_allowed' ? allowedMethods(request) : undefined
      if (allowed) response.headers.set('allow', allowed)
      // For the log: Elysia does not look into a finished response.
      set.status = response.status
      return response
    })
    .onAfterResponse(({ request, set }) => {
      const { pathname } = new URL(request.url)
      if (!pathname.startsWith('/api/')) return
      const status = set.status ?? 200
      log.info({ requestId: requestIdOf(request), method: request.method, path: pathname, status }, 'request')
    })
    .use(ttsRoutes(context))
    .use(voiceRoutes(context))
    .use(audioRoutes(context))
    .get('/api/v1/version', () => ({ version, api: ['v1'], commit }))
    .get('/healthz', () => ({ ok: true }))
}

/** More than any route takes: each route cuts its own body, and answers in our envelope. */
const bodyBytesAccepted = 1 << 30

/** Which methods a path has, for the answer to a wrong one. */
const methodsByPath: readonly [RegExp, string][] = [
  [/^\/api\/v1\/tts$/, 'POST'],
  [/^\/api\/v1\/(voices|version)$/, 'GET'],
  [/^\/healthz$/, 'GET'],
  [/^\/audio\//, 'GET, HEAD'],
]

function allowedMethods(request: Request): string | undefined {
  const { pathname } = new URL(request.url)
  return methodsByPath.find(([path]) => path.test(pathname))?.[1]
}

function notFound(request: Request): AppError {
  const allowed = allowedMethods(request)
  if (allowed) return new AppError('method_not_allowed', `This path has no ${request.method}; it has ${allowed}.`)
  return new AppError('unknown_path', 'There is nothing at this path.')
}
