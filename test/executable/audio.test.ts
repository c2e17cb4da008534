/** Stored audio over HTTP, against the executable: conditions, ranges, caching, pages of other origins. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expectError } from './expect-error'
import { startSonant, stopAndRemove, type Sonant } from './sonant'

let sonant: Sonant
let url: string
let audio: Uint8Array
let etag: string
/** Modification time of the file on disk, in whole seconds. */
const modifiedAt = new Date('2026-01-02T03:04:05Z')
const date = 'Fri, 02 Jan 2026 03:04:05 GMT'
beforeAll(async () => {
  sonant = await startSonant()
  const spoken = await sonant.speak({ text: 'A range of things.' })
  url = spoken.answer.url as string
  audio = spoken.audio
  await utimes(join(sonant.directory, 'data/audio', new URL(url).pathname.split('/').at(-1)!), modifiedAt, modifiedAt)
  etag = (await fetch(url)).headers.get('etag')!
})
afterAll(() => stopAndRemove(sonant))

const ask = (headers: Record<string, string>, method = 'GET') => fetch(url, { method, headers })
const corsOf = ({ headers }: Response) => [
  headers.get('access-control-allow-origin'),
  headers.get('access-control-expose-headers')?.includes('Content-Range'),
]
const immutable = 'public, max-age=31536000, immutable'

describe('a range', () => {
  it('with a suffix longer than the file is the whole file', async () => {
    for (const beyond of [audio.length, audio.length + 1, 999_999_999]) {
      const response = await ask({ range: `bytes=-${beyond}` })
      const { length } = audio
      expect([response.status, response.headers.get('content-range')]).toEqual([206, `bytes 0-${length - 1}/${length}`])
      expect(Buffer.compare(await response.bytes(), audio)).toBe(0)
    }
  })

  it('outside the file is 416 in the envelope, not cacheable', async () => {
    for (const range of ['bytes=999999999-', 'bytes=-0', `bytes=${audio.length}-`]) {
      const response = await ask({ range })
      const error = await expectError(response, 416, 'invalid_request', 'invalid_request_error')
      expect(error).toMatchObject({ param: 'Range', message: expect.stringContaining(`${audio.length} bytes`) })
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-range': `bytes */${audio.length}`,
        'cache-control': 'private, no-store',
        'content-type': expect.stringContaining('application/json'),
      })
      expect(response.headers.get('etag')).toBeNull()
      expect(corsOf(response)).toEqual(['*', true])
    }
  })

  it('is ignored on HEAD', async () => {
    for (const range of ['bytes=0-9', 'bytes=999999999-']) {
      const response = await ask({ range }, 'HEAD')
      expect([response.status, response.headers.get('content-range')]).toEqual([200, null])
      expect(response.headers.get('content-length')).toBe(String(audio.length))
    }
  })

  it('applies with If-Range only for the same tag or date', async () => {
    const range = 'bytes=0-9'
    for (const validator of [etag, date]) expect((await ask({ range, 'if-range': validator })).status).toBe(206)
    for (const validator of [`W/${etag}`, 'Fri, 02 Jan 2026 03:04:06 GMT', 'today'])
      expect((await ask({ range, 'if-range': validator })).status).toBe(200)
  })
})

describe('a condition', () => {
  it('on the date of Last-Modified applies', async () => {
    for (const method of ['GET', 'HEAD']) {
      expect((await ask({}, method)).headers.get('last-modified')).toBe(date)
      expect((await ask({ 'if-modified-since': date }, method)).status).toBe(304)
      expect((await ask({ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, method)).status).toBe(200)
      expect((await ask({ 'if-unmodified-since': date }, method)).status).toBe(200)
    }
  })

  it('that fails is 412 in the envelope, not cacheable', async () => {
    for (const [name, value] of [
      ['If-Match', '"other"'],
      ['If-Unmodified-Since', 'Fri, 02 Jan 2026 03:04:04 GMT'],
    ] as const) {
      const response = await ask({ [name]: value, range: 'bytes=0-9' })
      const error = await expectError(response, 412, 'invalid_request', 'invalid_request_error')
      expect(error.param).toBe(name)
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      expect(corsOf(response)).toEqual(['*', true])
      const head = await ask({ [name]: value }, 'HEAD')
      expect([head.status, await head.text()]).toEqual([412, ''])
    }
    expect((await ask({ 'if-match': etag })).status).toBe(200)
  })

  it('that is met with 304 has the headers for a cache and no body', async () => {
    const response = await ask({ 'if-none-match': `"x", W/${etag}` })
    expect([response.status, await response.text()]).toEqual([304, ''])
    expect(Object.fromEntries(response.headers)).toMatchObject({ etag, 'cache-control': immutable })
    expect(corsOf(response)).toEqual(['*', true])
    for (const name of ['content-length', 'content-type', 'content-range', 'last-modified'])
      expect([name, response.headers.get(name)]).toEqual([name, null])
    const head = await ask({ 'if-none-match': etag }, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([304, null])
  })

  it('never makes a missing file anything but 404', async () => {
    const all: Record<string, string>[] = [{ 'if-match': '"x"' }, { 'if-none-match': '*' }, { range: 'bytes=5-' }]
    for (const headers of all)
      await expectError(fetch(`${sonant.storageUrl}/nothing.mp3`, { headers }), 404, 'not_found')
  })
})

it('has no other methods', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const response = await ask({}, method)
    await expectError(response, 405, 'invalid_request', 'invalid_request_error')
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  }
})

describe('a page of another origin', () => {
  it('may send ranges and conditions, by the preflight', async () => {
    const response = await ask(
      {
        origin: 'https://player.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'range',
      },
      'OPTIONS',
    )
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-max-age': '86400',
      allow: 'GET, HEAD, OPTIONS',
    })
    const allowed = response.headers.get('access-control-allow-headers')!.split(', ')
    expect(allowed).toContain('Range')
    for (const name of ['Match', 'None-Match', 'Modified-Since', 'Unmodified-Since', 'Range'])
      expect(allowed).toContain(`If-${name}`)
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('may read the headers that a player needs, also of errors', async () => {
    const needed = ['Accept-Ranges', 'Content-Length', 'Content-Range', 'ETag', 'Last-Modified', 'X-Request-Id']
    for (const response of [await ask({}), await ask({ range: 'bytes=0-9' }), await fetch(`${url}x`)]) {
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      const exposed = response.headers.get('access-control-expose-headers')!.split(', ')
      expect(needed.filter((name) => !exposed.includes(name))).toEqual([])
    }
  })

  it('gets no CORS headers from the API', async () => {
    for (const path of ['/api/v1/voices', '/healthz', '/openapi.json'])
      for (const method of ['GET', 'OPTIONS']) {
        const { headers } = await fetch(sonant.baseUrl + path, {
          method,
          headers: { origin: 'https://player.example' },
        })
        expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
      }
  })
})
