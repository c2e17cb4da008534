/**
 * Fields of the wrong type or form, in every body: 400 with the name of the field, over HTTP against the executable.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { adminKey, expectError, startServer, type Json, type Server } from './client'

let server: Server
/** Ids for paths. */
let ids: Record<string, string>
beforeAll(async () => {
  server = await startServer()
  const { id: ACCOUNT, keyId: KEY } = await server.makeAccount()
  const { id: GROUP } = await server.admin('POST', '/groups', { name: 'g', voices: [] })
  ids = { ACCOUNT, KEY, GROUP }
})
afterAll(() => server.stop())

const send = (method: string, path: string, body: unknown) =>
  server.ask(
    path.replace(/[A-Z]{3,}/, (name) => ids[name]!),
    { method, body, key: adminKey },
  )

const text = [null, 7, true, [], {}, ['a'], '', '  ', 'a\u0000b', 'a\nb', '\\ud800', 'x'.repeat(5000)]
const optionalText = text.filter((value) => value !== null)
const integer = [null, '5', 1.5, -1e300, 1e300, true, [], {}, '', 2 ** 53]
const optionalInteger = integer.filter((value) => value !== null)
const boolean = [null, 0, 1, 'true', '', [], {}]
const time = [7, true, [], {}, '', 'tomorrow', '2026-02-30', '1999-01-01', '+275760-09-13T00:00:00Z']

type Bad = [method: string, path: string, good: Record<string, Json>, field: string, values: readonly unknown[]]
const root = '/api/v1/admin'
const keyFields = (path: string): Bad[] => [
  ['POST', path, {}, 'name', text],
  ['POST', path, { name: 'n' }, 'cap', [...optionalInteger, -1]],
  ['POST', path, { name: 'n' }, 'limits', [7, 'x', [], true, { tts: 0 }, { tts: '5' }, { clone: -1 }, { clone: {} }]],
  ['POST', path, { name: 'n' }, 'expires_at', time],
]
const bad: Bad[] = [
  ['POST', '/api/v1/tts/estimate', {}, 'text', [null, 7, true, [], {}, '', ' ', '\\ud800', 'x'.repeat(2001)]],
  ['POST', '/api/v1/tts/estimate', { text: 'a' }, 'voice_id', [7, true, [], {}]],
  ['POST', '/api/v1/activation', {}, 'code', text],
  ['POST', `${root}/accounts`, {}, 'name', text],
  ['POST', `${root}/accounts`, { name: 'n' }, 'email', [...optionalText, 'none', 'a@', '@b', 'a b@c']],
  ['POST', `${root}/accounts`, { name: 'n' }, 'balance', [...integer, -1]],
  ['POST', `${root}/accounts`, { name: 'n' }, 'group', [...optionalText, 'none']],
  ['POST', `${root}/accounts`, { name: 'n' }, 'role', [null, 'root', 'Admin', '', 7, [], ['admin']]],
  ['PATCH', `${root}/accounts/ACCOUNT`, {}, 'name', text],
  ['PATCH', `${root}/accounts/ACCOUNT`, {}, 'email', optionalText],
  ['PATCH', `${root}/accounts/ACCOUNT`, {}, 'group', [...optionalText, 'none']],
  ['PATCH', `${root}/accounts/ACCOUNT`, {}, 'role', [null, 'root', 7, {}]],
  ['POST', `${root}/accounts/ACCOUNT/adjust`, { reason: 'r' }, 'units', [...integer, 0]],
  ['POST', `${root}/accounts/ACCOUNT/adjust`, { units: 1 }, 'reason', text],
  ...keyFields(`${root}/accounts/ACCOUNT/keys`),
  ...keyFields('/api/v1/keys'),
  ['PATCH', `${root}/keys/KEY`, {}, 'name', text],
  ['PATCH', `${root}/keys/KEY`, {}, 'cap', [...optionalInteger, -1]],
  ['PATCH', `${root}/keys/KEY`, {}, 'limits', [7, 'x', [], { tts: 0 }, { clone: '1' }]],
  ['PATCH', `${root}/keys/KEY`, {}, 'expires_at', time],
  ['POST', `${root}/codes`, {}, 'units', [...integer, 0]],
  ['POST', `${root}/codes`, { units: 1 }, 'count', [...integer, 0, 1001]],
  ['POST', `${root}/codes`, { units: 1 }, 'note', optionalText],
  ['POST', `${root}/codes`, { units: 1 }, 'expires_at', time],
  ...['active', 'featured', 'public'].map((field): Bad => ['PATCH', `${root}/voices/en-ross`, {}, field, boolean]),
  ['PATCH', `${root}/voices/en-ross`, {}, 'position', [...integer, -1]],
  ['PATCH', `${root}/voices/en-ross`, {}, 'display_name', optionalText],
  ['POST', `${root}/groups`, { voices: [] }, 'name', text],
  [
    'POST',
    `${root}/groups`,
    { name: 'n' },
    'voices',
    [null, 7, 'en-ross', {}, [7], [null], ['none'], Array(99).fill('en-ross')],
  ],
  ['PATCH', `${root}/groups/GROUP`, {}, 'name', text],
  ['PATCH', `${root}/groups/GROUP`, {}, 'voices', [null, 'en-ross', { 0: 'en-ross' }, [['en-ross']]]],
]

