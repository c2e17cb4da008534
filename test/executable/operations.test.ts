/**
 * What holds for every operation, generated from the table of operations, over HTTP against the compiled executable:
 * access, rate limits, error envelopes, methods, bodies, ids and pages.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { operationList, type ListedOperation } from '../../src/operations/table'
import { adminKey, expectError, startServer, userKey, type Answer, type Call, type Server } from './client'
import { untilPast } from '../until'
import { cookieName, join } from './people-client'

/** Small limits for the limited server; each differs, so that no limit can stand for another. */
const limitFlags = ['--limit-tts', '3', '--limit-clone', '2', '--limit-voices', '4', '--limit-account', '5']
const callsMax: Readonly<Record<string, number>> = { tts: 3, clone: 2, voices: 4 }
const accountCallsMax = 5

let server: Server
let limited: Server
const keys = { revoked: '', disabled: '', expired: '' }
/** The cookies of persons by operation, on each server: some operations end the session. */
const cookies = new Map<Server, Map<string, string>>()
beforeAll(async () => {
  // Wrong keys are counted by address, so each operation calls from one of its own.
  const flags = ['--trusted-proxy', '127.0.0.0/8', '--hub', 'http://127.0.0.1:1']
  ;[server, limited] = await Promise.all([startServer(flags), startServer([...flags, ...limitFlags])])
  const [revoked, disabled, expired] = await Promise.all([1, 2, 3].map(() => server.makeAccount({ role: 'admin' })))
  await server.admin('POST', `/keys/${revoked!.keyId}/revoke`)
  await server.admin('POST', `/accounts/${disabled!.id}/disable`)
  const expires_at = new Date(Date.now() + 200).toISOString()
  await server.admin('PATCH', `/keys/${expired!.keyId}`, { expires_at })
  await untilPast(expires_at)
  for (const each of [server, limited]) {
    const ofOne = ofSessions.map(async (operation) => {
      const { id } = await each.makeAccount({ role: 'admin' })
      return [operation.id, (await join(each, id)).browser.cookie()!] as const
    })
    cookies.set(each, new Map(await Promise.all(ofOne)))
  }
  Object.assign(keys, { revoked: revoked!.key, disabled: disabled!.key, expired: expired!.key })
})
afterAll(async () => {
  await Promise.all([server.stop(), limited.stop()])
})

type Options = Call & { on?: Server; id?: string; query?: string; address?: string }

const broken = '{"broken'
const reads = ({ method }: ListedOperation) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
/** Reads a JSON body within the common limits, a form besides in one case. */
const hasBody = (operation: ListedOperation) =>
  operation.body !== undefined || (['administrator', 'own keys'].includes(operation.access) && !reads(operation))

/** Calls the operation from an address of its own, by default with a broken body where it may have one. */
function send(operation: ListedOperation, options: Options = {}): Promise<Answer> {
  const { on = server, id = 'none.mp3', query = '', address, key = null, headers, method = operation.method } = options
  const body = 'body' in options ? options.body : reads(operation) ? undefined : broken
  const from = address ?? `203.0.113.${operationList.indexOf(operation)}`
  const path = operation.path.replace(/\{\w+\}/, id) + query
  return on.ask(path, { method, body, ...asCaller(operation, on, key, { 'x-forwarded-for': from, ...headers }) })
}

/** For an operation of sessions the administrator's key stands for the session of an administrator. */
function asCaller(operation: ListedOperation, on: Server, key: string | null, headers: Record<string, string>) {
  const type = { 'content-type': 'application/json' }
  if (operation.access === 'sign-in') return { key: null, headers: { ...type, ...headers } }
  if (operation.access !== 'session' || key !== adminKey) return { key, headers }
  const cookie = `${cookieName}=${cookies.get(on)!.get(operation.id)}`
  return { key: null, headers: { ...type, origin: on.baseUrl, cookie, ...headers } }
}

