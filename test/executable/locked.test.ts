/** Another process holds the write lock for long: requests wait outside of the event loop. */
import { Database as Sqlite } from 'bun:sqlite'
import { afterAll, beforeAll, expect, it } from 'bun:test'
import { join } from 'node:path'
import { audioFiles, auditDifference, query } from './books'
import { expectError } from './expect-error'
import { startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'
import { until } from '../until'

let sonant: EphemeralSonant
let other: Sqlite
beforeAll(async () => {
  sonant = await startEphemeral()
  await sonant.speak({ text: 'Warm.' })
  other = new Sqlite(join(sonant.dataDirectory, 'sonant.db'))
})
afterAll(async () => {
  other.close()
  expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
  await stopAndRemove(sonant)
})

const newKey = () => Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex')
const text = 'Hello.'
const ask = (idempotencyKey: string, headers: Record<string, string> = {}) =>
  sonant.request('/api/v1/tts', {
    body: { text, voice_id: 'en-kevin' },
    headers: { 'idempotency-key': idempotencyKey, ...headers },
  })
const later = { 'x-sonant-fault': 'latency=500' }
const isHeld = (id: string) => query(sonant.dataDirectory, `SELECT 1 FROM holds WHERE request_id = '${id}'`).length > 0
const balance = async () => ((await (await sonant.request('/api/v1/balance')).json()) as { balance: number }).balance

it('makes a request wait at its begin and at its charge, while others are answered', async () => {
  const before = await balance()
  const first = newKey()
  const charging = ask(first, later)
  await until(() => isHeld(first))
  other.run('BEGIN IMMEDIATE')
  const waiting = [charging, ask(newKey()), sonant.admin('/accounts', { body: { name: 'Patient' } })]
  let answered = 0
  // Less than the five seconds of patience, and long enough for the delayed charge to come.
  for (const endAtMs = Date.now() + 1500; Date.now() < endAtMs; answered++) {
    expect((await sonant.request('/healthz')).status).toBe(200)
    expect(await balance()).toBe(before)
    await Bun.sleep(10)
  }
  other.run('COMMIT')
  // Waiting inside SQLite would have passed about one request in this time.
  expect(answered).toBeGreaterThan(3)
  const [charged, begun, account] = await Promise.all(waiting)
  for (const response of [charged, begun] as Response[])
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ remaining: expect.any(Number) }),
    ])
  expect(account).toMatchObject({ name: 'Patient' })
  expect(await balance()).toBe(before - 2 * text.length)
})

it('fails requests after a while without a charge or a file, and a retry succeeds', async () => {
  const before = await balance()
  const stored = await audioFiles(sonant.dataDirectory)
  const [late, early] = [newKey(), newKey()]
  const charging = ask(late, later)
  await until(() => isHeld(late))
  other.run('BEGIN IMMEDIATE')
  for (const answer of await Promise.all([charging, ask(early)])) await expectError(answer, 502, 'storage_failed')
  expect(await audioFiles(sonant.dataDirectory)).toEqual(stored)
  other.run('COMMIT')
  for (const key of [late, early]) {
    const answer = (await (await ask(key)).json()) as Record<string, unknown>
    expect(answer).toMatchObject({ request_id: key, units: text.length, remaining: expect.any(Number) })
  }
  expect(await balance()).toBe(before - 2 * text.length)
  expect(query(sonant.dataDirectory, "SELECT * FROM holds WHERE status = 'held'")).toEqual([])
})
