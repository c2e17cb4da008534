/** Answers with a file that never changes, or a part of it, as ranges and conditions ask. */
import { AppError } from '../errors'
import { describe } from '../fields'
import type { StoredFile } from '../storage/storage'
import { evaluateConditions, type Outcome, type Selected } from './conditions'
import { formatHttpDate } from './http-date'
import { addHeaders, headersOf } from './request-state'

/** `name` identifies the content for caches. Throws `precondition_failed`, `range_not_satisfiable`. */
export function sendFile(request: Request, name: string, file: StoredFile, cacheControl: string): Response {
  const { sizeBytes, contentType } = file
  const selected = select(name, file)
  const outcome = evaluateConditions(request, selected, Date.now())
  const cached = { 'cache-control': cacheControl, etag: selected.etag }
  if (outcome.status === 304) return new Response(null, { status: 304, headers: { ...headersOf(request), ...cached } })
  const { start, end } = rangeOf(request, outcome, sizeBytes)
  const headers = {
    ...headersOf(request),
    ...cached,
    'content-type': contentType,
    'content-length': String(end - start + 1),
    'last-modified': formatHttpDate(selected.modifiedAtMs),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    ...(outcome.status === 206 && { 'content-range': `bytes ${start}-${end}/${sizeBytes}` }),
  }
  const body = request.method === 'GET' ? Bun.file(file.path).slice(start, end + 1, contentType) : null
  return new Response(body, { status: outcome.status, headers })
}

/** The date is never in the future (RFC 9110 section 8.8.2.1), even if the file system's is. */
function select(name: string, { sizeBytes, modifiedAtMs }: StoredFile): Selected {
  const seconds = Math.floor(Math.min(modifiedAtMs, Date.now()) / 1000)
  const etag = `"${Bun.hash(name).toString(16)}-${sizeBytes.toString(16)}"`
  return { etag, modifiedAtMs: seconds * 1000, sizeBytes }
}

function rangeOf(request: Request, outcome: Outcome, sizeBytes: number): { start: number; end: number } {
  if (outcome.status === 206) return outcome
  if (outcome.status === 412) {
    const param = outcome.failed
    throw new AppError('precondition_failed', `${param}: the file is not the one that this header names.`, { param })
  }
  if (outcome.status === 416) {
    addHeaders(request, { 'content-range': `bytes */${sizeBytes}`, 'accept-ranges': 'bytes' })
    const found = describe(request.headers.get('range'))
    throw new AppError('range_not_satisfiable', `Range: found ${found}; the file has ${sizeBytes} bytes.`, {
      param: 'Range',
    })
  }
  return { start: 0, end: sizeBytes - 1 }
}