describe('a wrong field', () => {
  it.each(bad.map(([method, path, ...rest]) => [`${method} ${path}`, rest[1], method, path, rest] as const))(
    'of %s: %s',
    async (_call, field, method, path, [good, , values]) => {
      const before = JSON.stringify(await server.admin('GET', '/audit-log?limit=1'))
      for (const value of values) {
        // JSON can hold a lone surrogate only in escaped form.
        const body = JSON.stringify({ ...good, [field]: value }).replaceAll('\\\\ud800', '\\ud800')
        const answer = await send(method, path, body)
        expectError(answer, 400, 'invalid_params', field)
        expect(answer.body.error.message).toMatch(new RegExp(`^${field}[:.]`))
        expect(answer.text.length).toBeLessThan(600)
      }
      expect(JSON.stringify(await server.admin('GET', '/audit-log?limit=1'))).toBe(before)
    },
  )

  it.each<[field: string, values: readonly unknown[], code: string]>([
    ['speed', [null, '1', 0.49, 2.01, -1, true, [], {}], 'invalid_speed'],
    ['format', [null, '', 'MP3', 'ogg', 7, [], {}], 'invalid_format'],
  ])('has a code of its own for %s', async (field, values, code) => {
    for (const path of ['/api/v1/tts', '/api/v1/tts/estimate'])
      for (const value of values) expectError(await send('POST', path, { text: 'a', [field]: value }), 400, code, field)
  })
})

const bodies: [name: string, body: string][] = [
  ['nothing', ' '],
  ['half an object', '{"name":'],
  ['two objects', '{}{}'],
  ['a comment', '{/* */}'],
  ['single quotes', "{'name':'n'}"],
  ['an array', '[{"name":"n"}]'],
  ['null', 'null'],
  ['a number', '7'],
  ['a string', '"name"'],
  ['arrays in arrays, never closed', '['.repeat(100_000)],
  ['objects in objects, never closed', '{"a":'.repeat(100_000)],
  ['arrays in arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
]

describe('a body that is no object', () => {
  it.each(bodies)('is refused everywhere: %s', async (_name, body) => {
    for (const path of new Set(bad.map(([method, at]) => `${method} ${at}`))) {
      const [method, at] = path.split(' ') as [string, string]
      expectError(await send(method, at, body), 400, 'invalid_params')
    }
  })
})

describe('an object out of the ordinary', () => {
  const create = async (body: string) => send('POST', `${root}/accounts`, body)

  it('uses the last value of a repeated field', async () => {
    expect((await create('{"name":"first","name":"last"}')).body.name).toBe('last')
    expectError(await create('{"name":"first","name":7}'), 400, 'invalid_params', 'name')
  })

  it('has no fields from its prototype', async () => {
    expectError(await create('{"__proto__":{"name":"n"}}'), 400, 'invalid_params', 'name')
    expectError(await create('{"constructor":{"name":"n"}}'), 400, 'invalid_params', 'name')
    const made = await create('{"name":"n","__proto__":{"role":"admin"},"id":"x","balance_":9,"status":"disabled"}')
    expect(made.body).toMatchObject({ name: 'n', role: 'user', status: 'enabled', balance: 0 })
  })

  it('may nest 32 levels deep in ignored fields and no deeper; brackets in strings do not count', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect((await create(`{"name":"${'[{\\"'.repeat(20)}","ignored":${nested(31)}}`)).status).toBe(200)
    for (const levels of [32, 400_000])
      expectError(await create(`{"name":"n","ignored":${nested(levels)}}`), 400, 'invalid_params')
  })

  it('is refused in invalid UTF-8, and may start with a byte order mark', async () => {
    const bytes = (...parts: number[]) => Buffer.from([...Buffer.from('{"name":"'), ...parts, ...Buffer.from('"}')])
    for (const wrong of [bytes(0xff, 0xfe), bytes(0xc0, 0x80), bytes(0xed, 0xa0, 0x80)]) {
      const response = await fetch(`${server.baseUrl}${root}/accounts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}` },
        body: wrong,
      })
      expect(response.status).toBe(400)
    }
    expect((await create('\ufeff{"name":"n"}')).status).toBe(200)
  })
})
