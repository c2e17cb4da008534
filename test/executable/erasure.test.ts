/** Erased audio and erased accounts: what goes, what stays, and what is refused from then on. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { startOn, expectError, type Server } from './client'
import { join } from './people-client'
import { runSonant } from './sonant'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'

let directory: string
let server: Server
beforeAll(async () => {
  directory = await mkdtemp(joinPath(tmpdir(), 'sonant-erasure-'))
  server = await startOn(directory)
})
afterAll(async () => {
  await server.stop()
  await rm(directory, { recursive: true })
})

const data = () => joinPath(directory, 'data')
const audioFiles = async () => (await readdir(joinPath(data(), 'audio'))).filter((name) => name !== 'demos')
const say = (key: string, fields: object = {}, headers: Record<string, string> = {}) =>
  server.ask('/api/v1/tts', { key, headers, body: { text: 'Hi.', voice_id: 'en-kevin', ...fields } })
const pathOf = (url: string) => new URL(url).pathname
const expectBalanced = () => expect(runSonant(['audit', '--data', data()])).toMatchObject({ exitCode: 0 })

describe('the audio of a request', () => {
  it('is erased by its account: its address and a replay are gone, the history and the charge stay', async () => {
    const { id, key } = await server.makeAccount({ balance: 100 })
    const other = await server.makeAccount()
    const headers = { 'idempotency-key': 'c0ffee00'.repeat(4) }
    const { url, request_id } = (await say(key, {}, headers)).body
    const { url: kept } = (await say(key)).body
    const erase = (as: string, requestId = request_id) =>
      server.ask(`/api/v1/usage/${requestId}/audio`, { method: 'DELETE', key: as })
    expectError(await erase(other.key), 404, 'not_found')
    const record = (await server.ask(`/api/v1/usage/${request_id}`, { key })).body
    expect((await erase(key, request_id.toUpperCase())).body).toEqual({ ok: true, deleted: request_id })
    for (const again of [await erase(key), await server.ask(pathOf(url), { key: null }), await say(key, {}, headers)])
      expectError(again, 410, 'not_found')
    const head = await server.ask(pathOf(url), { method: 'HEAD', key: null })
    expect([head.status, head.headers.get('cache-control')]).toEqual([410, 'private, no-store'])
    expect(await audioFiles()).not.toContain(url.split('/').at(-1))
    expect((await server.ask(pathOf(kept), { key: null })).status).toBe(200)
    expect((await server.ask(`/api/v1/usage/${request_id}`, { key })).body).toEqual(record)
    expect((await server.ask('/api/v1/balance', { key })).body.balance).toBe(94)
    expectError(await say(key, { text: 'Other.' }, headers), 409, 'invalid_params', 'Idempotency-Key')
    expectBalanced()
    // A page does it with the session.
    const { browser } = await join(server, id)
    const third = (await say(key)).body
    const path = `/api/v1/usage/${third.request_id}/audio`
    expect((await browser.ask(path, { method: 'DELETE' })).status).toBe(200)
    expectError(await server.ask(pathOf(third.url), { key: null }), 410, 'not_found')
  })

  it('that was never made is not found', async () => {
    const { key } = await server.makeAccount({ balance: 2 })
    expectError(await say(key), 402, 'insufficient_balance')
    const { records } = (await server.ask('/api/v1/usage', { key })).body
    for (const id of [records[0].request_id, 'f'.repeat(32)]) {
      expectError(await server.ask(`/api/v1/usage/${id}/audio`, { method: 'DELETE', key }), 404, 'not_found')
      expectError(await server.ask(`/audio/${id}.mp3`, { key: null }), 404, 'not_found')
    }
  })
})