const named = (list: readonly ListedOperation[]) => list.map((operation) => [operation.id, operation] as const)
const isOpen = ({ access }: ListedOperation) => access === 'public' || access === 'sign-in'
const withKey = operationList.filter((operation) => !isOpen(operation))
const ofSessions = operationList.filter(({ access }) => access === 'session')
const ofKey = withKey.filter(({ access }) => access !== 'optional key')
/** No ordinary key may call them. */
const ofAdministrators = operationList.filter(({ access }) => access === 'administrator' || access === 'own keys')
const withLimit = operationList.filter(({ limit }) => limit !== undefined)

/** As `expectError`; an operation under `/v1` answers with the codes of 7.2 of the interface. */
function expectErrorOf(
  { path }: ListedOperation,
  answer: Answer,
  status: number,
  code: string,
  param: string | null = null,
): void {
  if (!path.startsWith('/v1/')) return expectError(answer, status, code, param)
  if (code === 'api_key_revoked') return expectError(answer, 401, 'invalid_api_key')
  const kept = ['missing_api_key', 'invalid_api_key']
  expectError(answer, status, kept.includes(code) ? code : 'invalid_request', param)
}

/** The errors of HEAD have no body. */
const hasEnvelope = ({ method }: ListedOperation) => method !== 'HEAD'

describe('access', () => {
  it.each(named(ofKey))('%s needs a key, before it reads the body', async (_id, operation) => {
    expectErrorOf(operation, await send(operation), 401, 'missing_api_key')
  })

  it.each(named(withKey))(
    '%s refuses a malformed header and a wrong, expired or revoked key',
    async (_id, operation) => {
      for (const authorization of [
        'Basic dXNlcjpwYXNz',
        'Bearer',
        'Bearer ',
        'Bearer a b',
        `Bearer ${'x'.repeat(257)}`,
        userKey,
      ])
        expectErrorOf(operation, await send(operation, { headers: { authorization } }), 401, 'missing_api_key')
      for (const key of ['sk-wrong', keys.expired])
        expectErrorOf(operation, await send(operation, { key }), 401, 'invalid_api_key')
      expectErrorOf(operation, await send(operation, { key: keys.revoked }), 403, 'api_key_revoked')
      const authorization = `bearer  ${keys.disabled}`
      expectErrorOf(operation, await send(operation, { headers: { authorization } }), 403, 'account_disabled')
    },
  )

  it.each(named(ofSessions))('%s refuses every API key', async (_id, operation) => {
    for (const key of [userKey, adminKey])
      expectError(await send(operation, { headers: { authorization: `Bearer ${key}` } }), 403, 'permission_denied')
  })

  it.each(named(ofSessions.filter((operation) => !reads(operation))))(
    '%s refuses a page of another origin',
    async (_id, operation) => {
      const headers = { origin: 'https://evil.example' }
      expectError(await send(operation, { key: adminKey, headers }), 403, 'permission_denied', 'Origin')
    },
  )

  it.each(named(ofAdministrators))('%s refuses the key of a user', async (_id, operation) => {
    expectError(await send(operation, { key: userKey }), 403, 'permission_denied')
  })

  it.each(named(operationList.filter((operation) => !ofKey.includes(operation))))(
    '%s needs no key',
    async (_id, operation) => {
      const { status } = await send(operation, { body: undefined })
      expect(status).not.toBeOneOf([401, 403, 429])
    },
  )
})

