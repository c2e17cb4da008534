/** The sliding window of the rate limits over HTTP, on a clock that the test moves. */
import { afterAll, beforeAll, expect, it, spyOn } from 'bun:test'
import { startApp } from '../app'

let server: Awaited<ReturnType<typeof startApp>>
let skippedMs = 0
const realNow = performance.now.bind(performance)
const clock = spyOn(performance, 'now').mockImplementation(() => realNow() + skippedMs)
beforeAll(async () => {
  server = await startApp({ 'limit-tts': '3', 'limit-account': '5' })
})
afterAll(async () => {
  await server.close()
  clock.mockRestore()
})

async function call(path: string, body?: unknown) {
  const { status, headers } = await fetch(`${server.baseUrl}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${server.apiKey}` },
    body: body ? JSON.stringify(body) : undefined,
  })
  const [remaining, retryAfter] = [headers.get('x-ratelimit-remaining'), headers.get('retry-after')]
  return { status, remaining: Number(remaining), retryAfterSeconds: retryAfter === null ? 0 : Number(retryAfter) }
}
const say = () => call('/tts', { text: 'Hi.' })
const balance = () => call('/balance')

it('a call succeeds after Retry-After and not before, and refused calls do not count', async () => {
  expect(await say()).toMatchObject({ status: 200, remaining: 2 })
  skippedMs += 20_000
  for (const remaining of [1, 0]) expect(await say()).toMatchObject({ status: 200, remaining })
  const refused = await say()
  expect(refused).toMatchObject({ status: 429, remaining: 0 })
  expect(refused.retryAfterSeconds).toBeWithin(1, 41)
  skippedMs += (refused.retryAfterSeconds - 5) * 1000
  expect((await say()).status).toBe(429)
  skippedMs += 5_000
  expect(await say()).toMatchObject({ status: 200, remaining: 0 })
  // Only the first call has left the window: it slides, and does not restart.
  expect((await say()).status).toBe(429)
})

it('each kind of call has its own window', async () => {
  for (const remaining of [4, 3, 2, 1, 0]) expect(await balance()).toMatchObject({ status: 200, remaining })
  expect((await balance()).status).toBe(429)
  for (let seconds = 10; seconds < 60; seconds += 10) {
    skippedMs += 10_000
    expect((await balance()).status).toBe(429)
  }
  skippedMs += 10_000
  expect(await balance()).toMatchObject({ status: 200, remaining: 4 })
})
