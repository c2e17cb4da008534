/** Voices and plans (4.2 of the interface), over HTTP against the compiled executable. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { adminKey, expectError, startServer, uuid, type Json, type Server } from './client'
import { defaultVoiceId } from './sonant'

let server: Server
/** In catalogue order. */
let catalogue: string[]
beforeAll(async () => {
  server = await startServer()
  catalogue = ((await server.admin('GET', '/voices')).items as Json[]).map(({ id }) => id)
})
afterAll(() => server.stop())

type Who = { key?: string | null; group?: string }

async function list({ key = null, group }: Who = {}): Promise<{ voices: Json[]; total: number }> {
  const query = group === undefined ? '' : `?group=${encodeURIComponent(group)}`
  const { status, body, text } = await server.ask(`/api/v1/voices${query}`, { key })
  if (status !== 200) throw new Error(text)
  return body
}
const idsFor = async (who?: Who) => (await list(who)).voices.map(({ id }) => id as string)
const set = (id: string, fields: Record<string, unknown>) => server.admin('PATCH', `/voices/${id}`, fields)
const without = (...ids: string[]) => catalogue.filter((id) => !ids.includes(id))
const makeGroup = (name: string, voices: string[]) => server.admin('POST', '/groups', { name, voices })
const say = (key: string, voice_id?: string) => server.ask('/api/v1/tts', { key, body: { text: 'Hi.', voice_id } })

/** Runs with changed settings of a voice, and restores them. */
async function during(id: string, fields: Record<string, unknown>, work: () => Promise<void>): Promise<void> {
  await set(id, fields)
  try {
    await work()
  } finally {
    await set(id, { active: true, public: true, featured: false, position: 0, display_name: null })
  }
}

describe('the public list', () => {
  it('is the catalogue in its order, with total and every field, and nothing is owned', async () => {
    const { voices, total } = await list()
    expect(voices.map(({ id }) => id)).toEqual(catalogue)
    expect(total).toBe(catalogue.length)
    for (const voice of voices)
      expect(voice).toEqual({
        id: expect.stringMatching(/^[a-z0-9][a-z0-9._-]{0,63}$/),
        display_name: expect.any(String),
        demo_url: expect.stringContaining(`${server.baseUrl}/audio/demos/${voice.id}-`),
        featured: false,
        language: expect.stringMatching(/^[a-z]{2}(-[A-Z]{2})?$/),
        gender: expect.stringMatching(/^(fe)?male$/),
        engine: expect.any(String),
        sample_rate: expect.any(Number),
        description: voice.description === null ? null : expect.any(String),
        deterministic: true,
      })
    expect(await list({ key: adminKey })).toEqual({ voices, total })
  })

  it('has the featured voices first, by position, then in catalogue order', async () => {
    const [a, b, c, d] = ['zh-mei', 'en-kevin', 'de-karl', 'en-clara'] as const
    await set(a, { featured: true, position: 5 })
    await set(b, { featured: true, position: 2 })
    await set(c, { featured: true, position: 5 })
    await set(d, { featured: true })
    const { voices } = await list()
    expect(voices.map(({ id }) => id)).toEqual([b, a, c, d, ...without(a, b, c, d)])
    expect(voices.filter(({ featured }) => featured).map(({ id }) => id)).toEqual([b, a, c, d])
    await set(d, { position: 1 })
    expect((await idsFor()).slice(0, 4)).toEqual([d, b, a, c])
    await set(b, { featured: false })
    expect(await idsFor()).toEqual([d, a, c, ...without(a, c, d)])
    for (const id of [a, c, d]) await set(id, { featured: false })
    expect(await idsFor()).toEqual(catalogue)
  })

  it('lacks a deactivated voice until it is activated again', async () => {
    await during('en-clara', { active: false }, async () => {
      expect(await idsFor()).toEqual(without('en-clara'))
      expect((await list()).total).toBe(catalogue.length - 1)
      expect(await idsFor({ key: adminKey, group: 'all' })).toEqual(without('en-clara'))
      expectError(await say(adminKey, 'en-clara'), 403, 'voice_disabled', 'voice_id')
      const shown = (await server.admin('GET', '/voices')).items.find(({ id }: Json) => id === 'en-clara')
      expect(shown.active).toBe(false)
    })
    expect(await idsFor()).toEqual(catalogue)
  })

  it('lacks a voice that is not public, which only a plan or group=all has', async () => {
    await during('de-karl', { public: false }, async () => {
      expect(await idsFor()).toEqual(without('de-karl'))
      expect(await idsFor({ key: adminKey })).toEqual(without('de-karl'))
      expect(await idsFor({ key: adminKey, group: 'all' })).toEqual(catalogue)
      expectError(await say(adminKey, 'de-karl'), 403, 'voice_not_allowed', 'voice_id')
      const { id: group } = await makeGroup('with Karl', ['de-karl'])
      const { key } = await server.makeAccount({ group, balance: 10 })
      expect(await idsFor({ key })).toEqual(['de-karl'])
      expect((await say(key, 'de-karl')).status).toBe(200)
    })
  })

  it('shows an administrator’s name for a voice, and the catalogue’s again after null', async () => {
    const nameOf = async () => (await list()).voices.find(({ id }) => id === 'en-ross')!.display_name
    const before = await nameOf()
    await during('en-ross', { display_name: 'Der Roß 罗斯' }, async () => expect(await nameOf()).toBe('Der Roß 罗斯'))
    expect(await nameOf()).toBe(before)
  })
})

