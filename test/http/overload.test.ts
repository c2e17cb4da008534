/** More work than the workers can do, over HTTP: the real server with an engine that sleeps. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { query } from '../executable/books'
import { until } from '../until'

const keys = Array.from({ length: 11 }, (_, i) => `overload-key-${i}`)
const [shortKey, ...longKeys] = keys
/** Each utterance takes a worker one second. */
const slow = (utterances: number) => 'slowest.\n'.repeat(utterances)
/** Twelve seconds of work; ten such texts exceed the capacity of two workers within a minute. */
const long = slow(12)
/**
 * 39 of the 60 seconds before a deadline are promised. Six such texts take two workers at least 36 seconds, and a seventh
 * would end after 42. On a machine that needs more than a second for an utterance there are places for fewer.
 */
const refusedMin = 4

let directory: string
let server: Bun.Subprocess
let baseUrl: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-overload-'))
  const command = [process.execPath, join(import.meta.dir, 'slow-server.ts'), directory, ...keys]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  server = child
  for await (const chunk of child.stdout) {
    baseUrl = Buffer.from(chunk).toString().trim()
    break
  }
})
afterAll(async () => {
  server.kill('SIGKILL')
  await server.exited
  await rm(directory, { recursive: true })
})

type Answer = { status: number; code: string | undefined; retryAfter: string | null }

/** The last keys call the OpenAI-style endpoint: of the keys that are refused, one at least. */
const openAiKeys = longKeys.slice(refusedMin - 1)

async function say(text: string, key: string): Promise<Answer> {
  const isOpenAi = openAiKeys.includes(key)
  const response = await fetch(`${baseUrl}${isOpenAi ? '/v1/audio/speech' : '/api/v1/tts'}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(isOpenAi ? { model: 'tts-1', input: text } : { text }),
  })
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const { error } = isJson ? ((await response.json()) as { error?: { code: string } }) : {}
  await (isJson || response.arrayBuffer())
  return { status: response.status, code: error?.code, retryAfter: response.headers.get('retry-after') }
}

/** Requests in the history. */
function count(condition: string): number {
  const sql = `SELECT count(*) AS requests FROM usage WHERE ${condition}`
  return query<{ requests: number }>(join(directory, 'data'), sql)[0]!.requests
}

async function read(path: string, key: string): Promise<any> {
  return (await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })).json()
}

describe('ten long texts of ten keys at once', () => {
  it('are done or refused at once; retries after Retry-After and short texts succeed', async () => {
    for (let i = 0; i < 3; i++) await Promise.all([say(slow(1), shortKey!), say(slow(1), shortKey!)])
    const order: string[] = []
    const refusals: (Answer & { key: string })[] = []
    const sayUntilDone = async (key: string): Promise<Answer> => {
      for (;;) {
        const answer = await say(long, key)
        if (answer.status !== 429) {
          order.push('long')
          return answer
        }
        order.push('refused')
        refusals.push({ ...answer, key })
        await Bun.sleep(1000 * Number(answer.retryAfter))
      }
    }
    const all = longKeys.map((key) => sayUntilDone(key))
    await until(() => count("status = 'failed'") >= refusedMin && count("status <> 'charged'") >= longKeys.length)
    // No utterance took longer than the ones before, so the short text has a place now.
    expect((await say(slow(1), shortKey!)).status).toBe(200)
    order.push('short')
    const refusedKey = refusals[0]!.key
    const { records } = await read('/api/v1/usage?status=failed', refusedKey)
    const balance = await read('/api/v1/balance', refusedKey)
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(longKeys.map(() => 200))
    // The first one always has a place. All refusals came before the first one was done, and the short text waited for
    // no long one.
    expect(new Set(refusals.map(({ key }) => key)).size).toBeWithin(refusedMin, longKeys.length)
    expect(order.indexOf('refused')).toBeLessThan(order.indexOf('long'))
    expect(order.indexOf('short')).toBeLessThan(order.indexOf('long'))
    expect(refusals.some(({ key }) => openAiKeys.includes(key))).toBe(true)
    for (const { code, key, retryAfter } of refusals) {
      const expected = openAiKeys.includes(key) ? 'upstream_capacity' : 'rate_limited'
      expect([code, retryAfter]).toEqual([expected, expect.stringMatching(/^[1-9]\d*$/)])
    }
    // The history of a refused key shows each refusal without a charge.
    expect(records.length).toBeGreaterThan(0)
    for (const record of records)
      expect(record).toMatchObject({ status: 'failed', error_code: 'rate_limited', units: 0 })
    expect(balance.balance).toBe(100_000)
  }, 120_000)
})

describe('a text that takes longer than its deadline allows', () => {
  it('is refused at once with 504, uncharged, and delays no other request', async () => {
    const [key] = longKeys
    const before = await read('/api/v1/balance', key!)
    // A minute and a half for two workers; the first test has measured the speed of the voice.
    const order: string[] = []
    const short = say(slow(6), shortKey!).then(() => order.push('short'))
    expect(await say(slow(180), key!)).toMatchObject({ status: 504, code: 'synthesis_failed' })
    order.push('too long')
    await short
    expect(order).toEqual(['too long', 'short'])
    expect(await read('/api/v1/balance', key!)).toEqual(before)
    const { records } = await read('/api/v1/usage?limit=1', key!)
    expect(records).toMatchObject([{ status: 'failed', error_code: 'synthesis_failed', units: 0, duration_ms: null }])
  })
})
