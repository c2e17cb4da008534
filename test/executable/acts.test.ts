/** The audit log: actor, operation, state before and after, and no secret. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { adminKey, instantPattern, readPages, startServer, type Json, type Server } from './client'

let server: Server
let admin: Server['admin']
let actor: string
/** Every secret that must never be in the log. */
const secrets: string[] = []
beforeAll(async () => {
  server = await startServer()
  admin = server.admin
  const [{ id: account }] = (await admin('GET', '/accounts?q=Administrator')).items
  const [{ id: key }] = (await admin('GET', `/accounts/${account}/keys`)).items
  actor = `account ${account}, key ${key}`
})
afterAll(() => server.stop())

const newest = async () => (await admin('GET', '/audit-log?limit=1')).items[0]

/** Performs one operation and compares its entry in the log. */
async function expectAct(act: string, subject: string | null, work: () => Promise<[before: Json, after: Json]>) {
  const last = await newest()
  const [before, after] = await work()
  const logged = await newest()
  expect(logged).toEqual({
    id: String(Number(last.id) + 1),
    created_at: expect.stringMatching(instantPattern),
    actor,
    actor_name: 'Administrator',
    act,
    subject: subject ?? after.id,
    subject_name: /^(account|key) /.test(act) ? expect.any(String) : null,
    before,
    after,
  })
}

