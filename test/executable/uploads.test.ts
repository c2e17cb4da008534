/** Bodies with hostile timing or framing: each gets an answer, and none leaves a file. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminKey, startOn, type Server } from './client'
import { sendRaw, type RawAnswer } from './raw'
import { until } from '../until'

setDefaultTimeout(120_000)

let directory: string
let server: Server
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-uploads-'))
  server = await startOn(directory)
})
afterAll(async () => {
  const log = server.log()
  await server.stop()
  await rm(directory, { recursive: true, force: true })
  expect(log).not.toContain('"level":"error"')
})

const key = adminKey.repeat(2)
const clonePath = '/api/v1/voices/clone'
const formType = 'multipart/form-data; boundary=b'
const filesLeft = () => readdir(join(directory, 'data/references'))

function headOf(path: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: 'tts', authorization: `Bearer ${key}`, ...headers })
  return `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

function codeOf({ status, body }: RawAnswer): [number, string] {
  return [status, status === 0 ? '' : (JSON.parse(body) as { error: { code: string } }).error.code]
}

const part = (head: string, body: string) => `--b\r\n${head}\r\n${body}\r\n`
const nameField = part('Content-Disposition: form-data; name="name"\r\n', 'Voice')
const fileField = part('Content-Disposition: form-data; name="file"; filename="a.wav"\r\n', 'RIFF'.repeat(50_000))
const whole = nameField + fileField
const end = '--b--\r\n'
const much = 'x'.repeat(150_000)
const megabytes = 'x'.repeat(3_000_000)

let seed = 1
const random = (below: number) => {
  seed = (seed * 1103515245 + 12345) % 2 ** 31
  return Math.floor((seed / 2 ** 31) * below)
}

/** Split anywhere: the ends of the chunks decide which bytes the parser sees together. */
function cut(body: string): Buffer[] {
  const bytes = Buffer.from(body, 'latin1')
  const pieces: Buffer[] = []
  for (let start = 0; start < bytes.length;) {
    const length = 1 + random([100, 5_000, 70_000, 200_000][random(4)]!)
    pieces.push(bytes.subarray(start, start + length))
    start += length
  }
  return pieces
}

function sendForm(body: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  const head = headOf(clonePath, { 'content-type': formType, 'content-length': body.length, ...headers })
  return sendRaw(server.port, { head, pieces: cut(body) })
}

describe('a form', () => {
  it.each<[what: string, body: string]>([
    ['a part without a disposition', part('Content-Type: a/b\r\n', much) + whole + end],
    ['a part that is not form-data', part('Content-Disposition: attachment; name="q"\r\n', much) + whole + end],
    ['a part without a name', part('Content-Disposition: form-data\r\n', much) + whole + end],
    ['a file without a name', part('Content-Disposition: form-data; filename="a"\r\n', much) + whole + end],
    ['a part without headers', part('', much) + whole + end],
    ['a nameless part behind the file', whole + part('Content-Type: a/b\r\n', much) + end],
    ['a nameless part that never ends', whole + part('Content-Type: a/b\r\n', much)],
    ['another part of megabytes', part('Content-Disposition: attachment\r\n', megabytes) + whole + end],
    ['a field of megabytes', part('Content-Disposition: form-data; name="name"\r\n', megabytes) + fileField + end],
    ['a header that never ends', `--b\r\nX: ${megabytes}`],
    ['a boundary that never comes', megabytes],
    ['thousands of parts', part('Content-Disposition: form-data; name="q"\r\n', 'x').repeat(3000) + whole + end],
    ['thousands of empty parts', '--b\r\n'.repeat(50_000) + end],
    ['a file behind too many parts', part('Content-Disposition: form-data; name="q"\r\n', 'x').repeat(18) + whole],
    ['two files', whole + fileField + end],
    ['no end', whole],
  ])('with %s is refused, however it is cut, and nothing of it is kept', async (_, body) => {
    for (let i = 0; i < 8; i++) expect(codeOf(await sendForm(body))).toEqual([400, 'invalid_params'])
    expect(await filesLeft()).toEqual([])
  })

  it.each<[what: string, body: string]>([
    ['megabytes before its first boundary', `${megabytes}\r\n${whole}${end}`],
    ['megabytes behind its last boundary', `${whole}${end}${megabytes}`],
    ['an empty field at its end', `${whole}${part('Content-Disposition: form-data; name="language"\r\n', '')}${end}`],
  ])('with %s is read to its end', async (_, body) => {
    for (let i = 0; i < 4; i++) expect(codeOf(await sendForm(body))).toEqual([400, 'unsupported_audio'])
    expect(await filesLeft()).toEqual([])
  })

  it.each<[what: string, body: string]>([
    ['a field', part('Content-Disposition: form-data; name="name"\r\n', 'Caf\xe9') + fileField + end],
    ['the name of a field', part('Content-Disposition: form-data; name="caf\xe9"\r\n', 'x') + whole + end],
    ['the name of the file', nameField + fileField.replace('a.wav', 'caf\xe9.wav') + end],
  ])('that is not UTF-8 in %s is refused', async (_, body) => {
    const answer = await sendForm(body)
    expect(codeOf(answer)).toEqual([400, 'invalid_params'])
    expect(answer.body).toContain('not valid UTF-8')
  })

  it('in UTF-8 is accepted, also with a replacement character', async () => {
    const utf8 = (text: string) => Buffer.from(text).toString('latin1')
    const file = fileField.replace('a.wav', utf8('caf\u00e9 \ufffd.wav'))
    const name = part('Content-Disposition: form-data; name="name"\r\n', utf8('Caf\u00e9 \ufffd'))
    expect(codeOf(await sendForm(name + file + end))).toEqual([400, 'unsupported_audio'])
  })
})

