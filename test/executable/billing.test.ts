/** The cost of speech, refusals for lack of money, and exactly-once charging: over HTTP, against the executable. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { audioFiles, auditDifference, query } from './books'
import { expectError } from './expect-error'
import { defaultVoiceId, startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'

let sonant: EphemeralSonant
beforeAll(async () => {
  sonant = await startEphemeral()
})
afterAll(async () => {
  expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
  await stopAndRemove(sonant)
})

/** Creates an account for one test. */
async function createAccount(balance: number, keyFields: Record<string, unknown> = {}) {
  const { id } = await sonant.admin('/accounts', { body: { name: 'Test', balance } })
  const createKey = (fields: Record<string, unknown>) =>
    sonant.admin(`/accounts/${id}/keys`, { body: { name: 'key', ...fields } })
  const { api_key: key, id: keyId } = await createKey(keyFields)
  const read = async (path: string) => (await (await sonant.request(path, { key })).json()) as Record<string, any>
  return {
    key: key as string,
    keyId: keyId as string,
    createKey,
    speak: (body: Record<string, unknown>) =>
      sonant.request('/api/v1/tts', { key, body: { voice_id: 'en-kevin', ...body } }),
    estimate: (body: Record<string, unknown>) => sonant.request('/api/v1/tts/estimate', { key, body }),
    balance: async () => (await read('/api/v1/balance')).balance as number,
    records: async () => (await read('/api/v1/usage')).records as Record<string, any>[],
    spent: async () => (await read('/api/v1/account')).key.spent as number,
  }
}

describe('a request that succeeds', () => {
  it('costs one unit for each code point, whatever the speed and the format', async () => {
    const account = await createAccount(1000)
    let balance = 1000
    for (const [body, units] of [
      [{ text: 'Hello, world. 42' }, 16],
      [{ text: '  hi\n' }, 5],
      [{ text: '你好，world' }, 8],
      [{ text: '😀' }, 1],
      [{ text: '🇩🇪' }, 2],
      [{ text: 'e\u0301' }, 2],
      [{ text: 'Hello.', speed: 2 }, 6],
      [{ text: 'Hello.', speed: 0.5, format: 'wav' }, 6],
    ] as const) {
      const response = await account.speak(body)
      balance -= units
      expect([response.status, await response.json()]).toEqual([
        200,
        expect.objectContaining({ units, remaining: balance }),
      ])
      expect(await account.balance()).toBe(balance)
    }
    const records = await account.records()
    expect(records.map(({ status }) => status)).toEqual(Array(8).fill('charged'))
    expect(records.reduce((sum, { units }) => sum + units, 0)).toBe(1000 - balance)
    expect(await account.spent()).toBe(1000 - balance)
  })

  it('may take the last unit', async () => {
    const account = await createAccount(6)
    expect(await (await account.speak({ text: 'Hello.' })).json()).toMatchObject({ remaining: 0 })
    await expectError(account.speak({ text: 'a' }), 402, 'insufficient_balance', 'billing_error')
  })
})

describe('a balance that is too small', () => {
  it('is 402 with the available and needed units; no file is made, and the history says failed', async () => {
    const account = await createAccount(5)
    const files = await audioFiles(sonant.dataDirectory)
    const error = await expectError(account.speak({ text: 'Hello.' }), 402, 'insufficient_balance', 'billing_error')
    expect(error.message).toMatch(/^5 characters are available, and 6 are needed/)
    expect(error.param).toBeNull()
    expect(await account.balance()).toBe(5)
    const failed = { status: 'failed', error_code: 'insufficient_balance', units: 0, characters: 6, url: null }
    expect(await account.records()).toEqual([
      expect.objectContaining({ request_id: error.x_relay.request_id, ...failed, audio_ms: null, duration_ms: null }),
    ])
    expect(await audioFiles(sonant.dataDirectory)).toEqual(files)
  })

  it('still lets the key read its balance, account and usage', async () => {
    const { key } = await createAccount(0)
    for (const path of ['balance', 'account', 'usage', 'usage/daily', 'usage.csv', 'voices'])
      expect((await sonant.request(`/api/v1/${path}`, { key })).status).toBe(200)
  })
})