describe('the default voice', () => {
  it('is the first of the caller’s own list, after any change of order', async () => {
    const { id: group } = await makeGroup('two voices', ['en-kevin', 'zh-mei'])
    const { key } = await server.makeAccount({ group, balance: 100 })
    const defaultOf = async (who: string) => {
      const spoken = (await say(who)).body.voice_id
      const estimate = (await server.ask('/api/v1/tts/estimate', { key: who, body: { text: 'Hi.' } })).body.voice_id
      const first = (await idsFor({ key: who }))[0]
      expect([spoken, estimate]).toEqual([first, first])
      return first
    }
    expect(await defaultOf(key)).toBe('en-kevin')
    expect(await defaultOf(adminKey)).toBe(defaultVoiceId)
    await during('zh-mei', { featured: true }, async () => {
      expect(await defaultOf(key)).toBe('zh-mei')
      expect(await defaultOf(adminKey)).toBe('zh-mei')
    })
    await during('en-kevin', { active: false }, async () => expect(await defaultOf(key)).toBe('zh-mei'))
    expect(await defaultOf(key)).toBe('en-kevin')
  })

  it('does not exist with an empty plan: 404 voice_not_found', async () => {
    const { id: group } = await makeGroup('nothing', [])
    const { key } = await server.makeAccount({ group, balance: 100 })
    expect(await list({ key })).toEqual({ voices: [], total: 0 })
    expectError(await say(key), 404, 'voice_not_found', 'voice_id')
    expectError(await say(key, 'en-ross'), 403, 'voice_not_allowed', 'voice_id')
    expect((await server.ask('/api/v1/usage', { key })).body.records).toEqual([])
  })
})

describe('a plan', () => {
  it('has exactly the voices that its accounts see and may use; changes apply at once', async () => {
    const group = await makeGroup('dedicated', ['zh-mei', 'en-ross', 'zh-mei'])
    expect(group).toEqual({ id: expect.stringMatching(uuid), name: 'dedicated', voices: ['en-ross', 'zh-mei'] })
    const { key, id } = await server.makeAccount({ group: 'dedicated', balance: 100 })
    expect(await idsFor({ key })).toEqual(['en-ross', 'zh-mei'])
    expectError(await say(key, 'en-clara'), 403, 'voice_not_allowed', 'voice_id')
    expectError(await say(key, 'no-such-voice'), 404, 'voice_not_found', 'voice_id')
    await during('en-clara', { active: false }, async () =>
      expectError(await say(key, 'en-clara'), 403, 'voice_disabled', 'voice_id'),
    )
    await server.admin('PATCH', `/groups/${group.id}`, { voices: ['en-clara'] })
    expect(await idsFor({ key })).toEqual(['en-clara'])
    await server.admin('PATCH', `/groups/${group.id}`, { name: 'renamed' })
    expect(await idsFor({ key })).toEqual(['en-clara'])
    await server.admin('PATCH', `/accounts/${id}`, { group: null })
    expect(await idsFor({ key })).toEqual(catalogue)
  })

  it('cannot be deleted while accounts use it, be called all, or have another’s name', async () => {
    const group = await makeGroup('used', ['en-ross'])
    const { id } = await server.makeAccount({ group: group.id })
    const ask = (method: string, path: string, body?: unknown) =>
      server.ask(`/api/v1/admin/groups${path}`, { method, body, key: adminKey })
    expectError(await ask('DELETE', `/${group.id}`), 409, 'conflict')
    await server.admin('PATCH', `/accounts/${id}`, { group: null })
    expect((await ask('DELETE', `/${group.id}`)).body).toEqual({ ok: true, deleted: group.id })
    expectError(await ask('DELETE', `/${group.id}`), 404, 'not_found')
    for (const name of ['all', 'All', ' ALL '])
      expectError(await ask('POST', '', { name, voices: [] }), 400, 'invalid_params', 'name')
    const [one, other] = [await makeGroup('one', []), await makeGroup('other', [])]
    expectError(await ask('POST', '', { name: 'one', voices: [] }), 409, 'conflict', 'name')
    expectError(await ask('PATCH', `/${other.id}`, { name: 'one' }), 409, 'conflict', 'name')
    expectError(await ask('PATCH', `/${other.id}`, { name: 'all' }), 400, 'invalid_params', 'name')
    expect((await ask('PATCH', `/${one.id}`, { name: 'one' })).status).toBe(200)
    expectError(await ask('POST', '', { name: 'x', voices: ['nobody'] }), 400, 'invalid_params', 'voices')
  })
})