describe('rate limits', () => {
  const limitOf = (limit: string) => callsMax[limit] ?? accountCallsMax
  const headersOf = ({ headers }: Answer) =>
    ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))

  async function exhaust(operation: ListedOperation, options: Options): Promise<void> {
    const max = limitOf(operation.limit!)
    for (let remaining = max - 1; remaining >= 0; remaining--) {
      const answer = await send(operation, { on: limited, ...options })
      expect(answer.status).not.toBe(429)
      expect(headersOf(answer)).toEqual([String(max), String(remaining), expect.stringMatching(/^[1-9]\d?$/)])
      expect(answer.headers.get('retry-after')).toBeNull()
    }
    await expectRefused(operation, options)
  }

  async function expectRefused(operation: ListedOperation, options: Options): Promise<void> {
    const refused = await send(operation, { on: limited, ...options })
    expectError(refused, 429, 'rate_limited')
    const retryAfter = refused.headers.get('retry-after')
    expect(retryAfter).toMatch(/^[1-9]\d?$/)
    expect(headersOf(refused)).toEqual([String(limitOf(operation.limit!)), '0', retryAfter])
  }

  it.each(named(withLimit))(
    '%s says what is left, counts refused bodies, and ends with 429',
    async (_id, operation) => {
      const key = operation.access === 'session' ? adminKey : (await limited.makeAccount({ role: 'admin' })).key
      await exhaust(operation, { key })
    },
  )

  it('are counted separately, and together for the operations of one limit', async () => {
    const { key } = await limited.makeAccount({ role: 'admin' })
    const ofKeys = withLimit.filter(({ access }) => access !== 'session')
    for (const limit of new Set(ofKeys.map((operation) => operation.limit))) {
      const [first, ...others] = ofKeys.filter((operation) => operation.limit === limit)
      await exhaust(first!, { key })
      for (const other of others) await expectRefused(other, { key })
    }
  })

  it.each(named(operationList.filter(({ access }) => access === 'optional key')))(
    '%s counts anonymous callers by address',
    async (_id, operation) => {
      const address = `198.51.100.${operationList.indexOf(operation)}`
      const other = address.replace('198', '203')
      const { key } = await limited.makeAccount()
      await exhaust(operation, { address })
      // The unknown id of a model gets 404.
      const allowed = operation.parameter ? 404 : 200
      expect((await send(operation, { on: limited, address: other })).status).toBe(allowed)
      expect((await send(operation, { on: limited, address, key })).status).toBe(allowed)
    },
  )

  it.each(named(operationList.filter(({ limit }) => limit === undefined)))('%s has none', async (_id, operation) => {
    const key = isOpen(operation) ? null : adminKey
    for (let i = 0; i <= accountCallsMax; i++) {
      const answer = await send(operation, { on: limited, key })
      expect(answer.status).not.toBe(429)
      expect(headersOf(answer)).toEqual([null, null, null])
    }
  })
})

describe('answers', () => {
  it.each(named(operationList))('%s has a request id, in the headers and in errors', async (_id, operation) => {
    const [one, other] = [await send(operation, { key: adminKey }), await send(operation, { key: adminKey })]
    for (const { headers } of [one, other]) expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/)
    expect(one.headers.get('x-request-id')).not.toBe(other.headers.get('x-request-id'))
    if (one.status >= 400 && hasEnvelope(operation))
      expect(one.body.error.x_relay.request_id).toBe(one.headers.get('x-request-id'))
    expect(one.headers.has('access-control-allow-origin')).toBe(operation.isCrossOrigin === true)
  })
})

describe('methods', () => {
  const paths = [...new Set(operationList.map(({ path }) => path))]
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

  it.each(paths)('%s answers 405 to any other, and names its own', async (path) => {
    const sent = path.replace(/\{\w+\}/, 'none.mp3')
    const isHere = (other: string) => new RegExp(`^${other.replace(/\{\w+\}/, '[^/]+')}$`).test(sent)
    const here = operationList.filter((operation) => operation.path === path || isHere(operation.path))
    const own = here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    for (const method of methods) {
      if (own.includes(method)) continue
      const answer = await server.ask(sent, { method, key: adminKey })
      expect([method, answer.status]).toEqual([method, 405])
      if (method !== 'HEAD') expectError(answer, 405, 'invalid_request')
      expect(new Set(answer.headers.get('allow')!.split(', '))).toEqual(new Set(own))
      const crossOrigin = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))
      expect(crossOrigin.length > 0).toBe(here[0]!.isCrossOrigin === true)
    }
  })

  it.each(named(operationList.filter(({ method }) => method === 'GET')))(
    '%s answers HEAD as GET, without a body',
    async (_id, operation) => {
      const [get, head] = [
        await send(operation, { key: adminKey }),
        await send(operation, { key: adminKey, method: 'HEAD' }),
      ]
      expect([head.status, head.text]).toEqual([get.status, ''])
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
    },
  )
})

