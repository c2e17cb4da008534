/** Malformed requests, most of them as raw bytes: each gets an answer, never a 5xx, and no internals. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { exchange, statusOf, type RawOptions } from '../../scripts/trial/server'
import { adminKey, expectError, startServer, userKey, type Server } from './client'

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(async () => {
  const { status } = await server.ask('/healthz')
  const log = server.log()
  await server.stop()
  expect(status).toBe(200)
  expect(log).not.toContain('"level":"error"')
})

const inside = /\n\s+at |\$bunfs|\/root\/|src\/|\.ts:|node_modules|sqlite|\/tmp\/|<html/i

/** The raw answer to pieces sent over a connection of their own. */
const send = (pieces: (string | Uint8Array)[], options?: RawOptions) => exchange(server.port, pieces, options)

const authorized = `Authorization: Bearer ${userKey}\r\n`
const head = (line: string, headers = '') => `${line} HTTP/1.1\r\nHost: tts\r\n${authorized}${headers}\r\n`

/** 0: the parser closed the connection without an answer. */
async function expectStatus(pieces: (string | Uint8Array)[], allowed: number[]): Promise<string> {
  const answer = await send(pieces)
  expect(statusOf(answer)).toBeOneOf(allowed)
  expect(answer).not.toMatch(inside)
  const body = answer.slice(answer.lastIndexOf('\r\n\r\n') + 4)
  if (statusOf(answer) >= 400 && body !== '') expect(JSON.parse(body).error.x_relay.request_id).toHaveLength(32)
  return answer
}

describe('a request line or header out of order', () => {
  it.each<[name: string, request: string, ...allowed: number[]]>([
    ['a Host with a space', `GET /api/v1/none HTTP/1.1\r\nHost: a b\r\n\r\n`, 404],
    ['a Host with half an address', `GET /api/v1/voices HTTP/1.1\r\nHost: [::\r\n\r\n`, 200],
    ['a Host that is no name', `GET /api/v1/none HTTP/1.1\r\nHost: %zz\r\n\r\n`, 404],
    ['a Host of one letter', `GET /audio/none.mp3 HTTP/1.1\r\nHost: x\r\n\r\n`, 404],
    ['HTTP/1.0 without Host, known path', `GET /api/v1/voices HTTP/1.0\r\n\r\n`, 200],
    ['HTTP/1.0 without Host, unknown path', `GET /none HTTP/1.0\r\n\r\n`, 404],
    ['HTTP/1.1 without Host', `GET /api/v1/voices HTTP/1.1\r\n\r\n`, 400],
    ['an absolute target', head('GET http://evil.example/api/v1/none'), 404],
    ['a star', head('OPTIONS *'), 400, 404],
    ['an unknown method', head('BREW /api/v1/tts'), 0, 400, 405],
    ['CONNECT', head('CONNECT /api/v1/tts'), 405],
    ['TRACE', head('TRACE /api/v1/tts'), 405],
    ['bytes of TLS', '\x16\x03\x01\x00\xa5\x01\r\n\r\n', 0, 400],
    ['a NUL in a header', head('GET /api/v1/balance', 'X-A: a\0b\r\n'), 400],
    ['a header without a colon', head('GET /api/v1/balance', 'broken\r\n'), 400],
    ['a folded header', head('GET /api/v1/balance', 'X-A: a\r\n b\r\n'), 200, 400],
    ['two Authorization headers', head('GET /api/v1/balance', authorized), 401],
    ['a key beyond ASCII', `GET /api/v1/balance HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \xe9\xff\r\n\r\n`, 401],
    ['a URL of 20,000 characters', head(`GET /api/v1/${'a'.repeat(20_000)}`), 404, 414, 431],
    ['a query of 20,000 characters', head(`GET /api/v1/voices?x=${'a'.repeat(20_000)}`), 200, 414, 431],
    ['a header of 20,000 characters', head('GET /api/v1/balance', `X-A: ${'a'.repeat(20_000)}\r\n`), 431],
    ['1000 headers', head('GET /api/v1/balance', 'X-A: 1\r\n'.repeat(1000)), 431],
  ])('%s', async (_name, request, ...allowed) => {
    await expectStatus([Buffer.from(request, 'latin1')], allowed)
    expect((await server.ask('/healthz')).status).toBe(200)
  })
})

