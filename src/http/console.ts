/**
 * The console at `/console`, a page with routes of its own, and `/`, which leads browsers to it. Its files are loaded on
 * their first request.
 */
import { AppError } from '../errors'
import { version } from '../version'
import { pageName, type ConsoleFile } from './console/bundle'
import type { HttpContext } from './context'
import { headersOf } from './request-state'
import type { Handlers } from './routes'

export function consoleHandlers({ addresses, installation }: HttpContext) {
  let files: Promise<ReadonlyMap<string, ConsoleFile>> | undefined
  const packed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

  async function find(name: string): Promise<ConsoleFile | undefined> {
    files ??= import('./console/files').then(({ readConsoleFiles }) => readConsoleFiles())
    return (await files).get(name)
  }

  /** Compressed once; later requests take the same bytes. */
  function pack(name: string, { body }: ConsoleFile): Promise<Uint8Array<ArrayBuffer>> {
    let bytes = packed.get(name)
    if (!bytes) packed.set(name, (bytes = gzip(body)))
    return bytes
  }

  async function sendFile(request: Request, name: string, file: ConsoleFile): Promise<Response> {
    const isPacked = request.headers.get('accept-encoding')?.includes('gzip') ?? false
    return new Response(isPacked ? await pack(name, file) : file.body, {
      headers: {
        ...headersOf(request),
        'content-type': file.contentType,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
        'x-content-type-options': 'nosniff',
        ...(isPacked && { 'content-encoding': 'gzip' }),
      },
    })
  }

  async function sendPage(request: Request): Promise<Response> {
    const { baseUrl, storageUrl } = addresses(request)
    const values: Record<string, string> = {
      base: `${new URL(baseUrl).pathname.replace(/\/$/, '')}/console/`,
      name: installation.name,
      version,
    }
    const page = await find(pageName)
    const html = (await page!.body.text()).replace(/\{\{(\w+)\}\}/g, (_, field: string) =>
      Bun.escapeHTML(values[field]!),
    )
    return new Response(html, {
      headers: {
        ...headersOf(request),
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': contentSecurityPolicy(new URL(storageUrl).origin),
        'referrer-policy': 'same-origin',
        'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
        'x-content-type-options': 'nosniff',
      },
    })
  }

  return {
    getHome({ request }) {
      if (!request.headers.get('accept')?.includes('text/html'))
        throw new AppError('unknown_path', 'There is nothing at this path; /openapi.json describes the interface.')
      const headers = { ...headersOf(request), location: 'console/', 'cache-control': 'no-cache', vary: 'Accept' }
      return new Response(null, { status: 302, headers })
    },

    getConsole: ({ request }) => sendPage(request),

    /** Every path that names no file is a page: the script in the browser shows the right one. */
    async getConsoleFile({ request, id }) {
      const file = id === pageName ? undefined : await find(id)
      if (file) return sendFile(request, id, file)
      if (/\.(js|css)$/.test(id)) throw new AppError('not_found', 'There is no such file.')
      return sendPage(request)
    },
  } satisfies Partial<Handlers>
}

/** Allows the console's own files, the API and the stored audio; no inline script or style. */
function contentSecurityPolicy(storageOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    `media-src 'self' blob: ${storageOrigin}`,
    `connect-src 'self' ${storageOrigin}`,
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

async function gzip(body: Blob): Promise<Uint8Array<ArrayBuffer>> {
  const stream = body.stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