describe('a body that is too large', () => {
  const piece = Buffer.alloc(64 << 10, 'a')
  const fileHead = part('Content-Disposition: form-data; name="file"; filename="a.wav"\r\n', '')
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')])
  const json = { 'content-type': 'application/json' }
  const framingOf = (isChunked: boolean, length: number): Record<string, string | number> =>
    isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': length }
  const form = { 'content-type': formType }

  it.each<
    [what: string, path: string, headers: object, first: string, sizeMiB: number, isChunked: boolean, code: string]
  >([
    ['JSON of a known length', '/api/v1/tts', json, '', 10, false, 'invalid_params'],
    ['JSON in chunks', '/api/v1/tts', json, '', 10, true, 'invalid_params'],
    ['an act in chunks', '/api/v1/admin/accounts', json, '', 10, true, 'invalid_params'],
    ['a form of a known length', clonePath, form, fileHead, 40, false, 'file_too_large'],
    ['a form in chunks', clonePath, form, fileHead, 30, true, 'file_too_large'],
  ])('is 413 to who sends all of it before reading: %s', async (_, path, headers, first, sizeMiB, isChunked, code) => {
    const length = first.length + (sizeMiB << 20)
    const head = headOf(path, { ...headers, ...framingOf(isChunked, length) })
    const pieces = Array<Uint8Array>(sizeMiB * 16).fill(isChunked ? chunk : piece)
    if (first !== '') pieces.unshift(Buffer.from(isChunked ? `${first.length.toString(16)}\r\n${first}\r\n` : first))
    if (isChunked) pieces.push(Buffer.from('0\r\n\r\n'))
    for (let i = 0; i < 10; i++) {
      const answer = await sendRaw(server.port, { head, pieces, readsLate: true })
      expect([answer.sentAll, ...codeOf(answer)]).toEqual([true, 413, code])
    }
    expect(await filesLeft()).toEqual([])
  })

  it.each([false, true])(
    'is not parsed as the next request, which the connection still serves (chunked: %p)',
    async (isChunked) => {
      const hidden = Buffer.alloc(3 << 20, 'GET /api/v1/voices HTTP/1.1\r\nHost: a\r\n\r\n')
      const body = isChunked ? [`${hidden.length.toString(16)}\r\n`, hidden, '\r\n0\r\n\r\n'] : [hidden]
      const head = headOf('/api/v1/tts', { ...json, ...framingOf(isChunked, hidden.length) })
      const next = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
      const answers = await collect(server.port, [head, ...body, next], '"ok":true')
      expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
    },
  )

  it.each([false, true])('without an end is cut off after a while (chunked: %p)', async (isChunked) => {
    const head = headOf('/api/v1/tts', { ...json, ...framingOf(isChunked, 1_000_000_000) })
    const first = Array<Uint8Array>(20).fill(isChunked ? chunk : piece)
    const answer = await dripUntilClosed([head, ...first], isChunked ? '1\r\na\r\n' : 'a')
    expect(answer).toStartWith('HTTP/1.1 413')
  })
})

describe('an answer before the body was read', () => {
  it.each([
    ['POST', '/api/v1/none', 404],
    ['PUT', '/api/v1/tts', 405],
    ['GET', '/api/v1/voices', 200],
  ])('ends the connection, where chunks may follow: %s %s', async (method, path, status) => {
    const head = headOf(path, { 'transfer-encoding': 'chunked' }).replace('POST', method)
    const answer = await dripUntilClosed([head], '1\r\na\r\n')
    expect(answer).toStartWith(`HTTP/1.1 ${status}`)
    expect(answer.toLowerCase()).toContain('connection: close')
  })
})

