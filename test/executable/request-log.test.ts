/** The log line of each API request, and its limits. */
import { afterAll, beforeAll, expect, it } from 'bun:test'
import { adminKey, startServer, userKey, uuid, type Json, type Server } from './client'
import { sendRaw } from './raw'

let server: Server
beforeAll(async () => {
  server = await startServer(['--trusted-proxy', '127.0.0.1'])
})
afterAll(() => server.stop())

/** Waits for the log line of the request with that id. */
async function lineOf(requestId: string | null): Promise<Json> {
  for (;;) {
    const lines = server
      .log()
      .split('\n')
      .filter((line) => line.includes('"msg":"request"'))
    const found = lines.map((line) => JSON.parse(line)).find((line) => line.requestId === requestId)
    if (found) return found
    await Bun.sleep(10)
  }
}

const secretText = 'Nobody may ever read this sentence.'

it('has account, key, client, voice, units and duration of a charged request', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  const { body, headers: answered } = await server.ask('/api/v1/tts', {
    body: { text: secretText, voice_id: 'en-kevin' },
    headers,
  })
  const line = await lineOf(answered.get('x-request-id'))
  expect(line).toEqual({
    level: 'info',
    time: expect.any(String),
    room: 'http',
    requestId: body.request_id,
    method: 'POST',
    path: '/api/v1/tts',
    status: 200,
    durationMs: expect.any(Number),
    client: '203.0.113.7',
    accountId: expect.stringMatching(uuid),
    keyId: expect.stringMatching(uuid),
    voiceId: body.voice_id,
    units: secretText.length,
    msg: 'request',
  })
})

it('has 0 units for a replay', async () => {
  const headers = { 'idempotency-key': '0123456789abcdef'.repeat(2) }
  await server.ask('/api/v1/tts', { body: { text: 'Once.', voice_id: 'en-kevin' }, headers })
  const again = await server.ask('/api/v1/tts', { body: { text: 'Once.', voice_id: 'en-kevin' }, headers })
  expect(again.headers.get('idempotent-replay')).toBe('true')
  const lines = () =>
    server
      .log()
      .split('\n')
      .filter((line) => line.endsWith('}') && line.includes(headers['idempotency-key']))
  // The line of a request is written after its answer.
  while (lines().length < 2) await Bun.sleep(10)
  const units = lines().map((line) => JSON.parse(line).units)
  expect(units).toEqual([5, 0])
})

it('has the error code of a failure, and the account and key if known', async () => {
  const failed = await server.ask('/api/v1/tts', { body: { text: 'Hi.', voice_id: 'en-ross', speed: 9 } })
  expect(await lineOf(failed.headers.get('x-request-id'))).toMatchObject({
    status: 400,
    errorCode: 'invalid_speed',
    client: '127.0.0.1',
    keyId: expect.stringMatching(uuid),
  })
  const unknown = await server.ask('/api/v1/balance', { key: 'no-such-key' })
  const line = await lineOf(unknown.headers.get('x-request-id'))
  expect(line).toMatchObject({ status: 401, errorCode: 'invalid_api_key' })
  expect(line).not.toHaveProperty('keyId')
})

it('never contains a text, a key, or a query', async () => {
  await server.ask('/api/v1/tts', { body: { text: 'x', voice_id: secretText } })
  await server.ask('/api/v1/tts', { body: { text: secretText, voice_id: 'secret-sentence' } })
  await server.ask(`/api/v1/voices?group=${encodeURIComponent(secretText)}`)
  const { headers } = await server.ask('/api/v1/balance')
  await lineOf(headers.get('x-request-id'))
  for (const secret of [secretText, encodeURIComponent(secretText), 'secret-sentence', userKey, adminKey])
    expect(server.log()).not.toContain(secret)
})

it.each([
  ['a line break', '/api/v1/x%0a{"level":"fatal"}'],
  ['a control character of terminals', '/api/v1/\x9b31m'],
  ['a sequence of terminals in UTF-8', '/api/v1/\xc2\x9b31m'],
  ['a line separator', '/api/v1/\xe2\x80\xa8x'],
  ['a turn of direction', '/api/v1/\xe2\x80\xaex'],
  ['a quote and a backslash', '/api/v1/"\\'],
  ['a length of thousands', `/api/v1/${'x'.repeat(5000)}`],
])('stays one line of safe characters when a path holds %s', async (_, path) => {
  const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.7, \xc2\x9b31m\r\n\r\n`
  const answer = await sendRaw(server.port, { head: '', pieces: [Buffer.from(head, 'latin1')] })
  expect(answer.status).toBe(404)
  const line = await lineOf(answer.headers.get('x-request-id'))
  expect(line.path.length).toBeLessThanOrEqual(200)
  expect(line.client).toBe('127.0.0.1')
  // Only printable characters: no control characters, separators or direction marks.
  expect(server.log()).toMatch(/^[^\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*$/)
})
