/** `X-Sonant-Fault`: each name fails as specified, with the money, files and history of a real failure. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { audioFiles, auditDifference, query } from './books'
import { expectError } from './expect-error'
import { startEphemeral, startSonant, stopAndRemove, type EphemeralSonant } from './sonant'

let sonant: EphemeralSonant
beforeAll(async () => {
  sonant = await startEphemeral()
})
afterAll(() => stopAndRemove(sonant))

const ask = (fault: string, body: Record<string, unknown> = {}) =>
  sonant.request('/api/v1/tts', {
    body: { text: 'Hello.', voice_id: 'en-kevin', ...body },
    headers: { 'x-sonant-fault': fault },
  })
const answerOf = async (response: Response) => (await response.json()) as Record<string, any>
const balance = async () => (await answerOf(await sonant.request('/api/v1/balance'))).balance as number
const recordOf = async (id: string) => answerOf(await sonant.request(`/api/v1/usage/${id}`))

async function stateOfMoney() {
  const spending = query(sonant.dataDirectory, 'SELECT key_id, captured, held FROM key_spending ORDER BY key_id')
  const held = query(sonant.dataDirectory, 'SELECT account_id, held FROM balances ORDER BY account_id')
  return { balance: await balance(), spending, held, files: await audioFiles(sonant.dataDirectory) }
}

describe('a fault on demand', () => {
  const faults: [fault: string, body: Record<string, unknown>, status: number, code: string][] = [
    ['synthesis_failed', {}, 502, 'synthesis_failed'],
    ['synthesis_failed', { format: 'wav' }, 502, 'synthesis_failed'],
    ['synthesis_timeout', {}, 504, 'synthesis_failed'],
    ['speed_processing_failed', { speed: 1.5 }, 502, 'speed_processing_failed'],
    ['speed_processing_failed', { speed: 0.5, format: 'wav' }, 502, 'speed_processing_failed'],
    ['transcode_failed', { format: 'wav' }, 502, 'transcode_failed'],
    ['storage_failed', {}, 502, 'storage_failed'],
    ['storage_failed', { format: 'wav' }, 502, 'storage_failed'],
    ['latency=50,storage_failed', {}, 502, 'storage_failed'],
  ]
  it.each(faults)('%s of %j is %i %s; no charge and no file remain', async (fault, body, status, code) => {
    const before = await stateOfMoney()
    const error = await expectError(ask(fault, body), status, code, 'engine_error')
    expect(error.message).not.toMatch(/demand|fault|\//)
    expect(await stateOfMoney()).toEqual(before)
    expect(await recordOf(error.x_relay.request_id)).toMatchObject({
      ...{ status: 'failed', error_code: code, units: 0, characters: 6, url: null, audio_ms: null },
    })
    expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
  })

  it.each<[fault: string, body: Record<string, unknown>]>([
    ['speed_processing_failed', {}],
    ['speed_processing_failed', { speed: 1, format: 'wav' }],
    ['speed_processing_failed', { speed: 1.5, text: '…' }],
    ['transcode_failed', {}],
    ['transcode_failed', { speed: 1.5 }],
    ['synthesis_failed', { text: '…' }],
    ['render_failed', {}],
    ['url_fetch_failed', { speed: 1.5, format: 'wav' }],
  ])('%s leaves %j alone, where the real one cannot arise', async (fault, body) => {
    const answer = await answerOf(await ask(fault, body))
    expect(answer).toMatchObject({ remaining: expect.any(Number) })
    expect(await recordOf(answer.request_id)).toMatchObject({ status: 'charged', error_code: null })
  })

  it('has no effect on a replay', async () => {
    const headers = { 'idempotency-key': '0123456789abcdef'.repeat(2) }
    const first = await sonant.request('/api/v1/tts', { body: { text: 'Hello.', voice_id: 'en-kevin' }, headers })
    for (const fault of ['synthesis_failed', 'storage_failed', 'charge_failed', 'latency=60000']) {
      const again = await sonant.request('/api/v1/tts', {
        body: { text: 'Hello.', voice_id: 'en-kevin' },
        headers: { ...headers, 'x-sonant-fault': fault },
      })
      expect([again.status, await again.json()]).toEqual([200, await answerOf(first.clone() as Response)])
    }
  })

  it('charge_failed is 200 with a warning; the file plays, and the history says uncharged', async () => {
    const before = await stateOfMoney()
    const response = await ask('charge_failed')
    const answer = await answerOf(response)
    expect(response.status).toBe(200)
    expect(answer).toMatchObject({ remaining: null, units: 6, billing_warning: expect.stringContaining('charge') })
    const { files, ...money } = await stateOfMoney()
    expect(files.filter((name) => !before.files.includes(name))).toEqual([`${answer.request_id}.mp3`])
    expect({ ...money, files: before.files }).toEqual(before)
    expect((await (await fetch(answer.url)).bytes()).length).toBeGreaterThan(2000)
    const record = await recordOf(answer.request_id)
    expect(record).toMatchObject({ status: 'uncharged', error_code: null, units: 0, characters: 6, url: answer.url })
    expect(record.audio_ms).toBeGreaterThan(100)
    expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
  })

  it('latency=<ms> only takes longer', async () => {
    const before = await balance()
    const startedAtMs = performance.now()
    const answer = await answerOf(await ask('latency=400'))
    expect(performance.now() - startedAtMs).toBeGreaterThan(400)
    expect(answer).toMatchObject({ units: 6, remaining: before - 6 })
    expect((await ask('latency=0')).status).toBe(200)
  })

  it('must be one of a list: any other name is 400 with the list, before a hold', async () => {
    const before = await stateOfMoney()
    for (const fault of ['', 'nonsense', 'SYNTHESIS_FAILED', 'latency', 'latency=-1', 'latency=60001', 'latency=1e3']) {
      const error = await expectError(ask(fault), 400, 'invalid_params', 'invalid_request_error')
      expect(error.param).toBe('X-Sonant-Fault')
      expect(error.message).toContain('synthesis_failed')
    }
    expect(await stateOfMoney()).toEqual(before)
  })

  it('affects only its own request', async () => {
    const faults = ['synthesis_failed', 'latency=0', 'storage_failed', 'latency=0', 'synthesis_timeout', 'latency=0']
    const answers = await Promise.all(faults.map((fault) => ask(fault)))
    expect(answers.map(({ status }) => status)).toEqual([502, 200, 502, 200, 504, 200])
    expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
  })

  it('has no effect outside of ephemeral mode', async () => {
    const lasting = await startSonant()
    for (const fault of ['synthesis_failed', 'nonsense', 'latency=60000']) {
      const headers = { 'x-sonant-fault': fault }
      expect(
        (await lasting.request('/api/v1/tts', { body: { text: 'Hi.', voice_id: 'en-kevin' }, headers })).status,
      ).toBe(200)
    }
    await stopAndRemove(lasting)
  })
})