describe('group in the query', () => {
  it('is looked up by id, then by name', async () => {
    const first = await makeGroup('first', ['en-ross'])
    // Its name is the id of the other one, which takes precedence.
    await makeGroup(first.id, ['en-clara'])
    expect(await idsFor({ key: adminKey, group: first.id })).toEqual(['en-ross'])
    expect(await idsFor({ key: adminKey, group: 'first' })).toEqual(['en-ross'])
    await server.admin('PATCH', `/groups/${first.id}`, { name: 'ünïque & odd=name' })
    expect(await idsFor({ key: adminKey, group: 'ünïque & odd=name' })).toEqual(['en-ross'])
  })

  it('all is every active voice, whatever the administrator’s own plan', async () => {
    const { id: group } = await makeGroup('narrow', ['en-ross'])
    const { key } = await server.makeAccount({ group, role: 'admin' })
    expect(await idsFor({ key })).toEqual(['en-ross'])
    expect(await idsFor({ key, group: 'all' })).toEqual(catalogue)
  })

  it('is 403 for other callers, before it is looked up, and 404 when unknown', async () => {
    for (const group of ['all', '', 'unknown', 'first', '%00', '%ff', 'x'.repeat(300)]) {
      for (const key of [undefined, null])
        expectError(await server.ask(`/api/v1/voices?group=${group}`, { key }), 403, 'group_forbidden', 'group')
      if (group !== 'all' && group !== 'first')
        expectError(
          await server.ask(`/api/v1/voices?group=${group}`, { key: adminKey }),
          404,
          'group_not_found',
          'group',
        )
    }
    expectError(await server.ask('/api/v1/voices?group=all', { key: 'sk-wrong' }), 401, 'invalid_api_key')
    expectError(await server.ask('/api/v1/voices?GROUP=all&group', { key: null }), 403, 'group_forbidden', 'group')
  })
})

describe('caching and authentication of the list', () => {
  it('is public for 60 seconds without a key, and private with one; always Vary', async () => {
    for (const [key, control] of [
      [null, 'public, max-age=60'],
      [undefined, 'private, no-store'],
      [adminKey, 'private, no-store'],
    ] as const) {
      const { headers } = await server.ask('/api/v1/voices', { key })
      expect([headers.get('cache-control'), headers.get('vary')]).toEqual([control, 'Authorization'])
      expect(headers.get('content-type')).toStartWith('application/json')
    }
  })

  it('is refused for a disabled account, then a revoked key, then a deleted one', async () => {
    const ask = (authorization: string) => server.ask('/api/v1/voices', { key: null, headers: { authorization } })
    const { key, keyId, id } = await server.makeAccount()
    await server.admin('POST', `/accounts/${id}/disable`)
    expectError(await ask(`bearer  ${key}`), 403, 'account_disabled')
    await server.admin('POST', `/keys/${keyId}/revoke`)
    expectError(await ask(`Bearer ${key}`), 403, 'api_key_revoked')
    await server.admin('DELETE', `/keys/${keyId}`)
    expectError(await ask(`Bearer ${key}`), 401, 'invalid_api_key')
  })
})
