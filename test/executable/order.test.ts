/**
 * The order of checks of POST /api/v1/tts, pairwise: each request breaks at least two neighbouring rules, and the first
 * one answers.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { query } from './books'
import { expectError } from './expect-error'
import { startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'
import { untilPast } from '../until'

const keyOf = (name: string) => `sk-test-${name}`
const account = (name: string, fields: Record<string, unknown>, key: Record<string, unknown> = {}) => ({
  name,
  ...fields,
  keys: [{ api_key: keyOf(name), ...key }],
})

let sonant: EphemeralSonant
beforeAll(async () => {
  sonant = await startEphemeral({
    seed: {
      groups: [{ name: 'ross only', voices: ['en-ross'] }],
      accounts: [
        account('revoked', { balance: 100 }, { status: 'revoked' }),
        account('revoked-expiring', { balance: 100 }, { status: 'revoked' }),
        account('expiring', { balance: 100 }),
        account('expiring-disabled', { status: 'disabled' }),
        account('disabled', { status: 'disabled' }, { limits: { tts: 1 } }),
        account('limited', { balance: 100 }, { limits: { tts: 1 } }),
        account('poor', { balance: 0 }),
        account('poor-in-plan', { balance: 0, group: 'ross only' }),
        account('capped', { balance: 0 }, { cap: 0 }),
        account('rich', { balance: 100, group: 'ross only' }),
      ],
      voices: [{ id: 'en-kevin', active: false }],
    },
  })
})
afterAll(() => stopAndRemove(sonant))

const ask = (name: string, body: unknown, headers?: Record<string, string>) =>
  sonant.request('/api/v1/tts', { key: keyOf(name), method: 'POST', body, headers })
const badBody = '{"text":'
const badFault = { 'x-sonant-fault': 'nonsense' }

/** Makes the key of the account expire, and waits until it has. */
async function expire(name: string): Promise<void> {
  const { items: accounts } = await sonant.admin(`/accounts?q=${name}`)
  const { id } = accounts.find((one: { name: string }) => one.name === name)
  const { items: keys } = await sonant.admin(`/accounts/${id}/keys`)
  const expiresAtMs = Date.now() + 1_000
  const body = { expires_at: new Date(expiresAtMs).toISOString() }
  await sonant.admin(`/keys/${keys[0].id}`, { method: 'PATCH', body })
  await untilPast(expiresAtMs)
}

describe('the caller', () => {
  it('must send a key, then a known one, before all other checks', async () => {
    const send = (headers: Record<string, string>) =>
      fetch(`${sonant.baseUrl}/api/v1/tts`, { method: 'POST', body: badBody, headers })
    await expectError(send({}), 401, 'missing_api_key', 'authentication_error')
    await expectError(send({ authorization: 'Basic a' }), 401, 'missing_api_key', 'authentication_error')
    await expectError(send({ authorization: 'Bearer a' }), 401, 'invalid_api_key', 'authentication_error')
  })

  it('is refused with a revoked key or a disabled account, with any body', async () => {
    await expectError(ask('revoked', badBody), 403, 'api_key_revoked', 'permission_error')
    for (let i = 0; i < 3; i++) await expectError(ask('disabled', badBody), 403, 'account_disabled', 'permission_error')
  })

  it('is refused with an expired key, after revoked and before disabled', async () => {
    expect((await ask('expiring', { text: 'a' })).status).toBe(200)
    await expectError(ask('expiring-disabled', badBody), 403, 'account_disabled')
    for (const name of ['expiring', 'expiring-disabled', 'revoked-expiring']) await expire(name)
    await expectError(ask('revoked-expiring', badBody), 403, 'api_key_revoked')
    await expectError(ask('expiring-disabled', badBody), 401, 'invalid_api_key')
    await expectError(ask('expiring', badBody), 401, 'invalid_api_key')
  })
})

describe('the rate limit', () => {
  it('comes before the body, and a refused body counts as a call', async () => {
    await expectError(ask('limited', badBody), 400, 'invalid_params')
    const over = await ask('limited', badBody)
    expect(over.headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
    await expectError(over, 429, 'rate_limited', 'rate_limit_error')
  })
})

describe('the body', () => {
  it('is parsed before the voice is looked up', async () => {
    await expectError(ask('poor', { text: '', voice_id: 'nobody' }), 400, 'invalid_params')
    await expectError(ask('poor', { text: 'a', speed: 9, voice_id: 'en-kevin' }), 400, 'invalid_speed')
    await expectError(ask('poor', { text: 'a', format: 'ogg', voice_id: 'en-kevin' }), 400, 'invalid_format')
  })

  it('is checked before the headers of the request', async () => {
    expect((await expectError(ask('poor', { text: '' }, badFault), 400, 'invalid_params')).param).toBe('text')
    const key = { 'idempotency-key': 'short' }
    expect((await expectError(ask('poor', { text: '' }, key), 400, 'invalid_params')).param).toBe('text')
    const error = await expectError(ask('poor', { text: 'a', voice_id: 'nobody' }, key), 400, 'invalid_params')
    expect(error.param).toBe('Idempotency-Key')
  })
})

describe('the voice', () => {
  it('is looked up before the cap and the balance', async () => {
    for (const name of ['poor', 'capped']) {
      await expectError(ask(name, { text: 'a', voice_id: 'nobody' }), 404, 'voice_not_found', 'invalid_request_error')
      await expectError(ask(name, { text: 'a', voice_id: 'cv-nobody' }), 404, 'voice_not_found')
      await expectError(ask(name, { text: 'a', voice_id: 'en-kevin' }), 403, 'voice_disabled', 'permission_error')
    }
    await expectError(ask('poor-in-plan', { text: 'a', voice_id: 'nobody' }), 404, 'voice_not_found')
  })

  it('is checked for deactivation, then for the plan', async () => {
    await expectError(ask('poor-in-plan', { text: 'a', voice_id: 'en-kevin' }), 403, 'voice_disabled')
    const { voices } = (await (await sonant.request('/api/v1/voices')).json()) as { voices: { id: string }[] }
    const other = voices.find(({ id }) => id !== 'en-ross')!.id
    const refused = ask('poor-in-plan', { text: 'a', voice_id: other })
    await expectError(refused, 403, 'voice_not_allowed', 'permission_error')
    await expectError(ask('rich', { text: 'a', voice_id: other }), 403, 'voice_not_allowed')
    expect((await ask('rich', { text: 'a' })).status).toBe(200)
  })
})

describe('money', () => {
  it('is checked against the cap, then the balance', async () => {
    await expectError(ask('capped', { text: 'a' }), 402, 'key_cap_reached')
    await expectError(ask('poor', { text: 'a' }), 402, 'insufficient_balance')
  })
})

describe('the history', () => {
  it('has rows from 402 on, none for earlier refusals', () => {
    const rows = query(sonant.dataDirectory, 'SELECT status, error_code, count(*) AS requests FROM usage GROUP BY 1, 2')
    expect(rows).toEqual([
      { status: 'charged', error_code: null, requests: 2 },
      { status: 'failed', error_code: 'insufficient_balance', requests: 1 },
      { status: 'failed', error_code: 'key_cap_reached', requests: 1 },
    ])
  })
})
