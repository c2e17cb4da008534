/** Erased audio and erased accounts: what goes, what stays, and what is refused from then on. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { until } from '../until'
import { isSpeaking } from './books'
import { adminKey, expectError, instantPattern, openData, startOn, type Server } from './client'
import { join, signIn, tokenOf } from './people-client'
import { hashOf, recordVoice, variant } from './recordings'
import { runSonant } from './sonant'

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

const eraseAs = (id: string, key = adminKey.repeat(2)) =>
  server.ask(`/api/v1/admin/accounts/${id}/erase`, { method: 'POST', key })

async function cloneOf(
  key: string,
  recording: Uint8Array,
  name = 'Lovelace speaks',
): Promise<{ id: string; demo_url: string }> {
  const form = new FormData()
  form.append('name', name)
  form.append('file', new Blob([Buffer.from(recording)]))
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${server.baseUrl}/api/v1/voices/clone`, { method: 'POST', headers, body: form })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as any).voice
}

const references = async () => (await readdir(joinPath(data(), 'references'))).sort()
const cloneDemos = async () =>
  (await readdir(joinPath(data(), 'audio/demos'))).filter((name) => name.startsWith('cv-')).sort()
const nameIn = (url: string) => url.slice(url.lastIndexOf('/') + 1)

describe('an account', () => {
  const email = 'ada.lovelace@example.org'

  it('is erased with its names, people, keys, clones and audio; history and ledger stay', async () => {
    const recording = await recordVoice(server, 'en-kevin')
    const shared = variant(recording, 1)
    const other = await server.makeAccount({ balance: 300 })
    const kept = await cloneOf(other.key, shared, 'Kept')
    const { id, key, keyId } = await server.makeAccount({ name: 'Ada Lovelace', email, balance: 1000 })
    await server.admin('PATCH', `/keys/${keyId}`, { name: 'Lovelace laptop' })
    const person = await join(server, id, email)
    const open = tokenOf((await server.admin('POST', `/accounts/${id}/invitations`)).url)
    const deleted = await cloneOf(key, variant(recording, 2))
    await server.admin('DELETE', `/clones/${deleted.id}`)
    for (const each of [recording, shared]) await cloneOf(key, each)
    const { url, request_id } = (await say(key)).body
    const before = await server.admin('GET', `/accounts/${id}`)
    const usage = await server.admin('GET', `/usage?account_id=${id}`)

    const erased = await eraseAs(before.account_number)
    expect(erased.body).toEqual({
      ...before,
      ...{ name: 'erased', email: null, status: 'disabled', erased_at: expect.stringMatching(instantPattern) },
    })
    expectError(await server.ask('/api/v1/balance', { key }), 401, 'invalid_api_key')
    expectError(await person.browser.ask('/api/v1/session'), 401, 'invalid_api_key', 'Cookie')
    expectError((await signIn(server, email)).answer, 401, 'invalid_api_key', 'password')
    const joining = { token: open, email, password: 'x'.repeat(8), name: 'Ada' }
    const joined = await server.ask('/api/v1/invitations/accept', {
      ...{ key: null, headers: { 'content-type': 'application/json' }, body: joining },
    })
    expectError(joined, 400, 'invalid_params', 'token')
    expectError(await server.ask(pathOf(url), { key: null }), 410, 'not_found')
    expect(await audioFiles()).not.toContain(`${request_id}.mp3`)
    expect(await references()).toEqual([hashOf(shared)])
    expect(await cloneDemos()).toEqual([nameIn(kept.demo_url)])
    const items = usage.items.map((item: object) => ({ ...item, account_name: 'erased' }))
    expect(await server.admin('GET', `/usage?account_id=${id}`)).toEqual({ ...usage, items })
    for (const list of ['persons', 'keys', 'invitations'])
      expect((await server.admin('GET', `/accounts/${id}/${list}`)).items).toEqual([])
    // Only its ledger can still be corrected.
    const refused: [method: string, path: string, body?: object][] = [
      ['PATCH', `/accounts/${id}`, { name: 'Ada' }],
      ['POST', `/accounts/${id}/enable`],
      ['POST', `/accounts/${id}/keys`, { name: 'new' }],
      ['POST', `/accounts/${id}/invitations`],
    ]
    for (const [method, path, body] of refused)
      expectError(await server.ask(`/api/v1/admin${path}`, { method, body, key: adminKey.repeat(2) }), 409, 'conflict')
    expect(await server.admin('POST', `/accounts/${id}/adjust`, { units: -1, reason: 'closed' })).toEqual({
      balance: before.balance - 1,
    })
    expect((await eraseAs(id)).body).toEqual({ ...erased.body, balance: before.balance - 1 })
    const log = JSON.stringify(await server.admin('GET', '/audit-log?limit=200'))
    for (const acts of ['"act":"account erase"', '"act":"clone delete"']) expect(log).toContain(acts)
    expect(log).not.toContain('ovelace')
    expectBalanced()
    await server.stop()
    const files = await Promise.all(
      (await readdir(data()))
        .filter((name) => name.startsWith('sonant.db'))
        .map((name) => Bun.file(joinPath(data(), name)).bytes()),
    )
    expect(files.length).toBeGreaterThan(0)
    for (const bytes of files) expect(Buffer.from(bytes).includes('ovelace')).toBe(false)
    server = await startOn(directory)
  })

  it('is not erased while it is the only administrator or its requests run', async () => {
    const { items } = await server.admin('GET', '/accounts?q=Administrator')
    expectError(await eraseAs(items[0].id), 409, 'conflict')
    const { id, key } = await server.makeAccount({ balance: 2000 })
    const speaking = say(key, { text: 'This is one of many sentences that take a while to speak. '.repeat(15) })
    await until(() => isSpeaking(data()))
    const refused = await eraseAs(id)
    expectError(refused, 409, 'conflict')
    expect(refused.body.error.message).toContain('running requests (1)')
    const spoken = await speaking
    expect(spoken.status).toBe(200)
    expect((await eraseAs(id)).status).toBe(200)
    expectError(await server.ask(pathOf(spoken.body.url), { key: null }), 410, 'not_found')
    expectBalanced()
  })

  it('leaves no audio of requests that run into the erasure', async () => {
    const { id, key } = await server.makeAccount({ balance: 1000 })
    const spoken = Promise.all(Array.from({ length: 24 }, () => say(key)))
    const erased = Array.from({ length: 8 }, async () => {
      await Bun.sleep(Math.random() * 40)
      return (await eraseAs(id)).status
    })
    for (const status of await Promise.all(erased)) expect(status).toBeOneOf([200, 409])
    const answers = await spoken
    expect((await eraseAs(id)).status).toBe(200)
    for (const { status, body } of answers) {
      expect(status).toBeOneOf([200, 401, 402])
      if (status === 200) expectError(await server.ask(pathOf(body.url), { key: null }), 410, 'not_found')
    }
    const { items } = await server.admin('GET', `/usage?account_id=${id}`)
    const names = items.flatMap(({ url }: { url: string | null }) => (url ? [nameIn(url)] : []))
    expect((await audioFiles()).filter((name) => names.includes(name))).toEqual([])
    expectBalanced()
  })

  it('is whole or erased after a kill at any moment and the next start', async () => {
    const recording = await recordVoice(server, 'en-kevin', 'Another recording of a few words, for a voice.')
    for (let round = 0; round < 3; round++) {
      const { id, key } = await server.makeAccount({ name: 'Hopper', balance: 1000 })
      const { sha256, demo } = await cloneOf(key, variant(recording, 10 + round)).then(({ demo_url }) => {
        return { sha256: hashOf(variant(recording, 10 + round)), demo: nameIn(demo_url) }
      })
      const spoken = await Promise.all(Array.from({ length: 8 }, async () => nameIn((await say(key)).body.url)))
      const left = async () => {
        const here = [...(await audioFiles()), ...(await references()), ...(await cloneDemos())]
        return [...spoken, sha256, demo].filter((name) => here.includes(name)).length
      }
      expect(await left()).toBe(10)
      const erasing = eraseAs(id).catch(() => undefined)
      await Bun.sleep(round * 4)
      server.process.kill('SIGKILL')
      await Promise.all([server.process.exited, erasing])
      server = await startOn(directory)
      const account = await server.admin('GET', `/accounts/${id}`)
      if (account.erased_at) await until(async () => (await left()) === 0)
      else expect([account.name, await left()]).toEqual(['Hopper', 10])
      expectBalanced()
    }
  })

  it('whose erasure was interrupted is finished by the next start, and by the command', async () => {
    const { id, key } = await server.makeAccount({ name: 'Grace', balance: 20 })
    const [one, other] = [(await say(key)).body, (await say(key)).body]
    const run = (...args: string[]) => runSonant(['account', 'erase', id, '--data', data(), ...args])
    expect(run()).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--yes') })
    expect((await server.ask('/api/v1/balance', { key })).status).toBe(200)
    expect(JSON.parse(run('--yes', '--json').stdout)).toMatchObject({ id, name: 'erased', balance: 14 })
    for (const { url } of [one, other]) expect((await server.ask(pathOf(url), { key: null })).status).toBe(410)
    // As after a crash between the rows and the files.
    const leave = async (url: string) => {
      await Bun.write(joinPath(data(), 'audio', nameIn(url)), 'sound')
      const db = openData(directory)
      db.prepare('UPDATE accounts SET files_left = 1 WHERE id = ?').run(id)
      db.close()
    }
    await leave(one.url)
    expect(run('--yes').exitCode).toBe(0)
    expect((await server.ask(pathOf(one.url), { key: null })).status).toBe(410)
    await server.stop()
    await leave(other.url)
    server = await startOn(directory)
    await until(async () => !(await audioFiles()).includes(nameIn(other.url)))
    expectBalanced()
  })
})
