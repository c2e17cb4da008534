/** The caller's own account over HTTP, against the compiled executable: balance, activation, history. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import {
  adminKey,
  expectError,
  instantPattern,
  readPages,
  startServer,
  userKey,
  type Json,
  type Server,
} from './client'
import { untilPast } from '../until'

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const mask = expect.stringMatching(/^\*{12}\d{4}$/)
const instant = expect.stringMatching(instantPattern)
const say = (key: string, fields: Record<string, unknown> = {}) =>
  server.ask('/api/v1/tts', { key, body: { text: 'Hi.', voice_id: 'en-kevin', ...fields } })

describe('balance and account', () => {
  it('have exactly their fields, and mask the account number', async () => {
    const { body } = await server.ask('/api/v1/balance')
    const app = { slug: 'sonant', name: 'Sonant' }
    expect(body).toEqual({ balance: 100_000, unit: 'characters', account_number: mask, app })
    const { id, key, keyId } = await server.makeAccount({ name: 'Ada', email: 'ada@example.org', balance: 10 })
    expect((await server.ask('/api/v1/account', { key })).body).toEqual({
      name: 'Ada',
      email: 'ada@example.org',
      role: 'user',
      status: 'enabled',
      group: null,
      group_name: null,
      balance: 10,
      unit: 'characters',
      account_number: mask,
      created_at: instant,
      key: {
        id: keyId,
        account_id: id,
        name: 'key',
        prefix: key.slice(0, 7),
        status: 'active',
        cap: null,
        spent: 0,
        limits: { tts: null, clone: null },
        expires_at: null,
        created_at: instant,
        last_used_at: null,
      },
    })
    const { account_number } = await server.admin('GET', `/accounts/${id}`)
    expect((await server.ask('/api/v1/balance', { key })).body.account_number).toBe(
      `************${account_number.slice(-4)}`,
    )
  })

  it('name the installation as it was configured', async () => {
    const own = await startServer(['--app-slug', 'acme', '--app-name', 'Acme Voices'])
    expect((await own.ask('/api/v1/balance')).body.app).toEqual({ slug: 'acme', name: 'Acme Voices' })
    await own.stop()
  })
})

describe('the ledger', () => {
  it('lists every movement of the account, the newest first, and only its own', async () => {
    const { id, key } = await server.makeAccount({ balance: 10 })
    const [{ code }] = (await server.admin('POST', '/codes', { units: 50 })).items
    await server.ask('/api/v1/activation', { key, body: { code } })
    const { body: said } = await say(key)
    await say(key, { text: 'x'.repeat(70) })
    await server.admin('POST', `/accounts/${id}/adjust`, { units: -7, reason: 'correction' })
    const items: Json[] = (await readPages(server, '/api/v1/ledger', { key, limit: 3 })).flat()
    const shown = items.map(({ kind, units, balance_after, reason, request_id }) => [
      kind,
      units,
      balance_after,
      reason,
      request_id,
    ])
    expect(shown).toEqual([
      ['adjustment', -7, 50, 'correction', null],
      ['speech', -3, 57, 'speech', said.request_id],
      ['code', 50, 60, 'code', null],
      ['adjustment', 10, 10, 'opening balance', null],
    ])
    for (const { created_at } of items) expect(created_at).toMatch(instantPattern)
    const { key: strange } = await server.makeAccount()
    const { body, headers } = await server.ask(`/api/v1/ledger?account_id=${id}`, { key: strange })
    expect([body, headers.get('cache-control')]).toEqual([{ items: [], next_cursor: null }, 'private, no-store'])
  })
})

describe('activation', () => {
  const makeCode = async (fields: Record<string, unknown> = {}): Promise<{ id: string; code: string }> =>
    (await server.admin('POST', '/codes', { units: 50, ...fields })).items[0]
  const activate = (code: unknown, key = userKey) => server.ask('/api/v1/activation', { key, body: { code } })

  it('credits a code once: of 50 at the same time from two accounts one wins', async () => {
    const own = await startServer()
    const activate = (code: unknown, key: string) => own.ask('/api/v1/activation', { key, body: { code } })
    const [a, b] = [await own.makeAccount(), await own.makeAccount()]
    const keys = [a, b].flatMap(({ id }) =>
      Array.from({ length: 25 }, () => own.admin('POST', `/accounts/${id}/keys`, { name: 'k' })),
    )
    const { id, code } = (await own.admin('POST', '/codes', { units: 50 })).items[0]
    const all = await Promise.all(keys)
    const answers = await Promise.all(all.map(({ api_key }) => activate(code, api_key)))
    const winners = answers.filter(({ status }) => status === 200)
    expect(winners.map(({ body }) => body)).toEqual([{ ok: true, units: 50, balance: 50 }])
    const lost = answers.map(({ status }) => status).filter((status) => status !== 200)
    // After ten wrong codes from one address, codes from there are refused for a while.
    expect([lost.filter((status) => status === 400).length, lost.filter((status) => status === 429).length]).toEqual([
      10, 39,
    ])
    const balances = await Promise.all([a, b].map(({ key }) => own.ask('/api/v1/balance', { key })))
    expect(balances.map(({ body }) => body.balance).sort()).toEqual([0, 50])
    expect((await own.admin('GET', '/codes')).items.find((one: Json) => one.id === id).status).toBe('used')
    await own.stop()
  })

  it('accepts a code in the forms that people type', async () => {
    for (const spell of [
      (code: string) => code.toLowerCase(),
      (code: string) => code.replaceAll('-', ''),
      (code: string) => ` ${code.replaceAll('-', ' ')} `,
      (code: string) => code.replaceAll('0', 'O').replaceAll('1', 'l'),
      (code: string) => code.replaceAll('1', 'i').replaceAll('0', 'o'),
    ]) {
      const { key } = await server.makeAccount()
      const { code } = await makeCode()
      expect((await activate(spell(code), key)).body).toEqual({ ok: true, units: 50, balance: 50 })
    }
  })

  it('answers alike for an unknown, used, void, expired or malformed code, and counts wrong ones', async () => {
    const own = await startServer()
    const make = async (fields = {}) => (await own.admin('POST', '/codes', { units: 5, ...fields })).items[0]
    const ask = (code: unknown, key = userKey) => own.ask('/api/v1/activation', { key, body: { code } })
    const end = new Date(Date.now() + 300).toISOString()
    const [used, gone, brief] = [await make(), await make(), await make({ expires_at: end })]
    expect((await ask(used.code)).status).toBe(200)
    await own.admin('POST', `/codes/${gone.id}/void`)
    await untilPast(end)
    const wrong = [
      '0000-0000-0000-0000',
      used.code,
      gone.code,
      brief.code,
      'not a code',
      used.code,
      gone.code,
      'ÜÜ',
      '1',
      'U',
    ]
    const answers = []
    for (const code of wrong) answers.push(await ask(code))
    for (const answer of answers) expectError(answer, 400, 'invalid_params', 'code')
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1)
    const right = await make()
    for (const code of [wrong[0], right.code]) {
      const answer = await ask(code)
      expectError(answer, 429, 'rate_limited')
      expect(Number(answer.headers.get('retry-after'))).toBeWithin(50, 61)
    }
    // Otherwise a client with many keys could guess without limit.
    const neighbour = await own.makeAccount()
    expectError(await ask(right.code, neighbour.key), 429, 'rate_limited')
    await own.stop()
  })

  it('does not count a value that cannot be a code', async () => {
    const own = await startServer()
    for (let i = 0; i < 12; i++)
      for (const code of [undefined, null, 7, '', ['x'], {}, 'x'.repeat(65), 'a\u0000b'])
        expectError(await own.ask('/api/v1/activation', { body: { code } }), 400, 'invalid_params', 'code')
    await own.stop()
  })
})

describe('the history', () => {
  let key: string
  let keyId: string
  let accountId: string
  let otherKeyId: string
  let said: Json[]
  beforeAll(async () => {
    const account = await server.makeAccount({ balance: 17 })
    ;({ key, keyId, id: accountId } = account)
    const second = await server.admin('POST', `/accounts/${account.id}/keys`, { name: 'second' })
    otherKeyId = second.id
    said = []
    for (let i = 0; i < 4; i++) {
      said.push((await say(i === 3 ? second.api_key : key, i === 1 ? { format: 'wav', speed: 1.5 } : {})).body)
      await Bun.sleep(3)
    }
    expectError(await say(key, { text: 'Too dear.' }), 402, 'insufficient_balance')
    expectError(await say(key, { speed: 9 }), 400, 'invalid_speed', 'speed')
  })
  const ask = (query = '', as = key) => server.ask(`/api/v1/usage${query}`, { key: as })
  const recordsOf = async (query?: string): Promise<Json[]> => (await ask(query)).body.records

  it('has a record for each request from 402 on, newest first, with exactly its fields', async () => {
    const records = await recordsOf()
    expect(records.map(({ status }) => status)).toEqual(['failed', ...said.map(() => 'charged')])
    expect(records.slice(1).map(({ request_id }) => request_id)).toEqual(
      said.map(({ request_id }) => request_id).reverse(),
    )
    expect(records[3]).toEqual({
      request_id: said[1].request_id,
      kind: 'tts',
      created_at: instant,
      key_id: keyId,
      voice_id: 'en-kevin',
      characters: 3,
      units: 3,
      speed: 1.5,
      format: 'wav',
      url: said[1].url,
      audio_ms: expect.any(Number),
      duration_ms: said[1].duration_ms,
      surface: 'api',
      status: 'charged',
      error_code: null,
    })
    expect(records[0]).toMatchObject({
      characters: 9,
      units: 0,
      url: null,
      audio_ms: null,
      error_code: 'insufficient_balance',
    })
  })

  it('shows one record, to its own account only', async () => {
    const [record] = await recordsOf('?limit=1')
    expect((await ask(`/${record.request_id}`)).body).toEqual(record)
    expect((await ask(`/${record.request_id.toUpperCase()}`)).body).toEqual(record)
    for (const stranger of [userKey, adminKey]) {
      const answer = await ask(`/${record.request_id}`, stranger)
      expectError(answer, 404, 'not_found')
      expect(answer.body.error.message).toBe((await ask(`/${'0'.repeat(32)}`, stranger)).body.error.message)
    }
  })

  it('is filtered by key and time, and paged whole', async () => {
    const all = await recordsOf()
    expect(await recordsOf(`?key_id=${otherKeyId}`)).toEqual([all[1]])
    expect(await recordsOf(`?key_id=none`)).toEqual([])
    const middle = all[2].created_at
    expect(await recordsOf(`?from=${middle}`)).toEqual(all.slice(0, 3))
    expect(await recordsOf(`?to=${middle}`)).toEqual(all.slice(3))
    expect(await recordsOf(`?from=${middle}&to=${middle}`)).toEqual([])
    expect(await recordsOf(`?from=${encodeURIComponent(middle.replace('Z', '+00:00'))}`)).toEqual(all.slice(0, 3))
    expect(await recordsOf('?from=1999-01-01&to=2000-01-01')).toEqual([])
    const pages = await readPages(server, '/api/v1/usage', { key, limit: 2, name: 'records' })
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(all)
  })

  it('is filtered by voice and status, in pages, sums and CSV alike', async () => {
    const all = await recordsOf()
    const sumOf = (records: Json[]) => {
      const sum = (name: string) => records.reduce((total, record) => total + (record[name] ?? 0), 0)
      return {
        requests: records.length,
        characters: sum('characters'),
        units: sum('units'),
        audio_ms: sum('audio_ms'),
        failed: records.filter(({ status }) => status === 'failed').length,
      }
    }
    const filters: [string, (record: Json) => boolean][] = [
      ['', () => true],
      ['?status=failed', ({ status }) => status === 'failed'],
      ['?status=charged&voice_id=en-kevin', ({ status }) => status === 'charged'],
      ['?voice_id=en-ross', () => false],
      ['?status=partial', () => false],
      [`?key_id=${otherKeyId}&voice_id=en-kevin`, ({ key_id }) => key_id === otherKeyId],
    ]
    for (const [query, matches] of filters) {
      const wanted = all.filter(matches)
      expect(await recordsOf(query)).toEqual(wanted)
      expect((await ask(`/totals${query}`)).body).toEqual(sumOf(wanted))
      expect((await ask(`.csv${query}`)).text.trimEnd().split('\r\n')).toHaveLength(1 + wanted.length)
      const more = query === '' ? `?account_id=${accountId}` : `${query}&account_id=${accountId}`
      const { items } = await server.admin('GET', `/usage${more}`)
      expect(items).toMatchObject(wanted.map((record) => ({ ...record, account_id: accountId })))
      expect(await server.admin('GET', `/usage/totals${more}`)).toEqual(sumOf(wanted))
      const { text } = await server.ask(`/api/v1/admin/usage.csv${more}`, { key: adminKey })
      expect(text.trimEnd().split('\r\n')).toHaveLength(1 + wanted.length)
    }
    const pages = await readPages(server, '/api/v1/usage?status=charged', { key, limit: 3, name: 'records' })
    expect(pages.map((page) => page.length)).toEqual([3, 1])
    for (const [name, value] of [
      ['status', 'running'],
      ['status', ''],
      ['voice_id', ''],
      ['voice_id', 'x'.repeat(65)],
    ])
      for (const path of ['', '/totals', '.csv'])
        expectError(await ask(`${path}?${name}=${value}`), 400, 'invalid_params', name)
    const days = (await server.admin('GET', `/usage/daily?days=2&account_id=${accountId}`)).days
    expect(days).toEqual((await ask('/daily?days=2')).body.days)
    const [yesterday, today] = (await server.admin('GET', '/usage/daily?days=2')).days
    expect([yesterday.requests, today.requests > days[1].requests]).toEqual([0, true])
  })

  it('is isolated: no query of one account returns rows of another', async () => {
    const stranger = await server.makeAccount({ balance: 10 })
    for (const query of ['', `?key_id=${keyId}`, `?account_id=${accountId}`]) {
      expect((await ask(query, stranger.key)).body.records).toEqual([])
      expect((await ask(`.csv${query}`, stranger.key)).text.trim().split('\r\n').length).toBe(1)
      expect((await ask(`/totals${query}`, stranger.key)).body.requests).toBe(0)
    }
    const cursor = (await ask('?limit=1')).body.next_cursor
    expect((await ask(`?cursor=${cursor}`, stranger.key)).body.records).toEqual([])
    expect((await ask('/daily?days=1', stranger.key)).body.days[0].requests).toBe(0)
  })

  it('is summed per day, including days without requests', async () => {
    const { days } = (await ask('/daily?days=3')).body
    const today = new Date().toISOString().slice(0, 10)
    const audio_ms = (await recordsOf()).reduce((sum, record) => sum + (record.audio_ms ?? 0), 0)
    const nothing = { requests: 0, units: 0, audio_ms: 0 }
    expect(days).toEqual([
      { date: expect.any(String), ...nothing },
      { date: expect.any(String), ...nothing },
      { date: today, requests: 5, units: 12, audio_ms },
    ])
    expect((await ask('/daily')).body.days.length).toBe(30)
    expect((await ask('/daily?days=366')).body.days.length).toBe(366)
  })

  it('is the same as CSV', async () => {
    const { text, headers } = await ask('.csv')
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toContain('attachment')
    const [names = '', ...lines] = text.trimEnd().split('\r\n')
    const records = await recordsOf()
    expect(names.split(',')).toEqual(Object.keys(records[0]))
    expect(lines).toEqual(
      records.map((record) =>
        Object.values(record)
          .map((value) => value ?? '')
          .join(','),
      ),
    )
    for (const path of ['.csv', '.csv/']) {
      const head = await server.ask(`/api/v1/usage${path}`, { method: 'HEAD', key })
      expect([head.status, head.text, head.headers.get('content-type')]).toEqual([200, '', 'text/csv; charset=utf-8'])
      // Counting the bytes would read all rows.
      expect(head.headers.get('content-length')).toBeNull()
    }
    expect((await ask(`.csv?key_id=${otherKeyId}`)).text.trimEnd().split('\r\n').length).toBe(2)
  })
})