describe('a compressed body', () => {
  it('is 415 as a form, with any encoding', async () => {
    for (const encoding of ['gzip', 'br', 'identity, gzip', 'x-unknown'])
      expect(codeOf(await sendForm(whole + end, { 'content-encoding': encoding }))).toEqual([415, 'invalid_params'])
    expect(codeOf(await sendForm(whole + end, { 'content-encoding': 'Identity' }))).toEqual([400, 'unsupported_audio'])
  })
})

describe('a body in chunks of one byte', () => {
  const bytewise = (text: string) => [...text].map((letter) => `1\r\n${letter}\r\n`).join('')
  const chunked = { 'transfer-encoding': 'chunked' }

  it('is read where it is short', async () => {
    const json = bytewise(JSON.stringify({ text: 'x'.repeat(1900) }))
    const head = headOf('/api/v1/tts/estimate', chunked)
    expect((await sendRaw(server.port, { head, pieces: [json, '0\r\n\r\n'] })).status).toBe(200)
  })

  it.each([
    ['a form', clonePath, formType, whole + end],
    ['JSON', '/api/v1/tts', 'application/json', JSON.stringify({ text: 'x'.repeat(200_000) })],
  ])('is refused where it is long, and the connection is closed: %s', async (_, path, type, body) => {
    const head = headOf(path, { ...chunked, 'content-type': type })
    const answer = await dripUntilClosed([head, bytewise(body)], '1\r\na\r\n')
    expect(answer).toStartWith('HTTP/1.1 400')
    expect(answer).toContain('too many chunks')
    // The answer does not wait for the disk here.
    await until(async () => (await filesLeft()).length === 0)
  })

  it('is read where it is in larger pieces of the connection', async () => {
    const head = headOf(clonePath, { 'content-type': formType, 'content-length': whole.length + end.length })
    const pieces = [...(whole + end).slice(0, 5000)].concat((whole + end).slice(5000))
    expect(codeOf(await sendRaw(server.port, { head, pieces }))).toEqual([400, 'unsupported_audio'])
  })
})

describe('stalled uploads', () => {
  it('are answered when the server stops, do not delay it, and leave no file', async () => {
    const other = await startOn(directory.concat('-stop'))
    const left = () => readdir(join(directory.concat('-stop'), 'data/references'))
    try {
      const sockets = Array.from({ length: 10 }, () => {
        const socket = connect(other.port, '127.0.0.1')
        const received = new Promise<string>((resolve) => {
          let text = ''
          socket.on('data', (data) => (text += data.toString('latin1')))
          socket.on('error', () => {})
          socket.on('close', () => resolve(text))
        })
        socket.write(headOf(clonePath, { 'content-type': formType, 'content-length': 10_000_000 }))
        socket.write(whole.slice(0, -10))
        return received
      })
      sockets.push(collectUntilClosed(other.port, headOf('/api/v1/tts', { 'content-length': 1000 }) + '{"text":'))
      await until(async () => (await left()).length === 10)
      other.process.kill('SIGTERM')
      for (const answer of await Promise.all(sockets)) {
        expect(answer).toStartWith('HTTP/1.1 503')
        expect(answer.toLowerCase()).toContain('retry-after: 5')
      }
      expect(await other.process.exited).toBe(0)
      expect(await left()).toEqual([])
    } finally {
      await other.stop()
      await rm(directory.concat('-stop'), { recursive: true, force: true })
    }
  })
})

/** All bytes until the server closes the connection. */
function collectUntilClosed(port: number, bytes: string): Promise<string> {
  return collect(port, [bytes])
}

/** All bytes until they end with `last`, or the server closes the connection. */
function collect(port: number, pieces: (string | Uint8Array)[], last?: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (data) => {
      text += data.toString('latin1')
      if (last !== undefined && text.includes(last)) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
    for (const piece of pieces) socket.write(piece)
  })
}

/** Sends, then goes on with `more` until the server closes the connection; returns all that came back. */
function dripUntilClosed(pieces: (string | Uint8Array)[], more: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1')
  let received = ''
  socket.on('data', (data) => (received += data.toString('latin1')))
  socket.on('error', () => {})
  for (const piece of pieces) socket.write(piece)
  const drip = setInterval(() => socket.write(more), 100)
  return new Promise((resolve) =>
    socket.once('close', () => {
      clearInterval(drip)
      resolve(received)
    }),
  )
}
