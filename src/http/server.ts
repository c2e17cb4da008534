/** All routes in one list, the common handling of requests, and the answer to every error. */
import { Elysia, NotFoundError } from 'elysia'
import { limits, operationTimeoutMs, type TimedOperation } from '../config'
import type { Deadline } from '../deadline'
import { AppError, asAppError, type ErrorCode } from '../errors'
import { clientAddress } from '../net/address'
import { commit, version } from '../version'
import { createAccess } from './access'
import { accountHandlers } from './account'
import { adminHandlers } from './admin'
import { hasChunksLeft } from './arrival'
import { audioHandlers } from './audio'
import { cloneHandlers } from './clones'
import { computeHandlers } from './compute'
import { consoleHandlers } from './console'
import type { HttpContext, ServerOptions } from './context'
import { crossOrigin } from './cross-origin'
import { docsHandlers } from './docs'
import { allowOrigins } from './allowed-origins'
import { dialectOf, errorResponse, refusesBody, shownAs } from './errors'
import { packUploadHandlers } from './pack-uploads'
import { openAiHandlers } from './openai'
import { pathOf } from './path'
import { ownKeyHandlers } from './own-keys'
import { peopleHandlers } from './people'
import { createRequestLog } from './request-log'
import { addHeaders, beginOperation, headersOf, requestIdOf, stateOf } from './request-state'
import { addRoutes, createPathFinder, type Handlers } from './routes'
import { createSessionAccess } from './session-access'
import { systemHandlers } from './system'
import { ttsHandlers } from './tts'
import { voiceHandlers } from './voices'

export function createHttpServer(options: ServerOptions) {
  const { db, rateLimits, keyUse, sessionUse, ownPage, trustedProxies, log, stopping } = options
  const addressOf = (request: Request) =>
    clientAddress(app.server?.requestIP(request)?.address ?? '', request.headers.get('x-forwarded-for'), trustedProxies)
  const isSecure = (request: Request) => options.addresses(request).baseUrl.startsWith('https:')
  const sessions = createSessionAccess({ db, sessionUse, isSecure, nowMs: Date.now })
  const access = createAccess({ db, rateLimits, keyUse, addressOf, sessions, ownPage })
  const context: HttpContext = { ...options, access, sessions }
  const logRequest = createRequestLog(log, addressOf)
  const origins = allowOrigins(options.config.corsOrigins)
  const { idleConnectionSeconds: idleTimeout } = limits
  let findPath: ReturnType<typeof createPathFinder> | undefined

  function notFound(request: Request): AppError {
    findPath ??= createPathFinder()
    const path = findPath(pathOf(request))
    if (!path) return new AppError('unknown_path', 'There is nothing at this path.')
    addHeaders(request, { allow: path.allow, ...(path.isCrossOrigin && crossOrigin) })
    return new AppError('method_not_allowed', `This path has no ${request.method}; it has ${path.allow}.`)
  }

  /** Sets a longer idle time: Bun closes a connection without an answer after it, even while the body arrives. */
  function begin(request: Request, operation: TimedOperation): Deadline {
    const secondsMax = secondsMaxOf(operation) + answerSpareSeconds
    if (outlastsIdle(operation)) app.server?.timeout(request, secondsMax > idleSecondsMax ? 0 : secondsMax)
    return beginOperation(request, operation, operationTimeoutMs(operation, options))
  }

  const secondsMaxOf = (operation: TimedOperation) =>
    operation === 'tts' ? options.ttsSecondsMax : operationTimeoutMs(operation, options) / 1000
  const outlastsIdle = (operation: TimedOperation) => secondsMaxOf(operation) >= limits.idleConnectionSeconds

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
  app
    .onBeforeHandle(({ request }) => {
      // The request's clock starts here.
      origins?.open(request)
      stateOf(request).stopping = stopping
      if (stopping.aborted) throw new AppError('shutting_down', 'The service is stopping.', { retryAfterSeconds: 5 })
    })
    .onAfterHandle(({ request, set, responseValue }) => {
      const headers = headersOf(request)
      // Elysia would add a second cookie to a response that has it already.
      if (responseValue instanceof Response) delete headers['set-cookie']
      Object.assign(set.headers, headers)
      set.headers['cache-control'] ??= 'private, no-store'
      if (hasChunksLeft(request)) set.headers.connection = 'close'
      limitConnection(request)
      logRequest(request, responseValue instanceof Response ? responseValue.status : Number(set.status ?? 200))
    })
    .onError(({ request, error }) => {
      const permissions = origins?.answerPreflight(request)
      if (permissions) return permissions
      origins?.open(request)
      const known = error instanceof NotFoundError ? notFound(request) : asAppError(error)
      const requestId = requestIdOf(request)
      if (known.code === 'internal_error') log.error({ requestId, err: known.cause }, 'request failed')
      else if (known.cause) log.warn({ requestId, code: known.code, cause: String(known.cause) }, 'request failed')
      const dialect = dialectOf(pathOf(request))
      const response = errorResponse(known, { requestId, dialect, headers: headersOf(request) })
      if (hasChunksLeft(request)) response.headers.set('connection', 'close')
      limitConnection(request, known.code)
      logRequest(request, response.status, shownAs(known.code, dialect).code)
      return response
    })
  addRoutes(app, { begin, access: context.access }, handlersOf(context))
  return app
}

function handlersOf(context: HttpContext): Handlers {
  return {
    ...ttsHandlers(context),
    ...openAiHandlers(context),
    ...voiceHandlers(context),
    ...cloneHandlers(context),
    ...accountHandlers(context),
    ...peopleHandlers(context),
    ...ownKeyHandlers(context),
    ...adminHandlers(context),
    ...packUploadHandlers(context),
    ...computeHandlers(context),
    ...systemHandlers(context),
    ...audioHandlers(context),
    ...docsHandlers(context),
    ...consoleHandlers(context),
    getVersion: () => ({ version, api: ['v1'], commit }),
    getHealth: () => ({ ok: true }),
  }
}

/** Time after the deadline to send the error. */
const answerSpareSeconds = 15
/** Bun takes no longer time. 0 is none; the deadline and the limit of an upload without data end the request then. */
const idleSecondsMax = 255

/** Above the limit of every route: each route limits its own body and answers with the error envelope. */
const bodyBytesAccepted = 1 << 30
