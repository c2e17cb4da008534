/** Administration (the table in the decisions), over HTTP against the compiled executable. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  adminKey,
  expectError,
  instantPattern,
  readPages,
  startOn,
  startServer,
  uuid,
  type Json,
  type Server,
} from './client'
import { untilPast } from '../until'

let server: Server
let admin: Server['admin']
beforeAll(async () => {
  server = await startServer()
  admin = server.admin
})
afterAll(() => server.stop())

const root = '/api/v1/admin'
/** Sends a request as the administrator and returns any answer. */
const tryAs = (method: string, path: string, body?: unknown, key = adminKey) =>
  server.ask(path.startsWith('/api') ? path : root + path, { method, body, key })

const id = expect.stringMatching(uuid)
const instant = expect.stringMatching(instantPattern)
const secret = expect.stringMatching(/^sk-[0-9A-Za-z]{43}$/)
const wholeCode = expect.stringMatching(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)

const accountShape = {
  id,
  name: 'Ada',
  email: null,
  role: 'user',
  status: 'enabled',
  balance: 0,
  account_number: expect.stringMatching(/^\d{16}$/),
  group: null,
  created_at: instant,
}
const keyShape = {
  id,
  account_id: id,
  name: 'key',
  prefix: expect.stringMatching(/^sk-[0-9A-Za-z]{4}$/),
  status: 'active',
  cap: null,
  spent: 0,
  limits: { tts: null, clone: null },
  expires_at: null,
  created_at: instant,
  last_used_at: null,
}
const codeShape = {
  id,
  code: wholeCode,
  units: 5,
  status: 'unused',
  note: null,
  created_at: instant,
  expires_at: null,
  used_at: null,
  used_by: null,
}
const masked = expect.stringMatching(/^(\*{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)

describe('accounts', () => {
  it('are made, shown, found and changed, always in one shape', async () => {
    const ada = await admin('POST', '/accounts', { name: ' Ada ' })
    expect(ada).toEqual(accountShape)
    expect(await admin('GET', `/accounts/${ada.id}`)).toEqual(ada)
    expect(await admin('GET', `/accounts/${ada.account_number}`)).toEqual(ada)
    const group = await admin('POST', '/groups', { name: 'plan of Ada', voices: [] })
    const fields = { name: 'Ada L.', email: 'ada@example.org', balance: 7, group: 'plan of Ada', role: 'admin' }
    const full = await admin('POST', '/accounts', fields)
    expect(full).toEqual({ ...accountShape, ...fields, group: group.id })
    const path = `/accounts/${full.id}`
    expect(await admin('PATCH', path, {})).toEqual(full)
    expect(await admin('PATCH', path, { group: null, email: null, role: 'user', name: 'A' })).toEqual({
      ...full,
      name: 'A',
      email: null,
      role: 'user',
      group: null,
    })
    expect((await admin('PATCH', path, { group: group.id })).group).toBe(group.id)
    expectError(await tryAs('PATCH', path, { group: 'none such' }), 400, 'invalid_params', 'group')
    const search = async (q: string) =>
      (await admin('GET', `/accounts?q=${encodeURIComponent(q)}`)).items.map((found: Json) => found.id)
    await admin('PATCH', path, { name: 'Zoë 100%_x', email: 'zoe@example.org' })
    for (const q of ['zoë 100%', '%_X', 'ZOE@EX', full.account_number]) expect(await search(q)).toEqual([full.id])
    expect(await search('100_')).toEqual([])
    for (const blank of ['', ' ', '\u00a0']) expect((await search(blank)).length).toBeGreaterThan(3)
  })

  it('are adjusted both ways, with a reason, never below zero', async () => {
    const { id: account } = await admin('POST', '/accounts', { name: 'B', balance: 10 })
    const path = `/accounts/${account}/adjust`
    expect(await admin('POST', path, { units: 5, reason: 'gift' })).toEqual({ balance: 15 })
    expect(await admin('POST', path, { units: -15, reason: 'taken' })).toEqual({ balance: 0 })
    expectError(await tryAs('POST', path, { units: -1, reason: 'too much' }), 409, 'conflict', 'units')
    expectError(await tryAs('POST', path, { units: 0, reason: 'nothing' }), 400, 'invalid_params', 'units')
    expectError(await tryAs('POST', path, { units: 1 }), 400, 'invalid_params', 'reason')
    expect((await admin('GET', `/accounts/${account}`)).balance).toBe(0)
  })

  it('answer 403 account_disabled while disabled, and work again', async () => {
    const { id: account, key } = await server.makeAccount()
    expect((await admin('POST', `/accounts/${account}/disable`)).status).toBe('disabled')
    for (const path of ['/api/v1/balance', '/api/v1/voices', `${root}/accounts`])
      expectError(await server.ask(path, { key }), 403, 'account_disabled')
    expect((await admin('POST', `/accounts/${account}/enable`)).status).toBe('enabled')
    expect((await server.ask('/api/v1/balance', { key })).status).toBe(200)
  })
})

describe('the last administrator', () => {
  it('cannot be disabled or made a user; one of two can', async () => {
    const own = await startServer()
    const [first] = (await own.admin('GET', '/accounts?q=Administrator')).items
    const ask = (method: string, path: string, body?: unknown) =>
      own.ask(`${root}/accounts/${path}`, { method, body, key: adminKey })
    expectError(await ask('POST', `${first.id}/disable`), 409, 'conflict')
    expectError(await ask('PATCH', first.id, { role: 'user' }), 409, 'conflict')
    const second = await own.makeAccount({ role: 'admin' })
    await own.admin('POST', `/accounts/${second.id}/disable`)
    expectError(await ask('PATCH', first.id, { role: 'user' }), 409, 'conflict')
    await own.admin('POST', `/accounts/${second.id}/enable`)
    expect((await ask('PATCH', first.id, { role: 'user' })).status).toBe(200)
    expectError(await ask('GET', first.id), 403, 'permission_denied')
    expect((await own.ask(`${root}/accounts`, { key: second.key })).status).toBe(200)
    await own.stop()
  })
})

describe('the last working key of an administrator', () => {
  let own: Server
  let keyId: string
  let accountId: string
  beforeAll(async () => {
    own = await startServer()
    ;({ id: keyId, account_id: accountId } = (await own.ask('/api/v1/account', { key: adminKey })).body.key)
  })
  afterAll(() => own.stop())
  const ask = (method: string, path: string, body?: unknown) =>
    own.ask(`/api/v1${path}`, { method, body, key: adminKey })
  const acts: [method: string, path: string, body?: Json][] = [
    ['POST', '/admin/keys/KEY/revoke'],
    ['DELETE', '/admin/keys/KEY'],
    ['POST', '/keys/KEY/revoke'],
    ['DELETE', '/keys/KEY'],
    ['PATCH', '/admin/keys/KEY', { expires_at: '2999-01-01' }],
    ['POST', '/admin/accounts/ACCOUNT/disable'],
    ['PATCH', '/admin/accounts/ACCOUNT', { role: 'user' }],
  ]
  const tryAll = async () => {
    for (const [method, path, body] of acts) {
      const answer = await ask(method, path.replace('KEY', keyId).replace('ACCOUNT', accountId), body)
      expectError(answer, 409, 'conflict')
    }
    expect((await ask('GET', '/account')).body.key).toMatchObject({ status: 'active', expires_at: null })
  }

  it('is neither revoked, deleted nor ended over HTTP, nor its account disabled or demoted', async () => {
    const before = await own.admin('GET', '/audit-log?limit=1')
    await tryAll()
    expect(await own.admin('GET', '/audit-log?limit=1')).toEqual(before)
    expect((await ask('PATCH', `/admin/keys/${keyId}`, { name: 'kept', expires_at: null })).body.name).toBe('kept')
  })

  it('is not replaced by keys that do not work: revoked, deleted, expired, of a user, of a disabled administrator', async () => {
    const add = async (fields: Json = {}, account = accountId) =>
      (await own.admin('POST', `/accounts/${account}/keys`, { name: 'other', ...fields })).id as string
    await own.admin('POST', `/keys/${await add()}/revoke`)
    await own.admin('DELETE', `/keys/${await add()}`)
    const soon = new Date(Date.now() + 300).toISOString()
    await add({ expires_at: soon })
    const disabled = await own.makeAccount({ role: 'admin' })
    await own.admin('POST', `/accounts/${disabled.id}/disable`)
    await own.admin('POST', '/accounts', { name: 'without a key', role: 'admin' })
    await own.makeAccount()
    await untilPast(soon)
    await tryAll()
  })

  it('may be removed once there is another one, which is then the last', async () => {
    const other = await own.admin('POST', `/accounts/${accountId}/keys`, { name: 'other' })
    expect((await ask('PATCH', `/admin/keys/${keyId}`, { expires_at: '2999-01-01' })).status).toBe(200)
    expect((await ask('POST', `/keys/${keyId}/revoke`)).status).toBe(200)
    const last = (method: string, path: string) =>
      own.ask(`/api/v1/keys/${other.id}${path}`, { method, key: other.api_key })
    expectError(await last('POST', '/revoke'), 409, 'conflict')
    expectError(await last('DELETE', ''), 409, 'conflict')
  })
})

describe('keys', () => {
  it('have an expiry that can be changed and taken away', async () => {
    const { id: account } = await admin('POST', '/accounts', { name: 'Keys' })
    const { id, api_key: key } = await admin('POST', `/accounts/${account}/keys`, { name: 'key' })
    const end = new Date(Date.now() + 1000).toISOString()
    expect((await admin('PATCH', `/keys/${id}`, { expires_at: end })).expires_at).toBe(end)
    expect((await admin('PATCH', `/keys/${id}`, { name: 'renamed' })).expires_at).toBe(end)
    expectError(await tryAs('PATCH', `/keys/${id}`, { expires_at: '2020-01-01' }), 400, 'invalid_params', 'expires_at')
    await untilPast(end)
    expectError(await server.ask('/api/v1/balance', { key }), 401, 'invalid_api_key')
    expect((await admin('PATCH', `/keys/${id}`, { expires_at: null })).expires_at).toBeNull()
    expect((await server.ask('/api/v1/balance', { key })).status).toBe(200)
  })

  it('are shown in full once, never in a list; null clears their limits', async () => {
    const { id: account } = await admin('POST', '/accounts', { name: 'Keys' })
    const made = await admin('POST', `/accounts/${account}/keys`, { name: 'key' })
    expect(made).toEqual({ ...keyShape, account_id: account, api_key: secret })
    expect(made.api_key).toStartWith(made.prefix)
    const expires_at = new Date(Date.now() + 1e6).toISOString()
    const limited = { name: 'limited', cap: 10, expires_at, limits: { tts: 2, clone: 1 } }
    const other = await admin('POST', `/accounts/${account}/keys`, limited)
    expect(other).toEqual({ ...keyShape, ...limited, account_id: account, api_key: secret })
    const { api_key: _, ...shown } = other
    const listed = await admin('GET', `/accounts/${account}/keys`)
    expect(listed).toEqual({ items: [{ ...keyShape, account_id: account }, shown], next_cursor: null })
    const path = `/keys/${other.id}`
    expect((await admin('PATCH', path, { limits: { tts: null } })).limits).toEqual({ tts: null, clone: 1 })
    expect(await admin('PATCH', path, { limits: null, cap: null, name: 'free' })).toEqual({
      ...shown,
      limits: { tts: null, clone: null },
      cap: null,
      name: 'free',
    })
    expectError(await tryAs('PATCH', path, { limits: { tts: 0 } }), 400, 'invalid_params', 'limits')
    const past = { name: 'x', expires_at: '2020-01-01' }
    expectError(await tryAs('POST', `/accounts/${account}/keys`, past), 400, 'invalid_params', 'expires_at')
  })

  it('answer 403 after revocation, and 401 after deletion or expiry', async () => {
    const { id: account, key, keyId } = await server.makeAccount()
    const balance = (apiKey: string) => server.ask('/api/v1/balance', { key: apiKey })
    expect((await admin('POST', `/keys/${keyId}/revoke`)).status).toBe('revoked')
    expect((await admin('PATCH', `/keys/${keyId}`, { name: 'still revoked' })).status).toBe('revoked')
    expect((await admin('POST', `/keys/${keyId}/revoke`)).status).toBe('revoked')
    expectError(await balance(key), 403, 'api_key_revoked')
    expect(await admin('DELETE', `/keys/${keyId}`)).toEqual({ ok: true, deleted: keyId })
    expectError(await balance(key), 401, 'invalid_api_key')
    expect((await admin('GET', `/accounts/${account}/keys`)).items).toEqual([])
    for (const [method, path] of [
      ['DELETE', ''],
      ['PATCH', ''],
      ['POST', '/revoke'],
    ] as const)
      expectError(await tryAs(method, `/keys/${keyId}${path}`, {}), 404, 'not_found')
    const expiresAtMs = Date.now() + 5_000
    const expires_at = new Date(expiresAtMs).toISOString()
    const brief = await admin('POST', `/accounts/${account}/keys`, { name: 'brief', expires_at })
    expect((await balance(brief.api_key)).status).toBe(200)
    await untilPast(expiresAtMs)
    expectError(await balance(brief.api_key), 401, 'invalid_api_key')
  })
})

describe('one’s own keys', () => {
  it('can be created, listed, revoked and deleted by an administrator, unlike those of other accounts', async () => {
    const own = '/api/v1/keys'
    const made = (await tryAs('POST', own, { name: 'mine' })).body
    expect(made).toEqual({ ...keyShape, name: 'mine', api_key: secret })
    expect((await server.ask(`${root}/accounts`, { key: made.api_key })).status).toBe(200)
    const listed = (await tryAs('GET', own)).body
    expect(listed.items.map(({ name }: Json) => name)).toEqual(['admin', 'mine'])
    expect(JSON.stringify(listed)).not.toContain('api_key')
    const other = await server.makeAccount()
    for (const target of [other.keyId, 'no-such-key']) {
      expectError(await tryAs('POST', `${own}/${target}/revoke`), 404, 'not_found')
      expectError(await tryAs('DELETE', `${own}/${target}`), 404, 'not_found')
    }
    expect((await server.ask('/api/v1/balance', { key: other.key })).status).toBe(200)
    expect((await tryAs('POST', `${own}/${made.id}/revoke`)).body.status).toBe('revoked')
    expectError(await tryAs('GET', own, undefined, made.api_key), 403, 'api_key_revoked')
    expect((await tryAs('DELETE', `${own}/${made.id}`)).body).toEqual({ ok: true, deleted: made.id })
    expectError(await tryAs('GET', own, undefined, made.api_key), 401, 'invalid_api_key')
  })
})

describe('codes', () => {
  it('are shown in full once; used and void ones cannot be voided', async () => {
    const expires_at = '2099-01-01T00:00:00.000Z'
    const { items, next_cursor } = await admin('POST', '/codes', { units: 5, count: 3, note: 'three', expires_at })
    const shape = { ...codeShape, note: 'three', expires_at }
    expect([items, next_cursor]).toEqual([[shape, shape, shape], null])
    expect(new Set(items.map(({ code }: Json) => code)).size).toBe(3)
    const listed = (await admin('GET', '/codes')).items
    expect(listed).toEqual([0, 1, 2].map(() => ({ ...shape, code: masked })))
    const [used, unused] = items
    await server.ask('/api/v1/activation', { body: { code: used.code } })
    expectError(await tryAs('POST', `/codes/${used.id}/void`), 409, 'conflict')
    expect(await admin('POST', `/codes/${unused.id}/void`)).toMatchObject({ status: 'void', code: masked })
    expectError(await tryAs('POST', `/codes/${unused.id}/void`), 409, 'conflict')
    const after = (await admin('GET', '/codes')).items.find(({ id }: Json) => id === used.id)
    expect(after).toEqual({ ...shape, code: masked, status: 'used', used_at: instant, used_by: id })
    expect((await admin('POST', '/codes', { units: 5, count: 1000 })).items.length).toBe(1000)
    for (const [fields, param] of [
      [{ units: 0 }, 'units'],
      [{ units: 5, count: 1001 }, 'count'],
      [{ units: 5, count: 0 }, 'count'],
      [{ units: 5, expires_at: '2020-01-01' }, 'expires_at'],
    ] as const)
      expectError(await tryAs('POST', '/codes', fields), 400, 'invalid_params', param)
  })
})

describe('voices and groups', () => {
  it('are listed and changed in one shape', async () => {
    const ross = (await admin('GET', '/voices')).items.find(({ id }: Json) => id === 'en-ross')
    expect(ross).toEqual({
      id: 'en-ross',
      display_name: expect.any(String),
      language: 'en-US',
      gender: 'male',
      engine: 'flite',
      sample_rate: expect.any(Number),
      active: true,
      public: true,
      featured: false,
      position: 0,
      provider: null,
      deterministic: true,
      pack: null,
      license: null,
      real_time_factor: null,
      slow: false,
    })
    const changes = { active: false, public: false, featured: true, position: 3, display_name: 'R' }
    expect(await admin('PATCH', '/voices/en-ross', changes)).toEqual({ ...ross, ...changes })
    const back = { active: true, public: true, featured: false, position: 0, display_name: null }
    expect(await admin('PATCH', '/voices/en-ross', back)).toEqual(ross)
    const moved = await admin('POST', '/voices/en-ross/move', { before: null })
    expect(moved).toEqual({ ...ross, featured: true, position: 1 })
    expect(await admin('PATCH', '/voices/en-ross', back)).toEqual(ross)
    const group = await admin('POST', '/groups', { name: 'g', voices: ['en-ross'] })
    expect(group).toEqual({ id, name: 'g', voices: ['en-ross'] })
    expect((await admin('GET', '/groups')).items).toContainEqual(group)
    expect(await admin('PATCH', `/groups/${group.id}`, { voices: [] })).toEqual({ ...group, voices: [] })
  })

  it('names the accounts that keep a group from being deleted', async () => {
    const group = await admin('POST', '/groups', { name: 'kept' })
    const users = ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Flo']
    const accounts = []
    for (const name of users) accounts.push(await admin('POST', '/accounts', { name, group: 'kept' }))
    const refused = await tryAs('DELETE', `/groups/${group.id}`)
    expectError(refused, 409, 'conflict')
    expect(refused.body.error.message).toContain('(Ada, Bo, Cy, Di, Ed and more)')
    for (const { id } of accounts.slice(1)) await admin('PATCH', `/accounts/${id}`, { group: null })
    expect((await tryAs('DELETE', `/groups/${group.id}`)).body.error.message).toContain('(Ada)')
    await admin('PATCH', `/accounts/${accounts[0].id}`, { group: null })
    expect(await admin('DELETE', `/groups/${group.id}`)).toEqual({ ok: true, deleted: group.id })
  })
})

describe('pages', () => {
  it('of accounts, codes, usage and the log are complete and stable during insertions', async () => {
    for (let i = 0; i < 7; i++) {
      await admin('POST', '/accounts', { name: `page ${i}`, email: `${i}@pages.example` })
      await server.ask('/api/v1/tts', { body: { text: 'Hi.', voice_id: 'en-kevin' } })
    }
    await admin('POST', '/codes', { units: 1, count: 7 })
    for (const [path, makeOne] of [
      [`${root}/accounts?q=pages.example`, () => admin('POST', '/accounts', { name: 'x', email: 'x@pages.example' })],
      [`${root}/codes`, () => admin('POST', '/codes', { units: 1 })],
      [`${root}/usage`, () => server.ask('/api/v1/tts', { body: { text: 'Hi.', voice_id: 'en-kevin' } })],
      [`${root}/audit-log`, () => admin('POST', '/accounts', { name: 'y' })],
    ] as const) {
      const keyOf = (item: Json) => item.id ?? item.request_id
      const max = (await readPages(server, path, { key: adminKey, limit: 200 })).flat().map(keyOf)
      const pages = await readPages(server, path, { key: adminKey, limit: Math.min(199, Math.ceil(max.length / 3)) })
      expect(pages.length).toBeGreaterThan(2)
      expect(pages.flat().map(keyOf)).toEqual(max)
      const first = (await tryAs('GET', `${path}${path.includes('?') ? '&' : '?'}limit=2`)).body
      await makeOne()
      const cursor = `limit=2&cursor=${first.next_cursor}`
      const second = (await tryAs('GET', `${path}${path.includes('?') ? '&' : '?'}${cursor}`)).body
      expect([...first.items, ...second.items].map(keyOf)).toEqual(max.slice(0, 4))
    }
  })
})

describe('administrators', () => {
  it('see the usage of all accounts, or of one', async () => {
    const { id: account, key } = await server.makeAccount({ balance: 10 })
    await server.ask('/api/v1/tts', { key, body: { text: 'Hi.', voice_id: 'en-kevin' } })
    const all = (await admin('GET', '/usage')).items
    const { name } = await admin('GET', `/accounts/${account}`)
    expect(all[0]).toMatchObject({ account_id: account, account_name: name, units: 3, status: 'charged' })
    expect((await admin('GET', `/usage?account_id=${account}`)).items).toEqual([all[0]])
    expect(new Set(all.map(({ account_id }: Json) => account_id)).size).toBeGreaterThan(1)
  })
})

describe('when a key was last used', () => {
  it('is stored when the server stops', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sonant-used-'))
    const first = await startOn(directory)
    const { id: account, key } = await first.makeAccount()
    expect((await first.admin('GET', `/accounts/${account}/keys`)).items[0].last_used_at).toBeNull()
    const before = Date.now()
    await first.ask('/api/v1/balance', { key })
    await first.stop()
    const again = await startOn(directory)
    const [{ last_used_at }] = (await again.admin('GET', `/accounts/${account}/keys`)).items
    expect(Date.parse(last_used_at)).toBeWithin(before, Date.now())
    await again.stop()
    await rm(directory, { recursive: true })
  })
})
