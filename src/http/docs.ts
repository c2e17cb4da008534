/** `/openapi.json`, and `/docs`, which shows it. Both are loaded on their first request. */
import { AppError } from '../errors'
import type { HttpContext } from './context'
import type { Page } from './openapi/page'
import { headersOf } from './request-state'
import type { Handlers } from './routes'

/** Allows nothing from other origins. Swagger UI's style embeds its images as data URLs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function docsHandlers({ addresses }: HttpContext) {
  let description: Promise<(baseUrl: string) => string> | undefined
  let page: Promise<Page> | undefined

  /** Serialized once, with a placeholder for the client's base URL. */
  async function loadDescription(): Promise<(baseUrl: string) => string> {
    const { describeApi } = await import('./openapi/document')
    const gap = 'address-of-the-service'
    const [before, behind] = JSON.stringify(describeApi(gap)).split(JSON.stringify(gap)) as [string, string]
    return (baseUrl) => before + JSON.stringify(baseUrl) + behind
  }

  async function loadPage(request: Request): Promise<Page> {
    const { makePage } = await import('./openapi/page')
    return makePage(new URL(addresses(request).baseUrl).pathname.replace(/\/$/, ''))
  }

  return {
    async getDescription({ request }) {
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache' }
      const describe = await (description ??= loadDescription())
      return respond(request, describe(addresses(request).baseUrl), headers)
    },

    async getDocs({ request }) {
      const { html } = await (page ??= loadPage(request))
      return respond(request, html, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': contentSecurityPolicy,
        'referrer-policy': 'no-referrer',
      })
    },

    async getDocsFile({ request, id }) {
      const file = (await (page ??= loadPage(request))).files.get(id)
      if (!file) throw new AppError('not_found', 'There is no such file.')
      const headers = { 'content-type': file.contentType, 'cache-control': 'public, max-age=31536000, immutable' }
      return respond(request, file.body, headers)
    },
  } satisfies Partial<Handlers>
}

function respond(request: Request, body: Bun.BunFile | string, headers: Record<string, string>): Response {
  return new Response(body, { headers: { ...headersOf(request), 'x-content-type-options': 'nosniff', ...headers } })
}
