/** All routes in one list, what every request gets, and what every error becomes. */
import { Elysia, NotFoundError } from 'elysia'
import { limits, operationTimeoutsMs, type Operation } from '../config'
import type { Deadline } from '../deadline'
import { AppError, asAppError, publicCode, type ErrorCode } from '../errors'
import { clientAddress } from '../net/address'
import { commit, version } from '../version'
import { createAccess } from './access'
import { accountRoutes } from './account'
import { adminRoutes } from './admin'
import { audioRoutes } from './audio'
import { cloneRoutes } from './clones'
import { computeRoutes } from './compute'
import type { HttpContext, ServerOptions } from './context'
import { docsRoutes } from './docs'
import { errorResponse, refusesBody } from './errors'
import { homeRoutes } from './home'
import { packRoutes } from './packs'
import { pathOf } from './path'
import { createRequestLog } from './request-log'
import { beginOperation, headersOf, requestIdOf, stateOf } from './request-state'
import { ttsRoutes } from './tts'
import { voiceRoutes } from './voices'

export function createHttpServer(options: ServerOptions) {
  const { db, rateLimits, keyUse, trustedProxies, log, stopping } = options
  const addressOf = (request: Request) =>
    clientAddress(app.server?.requestIP(request)?.address ?? '', request.headers.get('x-forwarded-for'), trustedProxies)
  const context: HttpContext = { ...options, begin, access: createAccess({ db, rateLimits, keyUse, addressOf }) }
  const logRequest = createRequestLog(log, addressOf)
  const { idleConnectionSeconds: idleTimeout } = limits
  let methodsAt: ((pathname: string) => string | undefined) | undefined

  function notFound(request: Request): { error: AppError; allow?: string } {
    methodsAt ??= methodsByPath(app.routes)
    const allow = methodsAt(pathOf(request))
    if (!allow) return { error: new AppError('unknown_path', 'There is nothing at this path.') }
    const message = `This path has no ${request.method}; it has ${allow}.`
    return { error: new AppError('method_not_allowed', message), allow }
  }

  /** Bun closes a connection whose answer has not begun in its idle time, also while the body arrives. */
  function begin(request: Request, operation: Operation): Deadline {
    const seconds = operationTimeoutsMs[operation] / 1000
    if (outlastsIdle(operation)) app.server?.timeout(request, seconds + answerSpareSeconds)
    return beginOperation(request, operation)
  }

  /** From now on an idle connection is closed as usual, one with the rest of a refused body sooner. */
  function limitConnection(request: Request, code?: ErrorCode): void {
    if (code && refusesBody.includes(code)) app.server?.timeout(request, limits.refusedBodySeconds)
    else if (outlastsIdle(stateOf(request).operation)) app.server?.timeout(request, idleTimeout)
  }

  // Without `reusePort: false` a second server on the same port would silently take half of the requests.
  // Bun's page for development would show the stack. Elysia looks for the path behind a host name of four letters or,
  // where it is told that there are shorter ones, right behind `http://`, which with TLS would be within `https://`.
  const app = new Elysia({
    serve: { maxRequestBodySize: bodyBytesAccepted, idleTimeout, reusePort: false, development: false },
    handler: { standardHostname: options.isTls },
  })
    .onBeforeHandle(({ request }) => {
      // The clock of the request begins here.
      stateOf(request).stopping = stopping
      if (stopping.aborted) throw new AppError('shutting_down', 'The service is stopping.', { retryAfterSeconds: 5 })
    })
    .onAfterHandle(({ request, set, responseValue }) => {
      Object.assign(set.headers, headersOf(request))
      set.headers['cache-control'] ??= 'private, no-store'
      limitConnection(request)
      logRequest(request, responseValue instanceof Response ? responseValue.status : 200)
    })
    .onError(({ request, error }) => {
      const { error: known, allow } =
        error instanceof NotFoundError ? notFound(request) : { error: asAppError(error), allow: undefined }
      const requestId = requestIdOf(request)
      if (known.code === 'internal_error') log.error({ requestId, err: known.cause }, 'request failed')
      else if (known.cause) log.warn({ requestId, code: known.code, cause: String(known.cause) }, 'request failed')
      const response = errorResponse(known, requestId, headersOf(request))
      if (allow) response.headers.set('allow', allow)
      limitConnection(request, known.code)
      logRequest(request, response.status, publicCode(known.code))
      return response
    })
    .use(ttsRoutes(context))
    .use(voiceRoutes(context))
    .use(cloneRoutes(context))
    .use(accountRoutes(context))
    .use(adminRoutes(context))
    .use(computeRoutes(context))
    .use(packRoutes(context))
    .use(audioRoutes(context))
    .use(docsRoutes(context))
    .use(homeRoutes(context))
    .get('/api/v1/version', () => ({ version, api: ['v1'], commit }))
    .get('/healthz', () => ({ ok: true }))
  return app
}

/** After the deadline, for the answer that says so. Bun takes 255 s at most. */
const answerSpareSeconds = 15

const outlastsIdle = (operation: Operation) => operationTimeoutsMs[operation] >= limits.idleConnectionSeconds * 1000

/** More than any route takes: each route cuts its own body, and answers in our envelope. */
const bodyBytesAccepted = 1 << 30

/** Which methods a path has, for the answer to a wrong one. */
function methodsByPath(routes: readonly { path: string; method: string }[]) {
  const patterns = routes.map(({ path, method }) => {
    const pattern = path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.+')
    return { pattern: new RegExp(`^${pattern}/?$`), method }
  })
  return (pathname: string): string | undefined => {
    const methods = patterns.filter(({ pattern }) => pattern.test(pathname)).map(({ method }) => method)
    // Whatever has GET has HEAD.
    const all = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    return all.length > 0 ? [...new Set(all)].join(', ') : undefined
  }
}
