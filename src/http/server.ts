/** All routes in one list, the common handling of requests, and the answer to every error. */
import { Elysia, NotFoundError } from 'elysia'
import { limits, operationTimeoutsMs, type Operation } from '../config'
import type { Deadline } from '../deadline'
import { AppError, asAppError, publicCode, type ErrorCode } from '../errors'
import { clientAddress } from '../net/address'
import { commit, version } from '../version'
import { createAccess } from './access'
import { accountRoutes } from './account'
import { adminRoutes } from './admin'
import { hasChunksLeft } from './arrival'
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

  /** Sets a longer idle time: Bun closes a connection without an answer after it, even while the body arrives. */
  function begin(request: Request, operation: Operation): Deadline {
    const seconds = operationTimeoutsMs[operation] / 1000
    if (outlastsIdle(operation)) app.server?.timeout(request, seconds + answerSpareSeconds)
    return beginOperation(request, operation)
  }

  /** Restores the usual idle time; a connection with the rest of a refused body gets a shorter one. */
  function limitConnection(request: Request, code?: ErrorCode): void {
    if (code && refusesBody.includes(code)) app.server?.timeout(request, limits.refusedBodySeconds)
    else if (outlastsIdle(stateOf(request).operation)) app.server?.timeout(request, idleTimeout)
  }

  // `reusePort: false` prevents a second server on the same port from silently taking half of the requests.
  // `development: false` hides Bun's error page, which shows the stack. `standardHostname` tells Elysia where the path
  // starts: after a host name of at least four letters, or else directly after `http://`, which is wrong for
  // `https://`.
  const app = new Elysia({
    serve: { maxRequestBodySize: bodyBytesAccepted, idleTimeout, reusePort: false, development: false },
    handler: { standardHostname: options.isTls },
  })
    .onBeforeHandle(({ request }) => {
      // The request's clock starts here.
      stateOf(request).stopping = stopping
      if (stopping.aborted) throw new AppError('shutting_down', 'The service is stopping.', { retryAfterSeconds: 5 })
    })
    .onAfterHandle(({ request, set, responseValue }) => {
      Object.assign(set.headers, headersOf(request))
      set.headers['cache-control'] ??= 'private, no-store'
      if (hasChunksLeft(request)) set.headers.connection = 'close'
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
      if (hasChunksLeft(request)) response.headers.set('connection', 'close')
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

/** Time after the deadline to send the error. Bun allows at most 255 s in total. */
const answerSpareSeconds = 15

const outlastsIdle = (operation: Operation) => operationTimeoutsMs[operation] >= limits.idleConnectionSeconds * 1000

/** Above the limit of every route: each route limits its own body and answers with the error envelope. */
const bodyBytesAccepted = 1 << 30

/** The methods of each path, for the answer to a wrong one. */
function methodsByPath(routes: readonly { path: string; method: string }[]) {
  const patterns = routes.map(({ path, method }) => {
    const pattern = path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.+')
    return { pattern: new RegExp(`^${pattern}/?$`), method }
  })
  return (pathname: string): string | undefined => {
    const methods = patterns.filter(({ pattern }) => pattern.test(pathname)).map(({ method }) => method)
    // A path with GET also has HEAD.
    const all = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    return all.length > 0 ? [...new Set(all)].join(', ') : undefined
  }
}