describe('the audit log', () => {
  it('has one entry per operation, with the state before and after', async () => {
    let ada: Json
    await expectAct('account create', null, async () => {
      ada = await admin('POST', '/accounts', { name: 'Ada', balance: 5 })
      return [null, ada]
    })
    const path = `/accounts/${ada.id}`
    for (const [act, method, at, body] of [
      ['account update', 'PATCH', '', { name: 'Ada L.', email: 'ada@example.org' }],
      ['account disable', 'POST', '/disable', undefined],
      ['account enable', 'POST', '/enable', undefined],
    ] as const)
      await expectAct(act, ada.id, async () => {
        const before = ada
        ada = await admin(method, path + at, body)
        return [before, ada]
      })
    await expectAct('account adjust', ada.id, async () => {
      await admin('POST', `${path}/adjust`, { units: -2, reason: 'mistake' })
      return [{ balance: 5 }, { balance: 3, units: -2, reason: 'mistake' }]
    })

    let key: Json
    await expectAct('key create', null, async () => {
      const { api_key, ...shown } = await admin('POST', `${path}/keys`, { name: 'k' })
      secrets.push(api_key)
      key = shown
      return [null, key]
    })
    await expectAct('key update', key.id, async () => {
      const before = key
      key = await admin('PATCH', `/keys/${key.id}`, { cap: 9, limits: { tts: 3 } })
      return [before, key]
    })
    await expectAct('key revoke', key.id, async () => {
      const before = key
      key = await admin('POST', `/keys/${key.id}/revoke`)
      return [before, key]
    })
    await expectAct('key delete', key.id, async () => {
      await admin('DELETE', `/keys/${key.id}`)
      return [key, { ...key, status: 'deleted' }]
    })

    let codes: Json[] = []
    const last = await newest()
    codes = (await admin('POST', '/codes', { units: 5, count: 2, note: 'n' })).items
    secrets.push(...codes.flatMap(({ code }) => [code, code.replaceAll('-', '')]))
    const [{ id: subject }] = codes
    const after = { count: 2, units: 5, note: 'n', expires_at: null, ids: codes.map(({ id }) => id) }
    expect(await newest()).toMatchObject({ act: 'code create', actor, subject, before: null, after })
    expect(Number((await newest()).id)).toBe(Number(last.id) + 1)
    await expectAct('code void', subject, async () => {
      const voided = await admin('POST', `/codes/${subject}/void`)
      return [{ ...voided, status: 'unused' }, voided]
    })

    await expectAct('voices update', 'en-ross', async () => {
      // The log has the settings of a voice, not what its pack says about it.
      const settingsOf = ({ deterministic, license, pack, real_time_factor, slow, ...settings }: Json) => settings
      const ross = (await admin('GET', '/voices')).items.find(({ id }: Json) => id === 'en-ross')
      const changed = await admin('PATCH', '/voices/en-ross', { featured: true, display_name: 'R' })
      return [settingsOf(ross), settingsOf(changed)]
    })
    let group: Json
    await expectAct('group create', null, async () => {
      group = await admin('POST', '/groups', { name: 'g', voices: ['en-ross'] })
      return [null, group]
    })
    await expectAct('group update', group.id, async () => {
      const before = group
      group = await admin('PATCH', `/groups/${group.id}`, { voices: [] })
      return [before, group]
    })
    await expectAct('group delete', group.id, async () => {
      await admin('DELETE', `/groups/${group.id}`)
      return [group, null]
    })
  })

  it('has the operations on own keys too', async () => {
    const { body: made } = await server.ask('/api/v1/keys', { body: { name: 'mine' }, key: adminKey })
    secrets.push(made.api_key)
    expect(await newest()).toMatchObject({ act: 'key create', actor, subject: made.id, before: null })
    await server.ask(`/api/v1/keys/${made.id}/revoke`, { method: 'POST', key: adminKey })
    expect(await newest()).toMatchObject({ act: 'key revoke', subject: made.id, before: { status: 'active' } })
    await server.ask(`/api/v1/keys/${made.id}`, { method: 'DELETE', key: adminKey })
    expect(await newest()).toMatchObject({ act: 'key delete', subject: made.id, before: { status: 'revoked' } })
  })

  it('has no entry for refused operations and for reads', async () => {
    const { id: last } = await newest()
    const [{ id }] = (await admin('GET', '/accounts?q=Administrator')).items
    for (const [method, path, body] of [
      ['POST', '/accounts', { name: '' }],
      ['POST', `/accounts/${id}/disable`, undefined],
      ['POST', `/accounts/${id}/adjust`, { units: -1e9, reason: 'r' }],
      ['DELETE', '/keys/none', undefined],
      ['PATCH', '/groups/none', { name: 'n' }],
      ['GET', '/usage', undefined],
    ] as const)
      expect((await server.ask(`/api/v1/admin${path}`, { method, body, key: adminKey })).status).toBeOneOf([
        200, 400, 404, 409,
      ])
    expect((await newest()).id).toBe(last)
  })

  it('can be filtered by time', async () => {
    const { created_at, id } = await newest()
    await Bun.sleep(5)
    await server.makeAccount()
    const until = await admin('GET', `/audit-log?to=${created_at}`)
    expect(until.items.map((act: Json) => act.id)).not.toContain(id)
    const from = (await admin('GET', `/audit-log?from=${created_at}`)).items
    expect(from.map((act: Json) => act.id)).toContain(id)
    expect(from.every((act: Json) => act.created_at >= created_at)).toBe(true)
    expect(until.items.length + from.length).toBe((await admin('GET', '/audit-log?limit=200')).items.length)
  })

  it('can be filtered by operation, actor and subject, page by page', async () => {
    const one = await server.makeAccount()
    const two = await server.makeAccount()
    await admin('PATCH', `/accounts/${one.id}`, { name: 'Bob' })
    const idsOf = async (query: string) =>
      (await admin('GET', `/audit-log?${query}`)).items.map(({ act, subject }: Json) => `${act} ${subject}`)
    expect(await idsOf(`subject=${one.id}`)).toEqual([`account update ${one.id}`, `account create ${one.id}`])
    expect(await idsOf(`subject=${one.id}&act=account%20update`)).toEqual([`account update ${one.id}`])
    expect(await idsOf('act=account%20create&limit=2')).toEqual([
      `account create ${two.id}`,
      `account create ${one.id}`,
    ])
    expect(await idsOf('act=account%20create&actor=nobody')).toEqual([])
    const [, keyId] = actor.split(', key ')
    expect(await idsOf(`actor=${keyId}&subject=${one.id}`)).toHaveLength(2)
    const pages = await readPages(server, '/api/v1/admin/audit-log?act=account%20create', { key: adminKey, limit: 1 })
    expect(pages.flat().every(({ act }) => act === 'account create')).toBe(true)
    expect(pages.length).toBeGreaterThan(2)
    expect(await server.ask('/api/v1/admin/audit-log?act=', { key: adminKey })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_params', param: 'act' } },
    })
  })

  it('holds no secret, and neither does the server’s own log', async () => {
    const acts = await readPages(server, '/api/v1/admin/audit-log', { key: adminKey, limit: 50 })
    const whole = JSON.stringify(acts) + server.log()
    expect(acts.flat().length).toBeGreaterThan(20)
    expect(secrets.length).toBeGreaterThan(5)
    expect(secrets.filter((secret) => whole.includes(secret))).toEqual([])
    expect(whole).not.toMatch(/sk-[0-9A-Za-z]{5}/)
    // Quoted, because an id may contain four groups of digits.
    expect(whole).not.toMatch(/"[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}"/)
    expect(whole).not.toContain('api_key')
  })
})