describe('the cap of a key', () => {
  it('is 402 key_cap_reached with the remaining and needed units, for one key only', async () => {
    const account = await createAccount(1000, { cap: 10 })
    expect((await account.speak({ text: 'Hello.' })).status).toBe(200)
    const error = await expectError(account.speak({ text: 'Hello.' }), 402, 'key_cap_reached', 'billing_error')
    expect(error.message).toMatch(/leaves 4 characters, and 6 are needed/)
    expect((await account.records())[0]).toMatchObject({ status: 'failed', error_code: 'key_cap_reached', units: 0 })
    expect(await account.balance()).toBe(994)
    expect((await account.speak({ text: 'Four' })).status).toBe(200)
    const { api_key } = await account.createKey({})
    expect(
      (await sonant.request('/api/v1/tts', { key: api_key, body: { text: 'Hello.', voice_id: 'en-kevin' } })).status,
    ).toBe(200)
    expect([await account.balance(), await account.spent()]).toEqual([984, 10])
  })

  it('is checked before a smaller balance', async () => {
    const account = await createAccount(5, { cap: 5 })
    await expectError(account.speak({ text: 'Hello.' }), 402, 'key_cap_reached')
  })

  it('can be raised, and then the key works again', async () => {
    const account = await createAccount(100, { cap: 0 })
    await expectError(account.speak({ text: 'Hello.' }), 402, 'key_cap_reached')
    await sonant.admin(`/keys/${account.keyId}`, { method: 'PATCH', body: { cap: 6 } })
    expect((await account.speak({ text: 'Hello.' })).status).toBe(200)
  })
})

describe('100 parallel requests', () => {
  const text = 'Hello'
  async function ask100(account: Awaited<ReturnType<typeof createAccount>>) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => account.speak({ text })))
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as Record<string, any>[]
    const codes = bodies.filter((_, i) => answers[i]!.status === 402).map(({ error }) => error.code)
    return { spoken: bodies.filter((_, i) => answers[i]!.status === 200), codes: new Set(codes), refused: codes.length }
  }

  it('spend exactly what the balance affords', async () => {
    const account = await createAccount(7 * 5 + 3)
    const { spoken, codes, refused } = await ask100(account)
    expect([spoken.length, refused, [...codes]]).toEqual([7, 93, ['insufficient_balance']])
    expect(await account.balance()).toBe(3)
    expect(Math.min(...spoken.map(({ remaining }) => remaining))).toBe(3)
    expect(new Set(spoken.map(({ remaining }) => remaining)).size).toBe(7)
    expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
  })

  it('spend exactly what the cap of their key affords', async () => {
    const account = await createAccount(1000, { cap: 9 * 5 + 4 })
    const { spoken, codes, refused } = await ask100(account)
    expect([spoken.length, refused, [...codes]]).toEqual([9, 91, ['key_cap_reached']])
    expect([await account.balance(), await account.spent()]).toEqual([955, 45])
    expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
  })

  it('leave nothing held', () => {
    expect(query(sonant.dataDirectory, `SELECT * FROM holds WHERE status = 'held'`)).toEqual([])
    expect(query(sonant.dataDirectory, `SELECT * FROM balances WHERE held <> 0`)).toEqual([])
  })
})

describe('POST /api/v1/tts/estimate', () => {
  it('returns the cost of a request and the balance after it, and charges nothing', async () => {
    const account = await createAccount(10)
    const answer = async (text: string) => (await account.estimate({ text })).json()
    const voice_id = defaultVoiceId
    expect(await answer('Hello.')).toEqual({ units: 6, voice_id, allowed: true, remaining_after: 4 })
    expect(await answer('0123456789')).toEqual({ units: 10, voice_id, allowed: true, remaining_after: 0 })
    expect(await answer('0123456789a')).toEqual({ units: 11, voice_id, allowed: false, remaining_after: 10 })
    expect([await account.balance(), await account.records()]).toEqual([10, []])
  })

  it('respects the cap of the key', async () => {
    const account = await createAccount(10, { cap: 3 })
    expect(await (await account.estimate({ text: 'abcd' })).json()).toMatchObject({ allowed: false })
    expect(await (await account.estimate({ text: 'abc' })).json()).toMatchObject({ allowed: true, remaining_after: 7 })
  })

  it('refuses invalid fields as the request itself does', async () => {
    const account = await createAccount(10)
    for (const body of [
      {},
      { text: ' ' },
      { text: 'a'.repeat(2001) },
      { text: 'a', speed: 3 },
      { text: 'a', format: 'ogg' },
      { text: 'a', voice_id: 5 },
      { text: 'a', voice_id: 'nobody' },
    ]) {
      const [asked, estimated] = await Promise.all([account.speak(body), account.estimate(body)])
      const fields = async (response: Response) => {
        const { code, message, param, type } = ((await response.json()) as Record<string, any>).error
        return { status: response.status, code, message, param, type }
      }
      expect(await fields(estimated)).toEqual(await fields(asked))
    }
    const anonymous = fetch(`${sonant.baseUrl}/api/v1/tts/estimate`, { method: 'POST', body: '{}' })
    await expectError(anonymous, 401, 'missing_api_key')
  })
})