describe('a path out of order', () => {
  it.each<[path: string, ...allowed: number[]]>([
    ['/api/v1//tts', 404],
    ['//api/v1/balance', 404],
    ['/api/v1/balance/', 200, 404],
    ['/API/v1/balance', 404],
    ['/api/v1/%62alance', 404],
    ['/api/v1/none/%2e%2e/none', 404],
    ['/api/v1/%2e%2e/%2e%2e/etc/passwd', 404],
    ['/api%2fv1%2fbalance', 404],
    ['/api/v1/usage/%E0%A4%A', 404],
    ['/api/v1/usage/%00', 404],
    ['/api/v1/usage/a%2fb', 404],
    ['/api/v1/usage/..%2f..%2fbalance', 404],
    ["/api/v1/usage/'%20OR%201=1%20--", 404],
    ['/api/v1/usage/%27%3B%20DROP%20TABLE%20usage%3B--', 404],
    ['/api/v1/usage/__proto__', 404],
    ['/api/v1/usage?key_id=%27%20OR%201=1--', 200],
    ['/api/v1/usage?__proto__=1&constructor=2', 200],
    ['/audio/..%2fsonant.db', 404],
    ['/audio/%2e%2e/%2e%2e/sonant.db', 404],
    ['/audio/../sonant.db', 404],
    ['/audio/%00.mp3', 404],
    ['/audio/%E0%A4%A', 404],
    ['/audio//etc/passwd', 404],
    ['/audio/', 404],
    ['/?', 404],
    ['/api/v1/voices#fragment', 200, 400, 404],
  ])('%s', async (path, ...allowed) => {
    await expectStatus([head(`GET ${path}`)], allowed)
  })
})

describe('a wrong path', () => {
  it.each(['/api', '/api/v1', '/api/v2/voices', '/api/v1/admin', '/api/v1/admin/none', '/favicon.ico'])(
    'nothing is at %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE'])
        expectError(await server.ask(path, { method }), 404, 'invalid_request')
    },
  )
})

const post = (path: string, body: string | Uint8Array, headers = '') => [
  head(`POST ${path}`, `${headers}Content-Length: ${Buffer.byteLength(body)}\r\n`),
  body,
]

describe('a body with wrong framing', () => {
  const chunked = (body: string, headers = '') => [
    head('POST /api/v1/tts/estimate', `${headers}Transfer-Encoding: chunked\r\n`) + body,
  ]
  it.each<[name: string, pieces: string[], ...allowed: number[]]>([
    ['a chunk size that is no number', chunked('zz\r\n{}\r\n0\r\n\r\n'), 400],
    ['a chunk longer than it says', chunked('1\r\n{}\r\n0\r\n\r\n'), 400],
    ['a chunk size beyond all numbers', chunked(`${'f'.repeat(40)}\r\n{}\r\n`), 400, 413],
    ['Content-Length and chunks at once', chunked('0\r\n\r\n', 'Content-Length: 3\r\n'), 400],
    ['two lengths', [head('POST /api/v1/tts', 'Content-Length: 2\r\nContent-Length: 3\r\n'), '{}x'], 400],
    ['a negative length', [head('POST /api/v1/tts', 'Content-Length: -2\r\n'), '{}'], 400],
    ['a length that is no number', [head('POST /api/v1/tts', 'Content-Length: two\r\n'), '{}'], 400],
    [
      'a length beyond all numbers',
      [head('POST /api/v1/tts', `Content-Length: ${'9'.repeat(30)}\r\n`), '{}'],
      400,
      413,
    ],
    ['a length of 2 GB', [head('POST /api/v1/tts', 'Content-Length: 2000000000\r\n'), '{}'], 413],
    ['good chunks', chunked('7\r\n{"text"\r\n6\r\n:"hi"}\r\n0\r\n\r\n'), 200],
    ['no chunk at all', chunked('0\r\n\r\n'), 400],
  ])('%s', async (_name, pieces, ...allowed) => {
    await expectStatus(pieces, allowed)
  })

  it('treats an empty chunked body as none where the body is optional', async () => {
    const { id } = await server.makeAccount()
    const line = `POST /api/v1/admin/accounts/${id}/disable HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminKey}\r\n`
    await expectStatus([`${line}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`], [200])
  })

  it('answers Expect: 100-continue', async () => {
    const answer = await send(post('/api/v1/tts/estimate', '{"text":"hi"}', 'Expect: 100-continue\r\n'))
    expect(answer).toStartWith('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n')
  })

  it('does not parse the rest of a refused body as a request', async () => {
    const hidden = `${head('GET /api/v1/balance')}`
    const answer = await send(post('/api/v1/tts', `{"text":"${'a'.repeat(1 << 20)}"}${hidden}`))
    expect(statusOf(answer)).toBe(413)
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  })
})

describe('a slow body', () => {
  it('is cut after 20 seconds, while others are served', async () => {
    const start = performance.now()
    const drops = Array.from({ length: 60 }, () => ' ')
    const slow = send([head('POST /api/v1/tts', 'Content-Length: 1000\r\n'), ...drops], {
      pauseMs: 500,
      firstMs: 30_000,
    })
    const silent = send([head('POST /api/v1/activation', 'Content-Length: 1000\r\n')], { firstMs: 30_000 })
    await Bun.sleep(1000)
    expect((await server.ask('/api/v1/balance')).status).toBe(200)
    const answers = await Promise.all([slow, silent])
    expect(performance.now() - start).toBeGreaterThan(19_500)
    for (const answer of answers) {
      expect(statusOf(answer)).toBe(400)
      expect(answer).toContain('"code":"invalid_params"')
      expect(answer.toLowerCase()).toContain('connection: close')
    }
  }, 40_000)
})