describe('bodies', () => {
  const withBody = operationList.filter(hasBody)

  it.each(named(withBody))(
    '%s refuses what is no JSON object, too deep, too large or compressed',
    async (_id, operation) => {
      const { key, headers: given } = asCaller(operation, server, adminKey, {})
      const ask = (body: BodyInit, headers?: Record<string, string>) =>
        fetch(server.baseUrl + operation.path.replace(/\{\w+\}/, 'none'), {
          method: operation.method,
          body,
          headers: { ...(key && { authorization: `Bearer ${key}` }), ...given, ...headers },
        }).then(async (response): Promise<Answer> => {
          const text = await response.text()
          return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
        })
      for (const body of [
        broken,
        '[]',
        '"text"',
        '7',
        'null',
        '['.repeat(1000),
        `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
      ])
        expectErrorOf(operation, await ask(body), 400, 'invalid_params')
      expectErrorOf(
        operation,
        await ask(Uint8Array.from([...Buffer.from('{"name":"'), 0xff, 0x22, 0x7d])),
        400,
        'invalid_params',
      )
      expectErrorOf(operation, await ask(`{"name":"${'x'.repeat(1 << 20)}"}`), 413, 'invalid_params')
      const compressed = await ask(gzipSync('{"name":"n"}'), { 'content-encoding': 'gzip' })
      expectErrorOf(operation, compressed, 415, 'invalid_params', 'Content-Encoding')
      expect(compressed.headers.get('accept-encoding')).toBe('identity')
    },
  )

  const required = withBody.flatMap((operation) => {
    const names = Object.entries(operation.body?.fields ?? {}).filter(([, { isRequired }]) => isRequired)
    return names.length > 0 ? [[operation.id, operation, names.map(([name]) => name)] as const] : []
  })
  it.each(required)('%s names a missing field', async (_id, operation, names) => {
    const { status, body } = await send(operation, { key: adminKey, body: {} })
    expect([status, body.error.code]).toEqual([400, 'invalid_params'])
    expect(body.error.param).toBeOneOf(names)
    expect(body.error.message).toStartWith(`${body.error.param}: `)
  })
})

describe('ids', () => {
  const unknown = ['none', "'%20OR%201=1--", '%00', '0198c6a0-0000-7000-8000-000000000000']
  const ofOne = operationList.filter(({ parameter, access }) => parameter && access !== 'public')

  it.each(named(ofOne))('%s answers 404 not_found to an unknown one', async (_id, operation) => {
    const body = reads(operation) ? undefined : { units: 1, reason: 'r', name: 'n', before: null }
    for (const id of unknown)
      expectErrorOf(operation, await send(operation, { key: adminKey, id, body }), 404, 'not_found')
  })
})

describe('queries', () => {
  const bad: Readonly<Record<string, readonly string[]>> = {
    limit: ['0', '201', '-1', '1.5', 'x', '', '1e2', '99999999999999999999'],
    days: ['0', '367', '-1', '1.5', 'x', ''],
    cursor: ['', 'x', '%00', btoa('1.'), btoa("1.'--"), btoa('-1.2'), 'A'.repeat(500)],
    from: ['yesterday', '2026-02-30', '1700000000', ''],
    to: ['yesterday', '2026-02-30', '1700000000', ''],
    hash: ['', 'x', 'g'.repeat(64), 'a'.repeat(63)],
  }
  const parameters = operationList.flatMap((operation) =>
    Object.keys(operation.query ?? {}).flatMap((name) => (bad[name] ? [[operation.id, name, operation] as const] : [])),
  )

  it.each(parameters)('%s refuses an invalid %s', async (_id, name, operation) => {
    for (const value of bad[name]!)
      expectError(await send(operation, { key: adminKey, query: `?${name}=${value}` }), 400, 'invalid_params', name)
  })

  const required = operationList.flatMap((operation) =>
    Object.entries(operation.query ?? {}).flatMap(([name, { isRequired }]) =>
      isRequired ? [[operation.id, name, operation] as const] : [],
    ),
  )
  it.each(required)('%s needs %s', async (_id, name, operation) => {
    expectError(await send(operation, { key: adminKey, body: undefined }), 400, 'invalid_params', name)
  })
})
