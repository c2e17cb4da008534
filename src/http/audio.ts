/** The stored audio: anonymous, immutable, with ranges. */
import { Elysia } from 'elysia'
import parseRange from 'range-parser'
import { AppError } from '../errors'
import type { StoredFile } from '../storage/storage'
import type { HttpContext } from './context'
import { beginOperation, requestIdOf } from './request-state'

export function audioRoutes({ demos }: HttpContext) {
  const serve = async ({ request, params }: { request: Request; params: { '*': string } }) => {
    const file = await demos.find(params['*'], beginOperation(request, 'demo'))
    if (!file) throw new AppError('not_found', 'There is no such audio file.')
    return respond(request, params['*'], file)
  }
  return new Elysia().get('/audio/*', serve).head('/audio/*', serve)
}

function respond(request: Request, name: string, file: StoredFile): Response {
  const etag = `"${Bun.hash(name).toString(16)}-${file.sizeBytes.toString(16)}"`
  const headers = new Headers({
    'content-type': file.contentType,
    'cache-control': 'public, max-age=31536000, immutable',
    etag,
    'accept-ranges': 'bytes',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestIdOf(request),
  })
  if (matches(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
  const ifRange = request.headers.get('if-range')
  const range = ifRange && ifRange !== etag ? null : request.headers.get('range')
  const ranges = range ? parseRange(file.sizeBytes, range, { combine: true }) : unusable
  if (ranges === unsatisfiable) {
    headers.set('content-range', `bytes */${file.sizeBytes}`)
    return new Response(null, { status: 416, headers })
  }
  // Several ranges at once are answered with the whole file, as RFC 9110 section 14.2 allows.
  const single = typeof ranges === 'number' || ranges.type !== 'bytes' || ranges.length !== 1 ? undefined : ranges[0]
  const { start, end } = single ?? { start: 0, end: file.sizeBytes - 1 }
  if (single) headers.set('content-range', `bytes ${start}-${end}/${file.sizeBytes}`)
  headers.set('content-length', String(end - start + 1))
  const body = Bun.file(file.path).slice(start, end + 1, file.contentType)
  return new Response(body, { status: single ? 206 : 200, headers })
}

/** What `range-parser` answers for a range that cannot be served, and for one that is to be ignored. */
const unsatisfiable = -1
const unusable = -2

function matches(header: string | null, etag: string): boolean {
  if (!header) return false
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}
