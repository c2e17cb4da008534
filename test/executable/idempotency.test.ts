/** `Idempotency-Key` over HTTP: one key gives one synthesis and one charge, for any number of requests and clients. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { audioFiles, auditDifference, query } from './books'
import { expectError } from './expect-error'
import { startEphemeral, startIn, startSonant, stopAndRemove, type EphemeralSonant } from './sonant'
import { until } from '../until'

let sonant: EphemeralSonant
beforeAll(async () => {
  sonant = await startEphemeral({ flags: ['--balance', '100000'] })
})
afterAll(async () => {
  expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
  await stopAndRemove(sonant)
})

const newKey = () => Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex')

type Asked = { fault?: string; key?: string }

function ask(idempotencyKey: string, body: unknown, { fault, key }: Asked = {}): Promise<Response> {
  const headers = { 'idempotency-key': idempotencyKey, ...(fault && { 'x-sonant-fault': fault }) }
  return sonant.request('/api/v1/tts', { body, headers, key })
}

const answerOf = async (response: Response) => (await response.json()) as Record<string, any>
const balance = async () => (await answerOf(await sonant.request('/api/v1/balance'))).balance as number
const recordOf = async (id: string) => answerOf(await sonant.request(`/api/v1/usage/${id}`))
const rowsOf = (id: string) => query(sonant.dataDirectory, `SELECT * FROM usage WHERE request_id = '${id}'`)
const holdsOf = (id: string) => query(sonant.dataDirectory, `SELECT status FROM holds WHERE request_id = '${id}'`)

async function expectReplay(response: Response, first: Record<string, any>) {
  expect([response.status, response.headers.get('idempotent-replay')]).toEqual([200, 'true'])
  expect(await answerOf(response)).toEqual(first)
  expect(response.headers.get('x-request-id')).toBe(first.request_id)
}

describe('the same key and the same fields', () => {
  it('answer the same again, and are charged once', async () => {
    const key = newKey()
    const before = await balance()
    const first = await ask(key, { text: 'Hello.', speed: 1.5 })
    expect(first.headers.has('idempotent-replay')).toBe(false)
    const answer = await answerOf(first)
    expect(answer).toMatchObject({ request_id: key, units: 6, remaining: before - 6 })
    expect(answer.url).toBe(`${sonant.storageUrl}/${key}.mp3`)
    const files = await audioFiles(sonant.dataDirectory)
    await expectReplay(await ask(key, { text: 'Hello.', speed: 1.5 }), answer)
    await expectReplay(await ask(key.toUpperCase(), { speed: 1.5, format: 'mp3', text: 'Hello.' }), answer)
    expect(await balance()).toBe(before - 6)
    expect([rowsOf(key).length, holdsOf(key)]).toEqual([1, [{ status: 'captured' }]])
    expect(await audioFiles(sonant.dataDirectory)).toEqual(files)
  })

  it('are the same request from another key of the account, at a balance of 0 and with the voice deactivated', async () => {
    const { id } = await sonant.admin('/accounts', { body: { name: 'Test', balance: 6 } })
    const keys = await Promise.all(
      [1, 2].map(async () => (await sonant.admin(`/accounts/${id}/keys`, { body: { name: 'k' } })).api_key as string),
    )
    const key = newKey()
    const body = { text: 'Hello.', voice_id: 'en-kevin' }
    const answer = await answerOf(await ask(key, body, { key: keys[0] }))
    expect(answer.remaining).toBe(0)
    await expectReplay(await ask(key, body, { key: keys[1] }), answer)
    await sonant.admin('/voices/en-kevin', { method: 'PATCH', body: { active: false } })
    await expectReplay(await ask(key, body, { key: keys[1] }), answer)
    await expectError(ask(newKey(), body, { key: keys[1] }), 403, 'voice_disabled')
    await sonant.admin('/voices/en-kevin', { method: 'PATCH', body: { active: true } })
    await expectError(ask(newKey(), body, { key: keys[1] }), 402, 'insufficient_balance')
    expect(rowsOf(key)).toHaveLength(1)
  })

  it('may name an earlier request that had no key of its own', async () => {
    const { answer } = await sonant.speak({ text: 'Hello again.' })
    const body = { text: 'Hello again.', voice_id: 'en-kevin' }
    await expectReplay(await ask(answer.request_id as string, body), answer)
  })

  it('treat null and an omitted voice_id alike', async () => {
    const key = newKey()
    const answer = await answerOf(await ask(key, { text: 'Hello.', voice_id: null }))
    await expectReplay(await ask(key, { text: 'Hello.', voice_id: '' }), answer)
    await expectReplay(await ask(key, { text: 'Hello.' }), answer)
  })

  it('count for the rate limit when they are sent again', async () => {
    const { id } = await sonant.admin('/accounts', { body: { name: 'Test', balance: 100 } })
    const { api_key } = await sonant.admin(`/accounts/${id}/keys`, { body: { name: 'k', limits: { tts: 2 } } })
    const key = newKey()
    for (const status of [200, 200, 429])
      expect((await ask(key, { text: 'Hi.' }, { key: api_key })).status).toBe(status)
  })

  it('are remembered over a restart', async () => {
    const first = await startSonant()
    const key = newKey()
    const init = { body: { text: 'Hello.' }, headers: { 'idempotency-key': key } }
    const answer = await answerOf(await first.request('/api/v1/tts', init))
    await first.stop()
    const second = await startIn(first.directory, { apiKey: first.apiKey })
    const replay = await second.request('/api/v1/tts', init)
    expect(replay.headers.get('idempotent-replay')).toBe('true')
    expect(await answerOf(replay)).toEqual({ ...answer, url: `${second.storageUrl}/${key}.mp3` })
    expect(await answerOf(await second.request('/api/v1/balance'))).toMatchObject({ balance: 100_000 - 6 })
    await stopAndRemove(second)
  })
})

describe('while the first is running', () => {
  it('nine others wait for it, with one synthesis, one charge and ten equal answers', async () => {
    const key = newKey()
    const before = await balance()
    const asked = Array.from({ length: 10 }, () => ask(key, { text: 'Ten at once.' }, { fault: 'latency=200' }))
    const answers = await Promise.all(asked)
    const replays = answers.filter(({ headers }) => headers.get('idempotent-replay') === 'true')
    expect([answers.map(({ status }) => status), replays.length]).toEqual([Array(10).fill(200), 9])
    const bodies = await Promise.all(answers.map(answerOf))
    for (const body of bodies) expect(body).toEqual(bodies[0]!)
    expect(await balance()).toBe(before - 12)
    expect([rowsOf(key).length, holdsOf(key)]).toEqual([1, [{ status: 'captured' }]])
  })

  it('an equal one gets the same answer, and a different one is refused at once', async () => {
    const key = newKey()
    let isFirstDone = false
    const first = ask(key, { text: 'Slow.' }, { fault: 'latency=3000' }).finally(() => (isFirstDone = true))
    await until(() => holdsOf(key).length > 0)
    const second = ask(key, { text: 'Slow.' })
    await expectError(ask(key, { text: 'Other.' }), 409, 'invalid_params')
    expect(isFirstDone).toBe(false)
    expect((await answerOf(await sonant.request(`/api/v1/usage/${key}`))).error?.code).toBe('not_found')
    await expectReplay(await second, await answerOf(await first))
  })

  it('several that wait for a failing one retry, and only one of them works', async () => {
    const key = newKey()
    const before = await balance()
    const first = ask(key, { text: 'First fails.' }, { fault: 'latency=1000,synthesis_failed' })
    await until(() => holdsOf(key).length > 0)
    const others = Array.from({ length: 8 }, () => ask(key, { text: 'First fails.' }))
    await expectError(first, 502, 'synthesis_failed')
    const answers = await Promise.all(others)
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const bodies = await Promise.all(answers.map(answerOf))
    for (const body of bodies) expect(body).toEqual(bodies[0]!)
    expect(await balance()).toBe(before - 12)
    expect([rowsOf(key).length, holdsOf(key)]).toEqual([1, [{ status: 'released' }, { status: 'captured' }]])
  })
})

describe('a key that cannot be used', () => {
  it('is 409 with other fields, and reveals nothing of the first request', async () => {
    const key = newKey()
    const answer = await answerOf(await ask(key, { text: 'Secret words.', voice_id: 'en-kevin' }))
    for (const body of [
      { text: 'Secret words', voice_id: 'en-kevin' },
      { text: 'Secret words.' },
      { text: 'Secret words.', voice_id: 'en-kevin', speed: 1.1 },
      { text: 'Secret words.', voice_id: 'en-kevin', format: 'wav' },
      { text: 'Secret words.', voice_id: 'nobody' },
    ]) {
      const response = await ask(key, body)
      expect(response.headers.has('idempotent-replay')).toBe(false)
      const error = await expectError(response, 409, 'invalid_params', 'invalid_request_error')
      expect(error.param).toBe('Idempotency-Key')
      expect(JSON.stringify(error)).not.toMatch(/Secret|kevin|\.mp3/)
    }
    await expectReplay(await ask(key, { text: 'Secret words.', voice_id: 'en-kevin' }), answer)
  })

  it('is the same 409 when another account has used it, whether that succeeded or failed', async () => {
    const [good, failed, own] = [newKey(), newKey(), newKey()]
    const key = sonant.adminKey
    await ask(good, { text: 'Hello.' }, { key })
    await ask(failed, { text: 'Hello.' }, { key, fault: 'synthesis_failed' })
    await ask(own, { text: 'Hello.' })
    const messages = await Promise.all(
      [ask(good, { text: 'Hello.' }), ask(failed, { text: 'Hello.' }), ask(own, { text: 'Other.' })].map(
        async (asked) => (await expectError(asked, 409, 'invalid_params')).message,
      ),
    )
    expect(new Set(messages).size).toBe(1)
    expect([rowsOf(good).length, rowsOf(failed).length]).toEqual([1, 1])
  })

  it('is 400 when it is not 32 hexadecimal characters', async () => {
    for (const key of ['', 'a'.repeat(31), 'a'.repeat(33), 'g'.repeat(32), crypto.randomUUID()]) {
      const error = await expectError(ask(key, { text: 'Hello.' }), 400, 'invalid_params', 'invalid_request_error')
      expect(error.param).toBe('Idempotency-Key')
    }
  })
})

describe('a request that failed', () => {
  it('frees its key: a retry is charged once, in the same row of the history', async () => {
    const key = newKey()
    const before = await balance()
    for (const fault of ['synthesis_failed', 'storage_failed'])
      await expectError(ask(key, { text: 'Hello.' }, { fault }), 502, fault)
    expect(await recordOf(key)).toMatchObject({ status: 'failed', error_code: 'storage_failed', units: 0, url: null })
    const answer = await answerOf(await ask(key, { text: 'Hello, other.', format: 'wav' }))
    expect(answer).toMatchObject({ units: 13, remaining: before - 13, url: `${sonant.storageUrl}/${key}.wav` })
    expect(await recordOf(key)).toMatchObject({
      ...{ status: 'charged', error_code: null, units: 13, characters: 13, format: 'wav', url: answer.url },
    })
    expect(rowsOf(key)).toHaveLength(1)
    expect(holdsOf(key)).toEqual([{ status: 'released' }, { status: 'released' }, { status: 'captured' }])
    await expectReplay(await ask(key, { text: 'Hello, other.', format: 'wav' }), answer)
  })

  it('frees its key after 402 too', async () => {
    const { id } = await sonant.admin('/accounts', { body: { name: 'Test', balance: 5 } })
    const { api_key: key } = await sonant.admin(`/accounts/${id}/keys`, { body: { name: 'k' } })
    const request = newKey()
    await expectError(ask(request, { text: 'Hello.' }, { key }), 402, 'insufficient_balance')
    await sonant.admin(`/accounts/${id}/adjust`, { body: { units: 1, reason: 'test' } })
    const answer = await answerOf(await ask(request, { text: 'Hello.' }, { key }))
    expect(answer).toMatchObject({ units: 6, remaining: 0 })
    expect(rowsOf(request)).toHaveLength(1)
  })
})

describe('a request that could not be charged', () => {
  it('stays uncharged when it is sent again, with its warning', async () => {
    const key = newKey()
    const before = await balance()
    const answer = await answerOf(await ask(key, { text: 'Hello.' }, { fault: 'charge_failed' }))
    expect(answer).toMatchObject({ remaining: null, units: 6, billing_warning: expect.any(String) })
    await expectReplay(await ask(key, { text: 'Hello.' }), answer)
    expect(await balance()).toBe(before)
    expect(await recordOf(key)).toMatchObject({ status: 'uncharged', units: 0, url: answer.url })
  })
})
