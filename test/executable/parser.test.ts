/** The answers of Bun's own HTTP parser, byte for byte, and their list in docs/errors.md. */
import { afterAll, beforeAll, expect, it } from 'bun:test'
import { connect } from 'node:net'
import { join } from 'node:path'
import { startServer, userKey, type Server } from './client'

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const get = (line: string, headers = '') => `${line}\r\nHost: a\r\n${headers}\r\n`
const withHeaders = (headers: string) => get('GET /healthz HTTP/1.1', headers)
const post = (headers: string, body: string) =>
  get('POST /api/v1/tts/estimate HTTP/1.1', `Authorization: Bearer ${userKey}\r\n${headers}`) + body
const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body)

/** By the first column of the list. */
const sent: Record<string, string[]> = {
  'bytes that are no request line, such as TLS on a port without it': [
    `\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03${'a'.repeat(160)}`,
    'hello\r\n\r\n',
    '\r\n\r\n',
    '\0\0\0\0\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n',
    get('G(T /healthz HTTP/1.1'),
  ],
  'a target that is neither a path nor an http address, such as `*`': [
    get('OPTIONS * HTTP/1.1'),
    get('GET healthz HTTP/1.1'),
    get('GET  HTTP/1.1'),
    get('GET ftp://a/healthz HTTP/1.1'),
  ],
  'HTTP/1.1 without `Host`': ['GET /healthz HTTP/1.1\r\n\r\n'],
  'a malformed header: no colon, no name, a folded line, a control character': [
    ...['broken', ': 1', 'X : 1', 'X(: 1', 'X: 1\r\n 2', 'X: \0', 'X: \x01', 'X\x01: 1', 'X: 1\r2', 'X: 1\nY: 2'],
  ].map((header) => withHeaders(`${header}\r\n`)),
  'a `Content-Length` that is no number, or two that differ': [
    ...['two', '-2', '+2', '0x2', '', '2, 2', '9'.repeat(30), '2\r\nContent-Length: 3'],
  ].map((length) => post(`Content-Length: ${length}\r\n`, '{}')),
  'a `Transfer-Encoding` other than `chunked`, beside `Content-Length`, or with HTTP/1.0': [
    ...['gzip', 'gzip, chunked', 'chunked, chunked', 'identity', '', 'chunked\r\nContent-Length: 2'],
  ]
    .map((encoding) => post(`Transfer-Encoding: ${encoding}\r\n`, '2\r\n{}\r\n0\r\n\r\n'))
    .concat('POST /healthz HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
  'a malformed chunk, before the request is answered': [
    ...['zz\r\n{}\r\n', '1\r\n{}\r\n', '-1\r\n{}\r\n', `${'f'.repeat(40)}\r\n{}\r\n`, '2\n{}\n0\n\n', '2\r\n{}xx'],
  ].map(chunked),
  'a chunk extension of more than 16 KiB, before the request is answered': [
    chunked(`2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
  ],
  'a `Content-Length` of more than 1 GiB': [post(`Content-Length: ${2 ** 30 + 1}\r\n`, '{}')],
  'a request line and headers of more than 16 KiB, or more than 198 headers': [
    withHeaders(`X: ${'a'.repeat(17_000)}\r\n`),
    withHeaders(`X: ${'a'.repeat(95)}\r\n`.repeat(164)),
    get(`GET /${'a'.repeat(17_000)} HTTP/1.1`),
    withHeaders('X: 1\r\n'.repeat(198)),
  ],
  'a version other than HTTP/1.0 and HTTP/1.1, or none; a blank in the path; lines that end with LF alone': [
    ...['GET /healthz HTTP/1.2', 'GET /healthz HTTP/2.0', 'GET /healthz', 'GET /healthz http/1.1', 'GET /a b HTTP/1.1'],
    ...['GET /a\tb HTTP/1.1', 'GET /a\0b HTTP/1.1'],
  ]
    .map((line) => get(line))
    .concat('GET /healthz HTTP/1.1\nHost: a\n\n'),
  'a method of neither HTTP nor WebDAV, or not in capitals': [...['BREW', 'FOO', 'get', 'Post', 'POSTX']].map(
    (method) => get(`${method} /healthz HTTP/1.1`),
  ),
}

/** All bytes until the server closes the connection, which it does in every case here. */
async function exchange(request: string): Promise<string> {
  const closed = Promise.withResolvers<void>()
  let answer = ''
  const socket = connect(server.port, '127.0.0.1')
  socket.on('data', (data) => {
    answer += data.toString('latin1')
  })
  socket.on('close', () => closed.resolve())
  socket.on('error', () => {})
  socket.write(Buffer.from(request, 'latin1'))
  await closed.promise
  return answer.replace(/\r\nDate: [^\r]*/, '')
}

async function readList(): Promise<[sent: string, answer: string][]> {
  const text = await Bun.file(join(import.meta.dir, '../../docs/errors.md')).text()
  const section = /## Malformed HTTP\n(.*?)\n## /s.exec(text)![1]!
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) => {
    const [, first, second] = row.split('|').map((cell) => cell.trim())
    return [first!, second!]
  })
}

it('is listed in the documents, case by case', async () => {
  expect((await readList()).map(([first]) => first)).toEqual(Object.keys(sent))
})

it.each(Object.entries(sent))('%s', async (name, requests) => {
  const answer = new Map(await readList()).get(name)!
  const expected = /^\d{3} /.test(answer) ? `HTTP/1.1 ${answer}\r\nConnection: close\r\n\r\n` : ''
  for (const request of requests)
    expect([request.slice(0, 60), await exchange(request)]).toEqual([request.slice(0, 60), expected])
  expect((await server.ask('/healthz')).status).toBe(200)
})

it('passes on a known method, which gets 405 in the envelope', async () => {
  for (const method of ['PROPFIND', 'QUERY', 'PURGE', 'LINK', 'TRACE', 'CONNECT', 'M-SEARCH']) {
    const answer = await exchange(get(`${method} /healthz HTTP/1.1`, 'Connection: close\r\n'))
    expect(answer).toStartWith('HTTP/1.1 405 Method Not Allowed\r\n')
    expect(answer).toContain('"code":"invalid_request"')
    expect(answer).toContain('allow: GET, HEAD\r\n')
  }
})

it('accepts 198 headers, and nearly 16 KiB of them', async () => {
  for (const headers of ['X: 1\r\n'.repeat(196), `X: ${'a'.repeat(15_000)}\r\n`])
    expect(await exchange(withHeaders(`${headers}Connection: close\r\n`))).toStartWith('HTTP/1.1 200 OK\r\n')
})
