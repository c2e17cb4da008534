/** Rate limits over HTTP against the compiled executable. test/http/limits.test.ts moves the clock. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { expectError, startServer, userKey, type Answer, type Call, type Server } from './client'

const flags = ['--limit-tts', '3', '--limit-voices', '4', '--limit-account', '5', '--trusted-proxy', '127.0.0.2/32']
let server: Server
let proxied: Server
beforeAll(async () => {
  server = await startServer(flags)
  proxied = await startServer([...flags, '--trusted-proxy', '127.0.0.0/8'])
})
afterAll(async () => {
  await Promise.all([server.stop(), proxied.stop()])
})

const say = (key: string, headers?: Record<string, string>, text = 'Hi.') =>
  server.ask('/api/v1/tts', { key, body: { text, voice_id: 'en-kevin' }, headers })
const balance = (key: string) => server.ask('/api/v1/balance', { key })

const seconds = (answer: Answer, name: string) => Number(answer.headers.get(name))
const limitHeaders = (answer: Answer) => [
  seconds(answer, 'x-ratelimit-limit'),
  seconds(answer, 'x-ratelimit-remaining'),
]

function expectRefused(answer: Answer, limit: number): void {
  expectError(answer, 429, 'rate_limited')
  expect(limitHeaders(answer)).toEqual([limit, 0])
  expect(seconds(answer, 'retry-after')).toBeWithin(1, 61)
  expect(seconds(answer, 'x-ratelimit-reset')).toBe(seconds(answer, 'retry-after'))
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
}

/** Uses up the limit, then calls once more, which is refused. */
async function exhaust(limit: number, call: () => Promise<Answer>): Promise<Answer> {
  for (let remaining = limit - 1; remaining >= 0; remaining--) {
    const answer = await call()
    expect([answer.status, ...limitHeaders(answer)]).toEqual([200, limit, remaining])
    expect(seconds(answer, 'x-ratelimit-reset')).toBeWithin(1, 61)
    expect(answer.headers.get('retry-after')).toBeNull()
  }
  const refused = await call()
  expectRefused(refused, limit)
  return refused
}

describe('a limit', () => {
  it('is per key, not per account', async () => {
    const { id, key } = await server.makeAccount({ balance: 1000 })
    const second = await server.admin('POST', `/accounts/${id}/keys`, { name: 'second' })
    await exhaust(3, () => say(key))
    await exhaust(3, () => say(second.api_key))
  })

  it('may be a key’s own, higher or lower, from the moment that it is set', async () => {
    const { id } = await server.makeAccount({ balance: 1000 })
    const make = (tts: number) => server.admin('POST', `/accounts/${id}/keys`, { name: 'own', limits: { tts } })
    const [low, high] = [await make(1), await make(6)]
    await exhaust(1, () => say(low.api_key))
    await exhaust(6, () => say(high.api_key))
    await server.admin('PATCH', `/keys/${low.id}`, { limits: { tts: 2 } })
    expect((await say(low.api_key)).status).toBe(200)
    expectRefused(await say(low.api_key), 2)
    await server.admin('PATCH', `/keys/${high.id}`, { limits: null })
    expectRefused(await say(high.api_key), 3)
  })

  it('counts failed requests and replays, and is checked before the body', async () => {
    const { key } = await server.makeAccount({ balance: 1000 })
    const replayed = { 'idempotency-key': 'ab'.repeat(16) }
    expect((await say(key, replayed)).status).toBe(200)
    const replay = await say(key, replayed)
    expect([replay.status, replay.headers.get('idempotent-replay'), ...limitHeaders(replay)]).toEqual([
      200,
      'true',
      3,
      1,
    ])
    const bad = await say(key, {}, '')
    expectError(bad, 400, 'invalid_params', 'text')
    expect(limitHeaders(bad)).toEqual([3, 0])
    expectRefused(await server.ask('/api/v1/tts', { key, body: '{"broken' }), 3)
    expectRefused(await say(key, replayed), 3)
  })

  it('holds when all calls come at once', async () => {
    const { key } = await server.makeAccount()
    const answers = await Promise.all(Array.from({ length: 40 }, () => balance(key)))
    expect(answers.filter(({ status }) => status === 200).length).toBe(5)
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefused(answer, 5)
  })

  it('of anonymous callers is per address, and no key’s', async () => {
    const anonymous = (headers?: Record<string, string>) => server.ask('/api/v1/voices', { key: null, headers })
    await exhaust(4, () => anonymous())
    // This connection is not from the trusted proxy, so its X-Forwarded-For is ignored.
    expectRefused(await anonymous({ 'x-forwarded-for': '203.0.113.7' }), 4)
    expect((await server.ask('/api/v1/voices', { key: userKey })).status).toBe(200)
  })
})

describe('behind a trusted proxy', () => {
  const from = (address: string, call: Call = {}) =>
    proxied.ask('/api/v1/voices', { key: null, ...call, headers: { 'x-forwarded-for': address } })

  it('the forwarded address counts, an IPv6 network as one; addresses from the client do not', async () => {
    await exhaust(4, () => from('203.0.113.7'))
    expect((await from('203.0.113.8')).status).toBe(200)
    expectRefused(await from('198.51.100.1, 203.0.113.7'), 4)
    let host = 0
    await exhaust(4, () => from(`2001:db8:1:2::${++host}`))
    expect((await from('2001:db8:1:3::1')).status).toBe(200)
  })

  it('wrong keys are counted by that address', async () => {
    const wrong = (address: string) => from(address, { key: 'sk-wrong' })
    for (let i = 0; i < 100; i++) expect((await wrong('192.0.2.1')).status).toBe(401)
    expectError(await wrong('192.0.2.1'), 429, 'rate_limited')
    expectError(await wrong('192.0.2.2'), 401, 'invalid_api_key')
  })
})

describe('wrong keys', () => {
  it('are refused after a hundred a minute from an address, unlike valid ones from there', async () => {
    const wrong = (i: number) => server.ask('/api/v1/admin/accounts', { key: `sk-wrong-${i}` })
    for (let i = 0; i < 100; i++) expectError(await wrong(i), 401, 'invalid_api_key')
    const refused = await wrong(100)
    expectRefused(refused, 100)
    const { key } = await server.makeAccount()
    expect((await balance(key)).status).toBe(200)
    expectError(await server.ask('/api/v1/balance', { key: null }), 401, 'missing_api_key')
  })
})
