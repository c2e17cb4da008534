/** The API description compared with the running service: routes, answers and examples; and its page. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { findFirstAdministrator } from '../../src/account/accounts'
import { createSetup } from '../../src/account/invitations'
import { createKeyUse } from '../../src/account/keys'
import { openDatabase } from '../../src/db/database'
import type { ServerOptions } from '../../src/http/context'
import { makePage } from '../../src/http/openapi/page'
import { createHttpServer } from '../../src/http/server'
import { parseNetworks } from '../../src/net/address'
import { addPiperVoices, startHub, type HubServer } from '../packs/hub/hub-server'
import { describeWith } from '../tools'
import { openBrowser } from './browser'
import { readDescription, type Described, type Operation } from './description'
import { lasting, sampleRate } from './recordings'
import { executable } from './sonant'
import { readReadyLine } from '../lines'

type Ready = { base_url: string; api_key: string; admin_key: string }

let hub: HubServer
let child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
let ready: Ready
let described: Described

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-openapi-'))
  hub = startHub()
  addPiperVoices(hub, [{ key: 'en_US-amy-low' }], 1000)
  child = Bun.spawn([executable, 'serve', '--ephemeral', '--balance', '2000', '--limit-tts', '0', '--hub', hub.url], {
    cwd: tmpdir(),
    env: { ...process.env, TMPDIR: directory },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  ready = await readReadyLine<Ready>(child.stdout)
  described = await readDescription(ready.base_url)
})
afterAll(async () => {
  child.kill('SIGTERM')
  await child.exited
  await hub.stop()
  await rm(directory, { recursive: true })
})

describe('/openapi.json', () => {
  it('is valid OpenAPI 3.1, and caches must revalidate it', async () => {
    const response = await fetch(`${ready.base_url}/openapi.json`)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const validator = new Validator()
    expect(await validator.validate((await response.json()) as Record<string, unknown>)).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it('allows null in the list of words exactly where its type does', () => {
    const contradictions: unknown[] = []
    const visit = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return
      const { enum: words, type } = schema as { enum?: unknown; type?: unknown }
      if (Array.isArray(words) && words.includes(null) !== [type].flat().includes('null')) contradictions.push(schema)
      for (const inner of Object.values(schema)) visit(inner)
    }
    visit(described.description.components)
    expect(contradictions).toEqual([])
  })

  it('contains the address of the service', () => {
    expect(described.description.servers).toEqual([{ url: ready.base_url }])
  })

  it('has exactly the routes of the service', () => {
    const db = openDatabase(':memory:')
    const app = createHttpServer({
      db,
      speaking: { db },
      cloning: {},
      packs: {},
      config: { corsOrigins: [] },
      keyUse: createKeyUse(db),
      trustedProxies: parseNetworks([]),
    } as unknown as ServerOptions)
    // A parameter of a path cannot contain a slash, so files in a folder have a second path.
    const anyFile = ['/audio/{name}', '/audio/demos/{name}']
    // A description of GET includes HEAD, except for audio files.
    const shown = app.routes.filter(({ method }) => method !== 'HEAD')
    const routes = shown.flatMap(({ method, path }) => {
      const paths = path === '/audio/*' ? anyFile : [path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}')]
      const methods = method === 'ALL' ? ['GET', 'HEAD', 'OPTIONS'] : [method]
      return paths.flatMap((one) => methods.map((each) => `${each} ${one}`))
    })
    const inDescription = described.operations().map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    expect(inDescription.sort()).toEqual([...new Set(routes)].sort())
    db.close()
  })

  it('has a valid example of every JSON answer and every body', () => {
    const faults: unknown[] = []
    let count = 0
    const check = (
      where: string,
      content: NonNullable<Operation['requestBody']>['content'],
      pointer: readonly string[],
    ) => {
      for (const [type, { examples = {} }] of Object.entries(content)) {
        if (type === 'application/json' && Object.keys(examples).length === 0 && !where.endsWith('getDescription'))
          faults.push([where, 'no example'])
        for (const [name, { $ref, value }] of Object.entries(examples)) {
          const shown = $ref ? described.description.components.examples[$ref.split('/').at(-1)!]?.value : value
          const found = described.faultsOf(shown, [...pointer, 'content', type, 'schema'])
          if (found) faults.push([where, name, found])
          count++
        }
      }
    }
    for (const { path, method, operation } of described.operations()) {
      const { operationId, requestBody, responses } = operation
      if (requestBody) check(operationId, requestBody.content, ['paths', path, method, 'requestBody'])
      for (const status of Object.keys(responses)) {
        const { answer, pointer } = described.answerAt(path, method, status)!
        if (answer.content) check(operationId, answer.content, pointer)
      }
    }
    expect(faults).toEqual([])
    expect(count).toBeGreaterThan(300)
  })
})

type Request = { key?: string; body?: unknown; form?: FormData; headers?: Record<string, string>; query?: string }

describe('the answers of the service', () => {
  const seen = new Set<string>()

  /** Sends a request to a described path and compares the answer with its description. */
  async function call(method: string, template: string, status: number, request: Request = {}, ...values: string[]) {
    const { key = ready.admin_key, body, form, headers = {}, query = '' } = request
    const path = template.replace(/\{\w+\}/g, () => values.shift()!)
    const response = await fetch(ready.base_url + path + query, {
      method,
      redirect: 'manual',
      headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers },
      body: form ?? (body === undefined ? undefined : JSON.stringify(body)),
    })
    const content = await response.text()
    expect([method, template, response.status, content.slice(0, 300)]).toEqual([
      method,
      template,
      status,
      expect.any(String),
    ])
    expect(described.faultsOfAnswer(template, method.toLowerCase(), response, content)).toEqual([])
    seen.add(`${method} ${template} ${status}`)
    // Each caller knows the type of its answer.
    return (content.startsWith('{') ? JSON.parse(content) : content) as Record<string, any>
  }

  /** Sets up the first person of the administrator. Only other starts print a link, so this makes one. */
  async function callSetup(): Promise<void> {
    const data = (await readdir(directory)).find((name) => name.startsWith('sonant-ephemeral-'))!
    const db = openDatabase(join(directory, data, 'sonant.db'))
    const { token } = createSetup(db, { accountId: findFirstAdministrator(db)!.id, nowMs: Date.now() })
    db.close()
    const headers = { 'content-type': 'application/json' }
    const body = { token, email: 'first@example.org', password: 'correct horse', name: 'First' }
    await call('POST', '/api/v1/setup', 200, { key: '', headers, body })
    await call('POST', '/api/v1/setup', 400, { key: '', headers, body })
  }

  /** Calls the operations of people, as a person whose account is new. */
  async function callAsPeople(accounts: string): Promise<void> {
    const { id } = await call('POST', accounts, 200, { body: { name: 'People' } })
    const json = { 'content-type': 'application/json' }
    const email = 'ada@example.org'
    const body = { email, password: 'correct horse', name: 'Ada' }
    const join = async (status: number, fields: object) => {
      const { url } = await call('POST', `${accounts}/{id}/invitations`, 200, {}, id)
      const accepted = { ...body, token: url.split('#')[1], ...fields }
      return call('POST', '/api/v1/invitations/accept', status, { key: '', headers: json, body: accepted })
    }
    await join(200, {})
    await join(409, {})
    await join(400, { token: 'x' })
    const cookieOf = async (path: string, fields: object) => {
      const headers = { ...json, 'user-agent': 'curl/8' }
      const answer = await fetch(ready.base_url + path, { method: 'POST', headers, body: JSON.stringify(fields) })
      return {
        key: '',
        headers: { ...json, origin: ready.base_url, cookie: answer.headers.getSetCookie()[0]!.split(';')[0]! },
      }
    }
    await call('POST', '/api/v1/session', 200, { key: '', headers: json, body })
    await call('POST', '/api/v1/session', 401, { key: '', headers: json, body: { ...body, password: 'wrong' } })
    await call('POST', '/api/v1/session', 403, { key: '', headers: { ...json, origin: 'null' }, body })
    const person = await cookieOf('/api/v1/session', body)
    await call('GET', '/api/v1/session', 200, person)
    await call('GET', '/api/v1/account', 200, person)
    const { items: sessions } = await call('GET', '/api/v1/sessions', 200, person)
    await call('DELETE', '/api/v1/sessions/{id}', 200, person, sessions.at(-1).id)
    await call('DELETE', '/api/v1/sessions/{id}', 404, person, 'nothing')
    const change = { current_password: body.password, new_password: 'three quiet herons' }
    await call('POST', '/api/v1/password', 200, { ...person, body: change })
    // The cookie has changed with the password.
    await call('GET', '/api/v1/session', 401, person)
    const changed = await cookieOf('/api/v1/session', { email, password: change.new_password })
    await call('POST', '/api/v1/password', 401, { ...changed, body: change })
    await call('PATCH', '/api/v1/person', 200, { ...changed, body: { name: 'Ada King' } })
    const taken = { email: 'b@example.org', current_password: 'wrong' }
    await call('PATCH', '/api/v1/person', 401, { ...changed, body: taken })
    await call('DELETE', '/api/v1/session', 200, changed)
    await call('DELETE', '/api/v1/session', 401, changed)
    const { items: persons } = await call('GET', `${accounts}/{id}/persons`, 200, {}, id)
    await call('PATCH', '/api/v1/admin/persons/{id}', 200, { body: { name: 'Ada' } }, persons[0].id)
    await call('POST', `${accounts}/{id}/invitations`, 200, {}, id)
    const { items: open } = await call('GET', `${accounts}/{id}/invitations`, 200, {}, id)
    await call('DELETE', '/api/v1/admin/invitations/{id}', 200, {}, open[0].id)
    await call('DELETE', '/api/v1/admin/invitations/{id}', 404, {}, open[0].id)
    const { password } = await call('POST', '/api/v1/admin/persons/{id}/reset-password', 200, {}, persons[0].id)
    const again = await cookieOf('/api/v1/session', { email, password })
    await call('DELETE', '/api/v1/sessions', 200, again)
    await call('DELETE', '/api/v1/admin/persons/{id}', 200, {}, persons[0].id)
    await call('DELETE', '/api/v1/admin/persons/{id}', 404, {}, persons[0].id)
  }

  async function callAsOpenAi(user: { key: string }): Promise<void> {
    const speech = '/v1/audio/speech'
    const hello = { model: 'tts-1', input: 'Hello!', voice: 'en-kevin' }
    const fault = (name: string) => ({ ...user, body: hello, headers: { 'X-Sonant-Fault': name } })
    await call('POST', speech, 200, { ...user, body: { ...hello, response_format: 'pcm', stream_format: 'sse' } })
    await call('POST', speech, 200, fault('charge_failed'))
    for (const name of ['storage_failed', 'synthesis_timeout']) await call('POST', speech, 500, fault(name))
    for (const fields of [{ model: 'gpt-9' }, { speed: 3 }, { input: '' }])
      await call('POST', speech, 400, { ...user, body: { ...hello, ...fields } })
    await call('POST', speech, 401, { key: '', body: hello })
    await call('POST', speech, 402, { ...user, body: { ...hello, input: 'x'.repeat(4000) } })
    await call('POST', speech, 404, { ...user, body: { ...hello, voice: 'nobody' } })
    await call('POST', speech, 413, { ...user, body: { ...hello, input: 'x'.repeat(1.1e6) } })
    for (const key of ['', user.key]) await call('GET', '/v1/audio/voices', 200, { key })
    await call('GET', '/v1/audio/models', 200)
    await call('GET', '/v1/models', 200)
    await call('GET', '/v1/models/{id}', 200, {}, 'tts-1')
    await call('GET', '/v1/models/{id}', 404, {}, 'gpt-9')
  }

  it('are as described, field by field, for every operation', async () => {
    const user = { key: ready.api_key }
    const hello = { text: 'Hello!', voice_id: 'en-kevin' }
    const spoken = await call('POST', '/api/v1/tts', 200, { ...user, body: { ...hello, speed: 1.5, format: 'wav' } })
    const fault = (name: string) => ({ ...user, body: hello, headers: { 'X-Sonant-Fault': name } })
    const uncharged = await call('POST', '/api/v1/tts', 200, fault('charge_failed'))
    expect(uncharged.billing_warning).toBeString()
    for (const name of ['synthesis_failed', 'storage_failed']) await call('POST', '/api/v1/tts', 502, fault(name))
    await call('POST', '/api/v1/tts', 504, fault('synthesis_timeout'))
    const idempotent = { 'Idempotency-Key': '0123456789abcdef'.repeat(2) }
    await call('POST', '/api/v1/tts', 200, { ...user, body: hello, headers: idempotent })
    await call('POST', '/api/v1/tts', 409, { ...user, body: { text: 'Other.' }, headers: idempotent })
    for (const body of [{ text: '' }, { ...hello, speed: 3 }, { ...hello, format: 'ogg' }, []])
      await call('POST', '/api/v1/tts', 400, { ...user, body })
    await call('POST', '/api/v1/tts', 401, { key: '', body: hello })
    await call('POST', '/api/v1/tts', 402, { ...user, body: { text: 'x'.repeat(2000) } })
    await call('POST', '/api/v1/tts', 404, { ...user, body: { ...hello, voice_id: 'nobody' } })
    await call('POST', '/api/v1/tts', 413, { ...user, body: { text: 'x'.repeat(1.1e6) } })
    await call('POST', '/api/v1/tts/estimate', 200, { ...user, body: hello })
    await call('POST', '/api/v1/tts/estimate', 400, { ...user, body: {} })
    await callAsOpenAi(user)
    const recording = await (await fetch(spoken.url)).bytes()
    const form = new FormData()
    form.append('name', 'Mine')
    form.append('file', new Blob([Buffer.from(lasting(recording, 3 * sampleRate))]))
    const cloned = await call('POST', '/api/v1/voices/clone', 200, { form })
    const hash = new Bun.CryptoHasher('sha256').update(lasting(recording, 3 * sampleRate)).digest('hex')
    await call('GET', '/api/v1/voices/clone/precheck', 200, { query: `?hash=${hash}` })
    await call('GET', '/api/v1/voices/clone/precheck', 400, { query: '?hash=x' })
    await call('POST', '/api/v1/voices/clone', 200, { body: { name: 'Again', hash } })
    await call('POST', '/api/v1/voices/clone', 400, { body: { name: 'n', url: 'http://localhost/' } })
    await call('POST', '/api/v1/voices/clone', 404, { body: { name: 'n', hash: '0'.repeat(64) } })
    const recordingPath = '/api/v1/voices/clone/{voiceId}/recording'
    await call('GET', recordingPath, 200, {}, cloned.voice.id)
    await call('GET', recordingPath, 206, { headers: { range: 'bytes=0-9' } }, cloned.voice.id)
    await call('GET', recordingPath, 304, { headers: { 'if-none-match': '*' } }, cloned.voice.id)
    await call('GET', recordingPath, 412, { headers: { 'if-match': '"x"' } }, cloned.voice.id)
    await call('GET', recordingPath, 416, { headers: { range: 'bytes=999999999-' } }, cloned.voice.id)
    await call('GET', recordingPath, 404, {}, 'en-kevin')
    await call('GET', '/api/v1/voices', 200)
    const { account_id: ownId } = (await call('GET', '/api/v1/account', 200)).key
    await call('GET', '/api/v1/admin/clones', 200, { query: `?account_id=${ownId}` })
    await call('GET', '/api/v1/admin/clones', 404, { query: '?account_id=nobody' })
    await call('GET', '/api/v1/admin/clones', 400)
    await call('POST', '/api/v1/admin/clones/{id}/re-enrol', 200, {}, cloned.voice.id)
    await call('POST', '/api/v1/admin/clones/{id}/purge', 200, {}, cloned.voice.id)
    await call('POST', '/api/v1/admin/clones/{id}/re-enrol', 404, {}, cloned.voice.id)
    await call('DELETE', '/api/v1/admin/clones/{id}', 404, {}, 'cv-0')
    const third = new FormData()
    third.append('name', 'Third')
    third.append('file', new Blob([Buffer.from(lasting(recording, 4 * sampleRate))]))
    const { voice: other } = await call('POST', '/api/v1/voices/clone', 200, { form: third })
    await call('DELETE', '/api/v1/admin/clones/{id}', 200, {}, other.id)
    await call('DELETE', '/api/v1/voices/clone', 200, { query: `?voice_id=${cloned.voice.id}` })
    await call('DELETE', '/api/v1/voices/clone', 404, { query: `?voice_id=${cloned.voice.id}` })
    await call('POST', '/api/v1/admin/packs', 202, { body: { name: 'kokoro' } })
    await call('POST', '/api/v1/admin/packs', 400, { body: { name: 'nobody' } })
    await call('GET', '/api/v1/admin/hub', 200, { query: '?q=amy' })
    await call('GET', '/api/v1/admin/hub/pack', 200, { query: '?name=piper/en_US-amy-low' })
    await call('GET', '/api/v1/admin/hub/pack', 404, { query: '?name=piper/en_US-none-low' })
    const pack = new FormData()
    pack.append('file', new Blob(['no model']), 'model.onnx')
    const uploadPath = '/api/v1/admin/packs/upload'
    await call('POST', uploadPath, 202, { form: pack, query: '?name=sent' })
    await call('POST', uploadPath, 409, { form: pack, query: '?name=sent' })
    await call('DELETE', '/api/v1/admin/packs/{id}', 200, {}, 'sent')
    await call('GET', '/api/v1/admin/installs', 200)
    await call('DELETE', '/api/v1/admin/installs/{id}', 200, {}, 'kokoro')
    await call('DELETE', '/api/v1/admin/installs/{id}', 404, {}, 'nothing')
    const { voices } = await call('GET', '/api/v1/voices', 200, { key: '' })
    await call('GET', '/api/v1/voices', 200, { query: '?group=all' })
    await call('GET', '/api/v1/voices', 403, { ...user, query: '?group=all' })
    await call('GET', '/api/v1/voices', 404, { query: '?group=nothing' })

    const anonymous = { key: '' }
    const file = spoken.url.split('/').at(-1)
    const demo = voices[0].demo_url.split('/').at(-1)
    for (const [path, name] of [
      ['/audio/{name}', file],
      ['/audio/demos/{name}', demo],
    ] as const)
      for (const [method, status] of [
        ['GET', 200],
        ['HEAD', 200],
        ['OPTIONS', 204],
      ] as const)
        await call(method, path, status, anonymous, name)
    await call('GET', '/audio/{name}', 206, { ...anonymous, headers: { range: 'bytes=0-9' } }, file)
    await call('GET', '/audio/{name}', 304, { ...anonymous, headers: { 'if-none-match': '*' } }, file)
    await call('GET', '/audio/{name}', 416, { ...anonymous, headers: { range: 'bytes=999999999-' } }, file)
    await call('GET', '/audio/{name}', 412, { ...anonymous, headers: { 'if-match': '"x"' } }, file)
    await call('GET', '/audio/{name}', 404, anonymous, 'nothing.mp3')

    const account = await call('GET', '/api/v1/account', 200, user)
    await call('GET', '/api/v1/balance', 200, user)
    await call('GET', '/api/v1/balance', 401, { key: 'sk-nobody' })
    for (const query of ['', '?limit=1', '?limit=1&from=2026-01-01'])
      await call('GET', '/api/v1/usage', 200, { ...user, query })
    await call('GET', '/api/v1/usage', 400, { ...user, query: '?limit=0' })
    await call('GET', '/api/v1/usage/daily', 200, user)
    await call('GET', '/api/v1/usage/daily', 400, { ...user, query: '?days=0' })
    await call('GET', '/api/v1/usage.csv', 200, user)
    await call('GET', '/api/v1/usage', 400, { ...user, query: '?status=running' })
    await call('GET', '/api/v1/usage/totals', 200, { ...user, query: '?status=failed&voice_id=en-kevin' })
    await call('GET', '/api/v1/ledger', 200, user)
    await call('GET', '/api/v1/ledger', 400, { ...user, query: '?cursor=x' })
    await call('GET', '/api/v1/usage/{requestId}', 200, user, spoken.request_id)
    await call('GET', '/api/v1/usage/{requestId}', 404, user, 'nothing')
    await call('DELETE', '/api/v1/usage/{requestId}/audio', 200, user, uncharged.request_id)
    await call('DELETE', '/api/v1/usage/{requestId}/audio', 410, user, uncharged.request_id)
    await call('GET', '/audio/{name}', 410, anonymous, uncharged.url.split('/').at(-1))

    const codes = '/api/v1/admin/codes'
    const { items: made } = await call('POST', codes, 200, { body: { units: 50, count: 2, expires_at: '2999-01-01' } })
    await call('POST', codes, 400, { body: { units: 0 } })
    await call('POST', '/api/v1/activation', 200, { ...user, body: { code: made[0].code } })
    await call('POST', '/api/v1/activation', 400, { ...user, body: { code: made[0].code } })
    await call('GET', codes, 200)
    await call('POST', `${codes}/{id}/void`, 200, {}, made[1].id)
    await call('POST', `${codes}/{id}/void`, 409, {}, made[1].id)
    await call('POST', `${codes}/{id}/void`, 404, {}, 'nothing')

    const groups = '/api/v1/admin/groups'
    const group = await call('POST', groups, 200, { body: { name: 'gold', voices: [hello.voice_id] } })
    await call('POST', groups, 409, { body: { name: 'gold' } })
    await call('GET', groups, 200)
    await call('PATCH', `${groups}/{id}`, 200, { body: { name: 'silver' } }, group.id)
    await call('GET', '/api/v1/admin/voices', 200)
    await call('GET', '/api/v1/admin/packs', 200)
    await call('POST', '/api/v1/admin/packs/rescan', 200)
    await call('DELETE', '/api/v1/admin/packs/{id}', 404, {}, 'nothing')
    const data = (await readdir(directory)).find((name) => name.startsWith('sonant-ephemeral-'))
    await Bun.write(join(directory, data!, 'voices/my pack/model.onnx'), 'no model')
    const { items: packs } = await call('POST', '/api/v1/admin/packs/rescan', 200)
    expect(packs).toMatchObject([{ name: 'my pack' }])
    await call('DELETE', '/api/v1/admin/packs/{id}', 200, {}, 'my%20pack')
    const voiceChange = { active: false, featured: true, display_name: 'Zed' }
    await call('PATCH', '/api/v1/admin/voices/{id}', 200, { body: voiceChange }, voices[2].id)
    await call('POST', '/api/v1/tts', 403, { ...user, body: { ...hello, voice_id: voices[2].id } })
    await call('POST', '/api/v1/admin/voices/{id}/move', 200, { body: { before: null } }, voices[1].id)
    await call('POST', '/api/v1/admin/voices/{id}/move', 409, { body: { before: voices[3].id } }, voices[1].id)

    const accounts = '/api/v1/admin/accounts'
    const ada = { name: 'Ada', email: 'ada@example.org', balance: 10, group: 'silver' }
    const { id } = await call('POST', accounts, 200, { body: ada })
    await call('POST', accounts, 400, { body: { name: 5 } })
    await call('GET', accounts, 200, { query: '?q=ada' })
    await call('GET', accounts, 403, user)
    await call('GET', `${accounts}/{id}`, 200, {}, id)
    await call('GET', `${accounts}/{id}`, 404, {}, 'nothing')
    await call('PATCH', `${accounts}/{id}`, 200, { body: { email: null } }, id)
    await call('POST', `${accounts}/{id}/adjust`, 200, { body: { units: 5, reason: 'a gift' } }, id)
    await call('POST', `${accounts}/{id}/adjust`, 409, { body: { units: -500, reason: 'too much' } }, id)
    await call('DELETE', `${groups}/{id}`, 409, {}, group.id)
    const newKey = { name: 'one', cap: 3, limits: { tts: 7 }, expires_at: '2999-01-01' }
    const key = await call('POST', `${accounts}/{id}/keys`, 200, { body: newKey }, id)
    // A voice of its plan, which lacks the others.
    await call('POST', '/api/v1/tts', 402, { key: key.api_key, body: { text: hello.text } })
    await call('GET', `${accounts}/{id}/keys`, 200, {}, id)
    await call('PATCH', '/api/v1/admin/keys/{id}', 200, { body: { cap: null, limits: null } }, key.id)
    await call('POST', `${accounts}/{id}/disable`, 200, {}, id)
    await call('GET', '/api/v1/balance', 403, { key: key.api_key })
    await call('POST', `${accounts}/{id}/enable`, 200, {}, id)
    await call('POST', '/api/v1/admin/keys/{id}/revoke', 200, {}, key.id)
    await call('GET', '/api/v1/balance', 403, { key: key.api_key })
    await call('DELETE', '/api/v1/admin/keys/{id}', 200, {}, key.id)
    await call('PATCH', `${accounts}/{id}`, 200, { body: { group: null } }, id)
    await call('POST', `${accounts}/{id}/erase`, 200, {}, id)
    await call('PATCH', `${accounts}/{id}`, 409, { body: { name: 'Ada' } }, id)
    await call('DELETE', `${groups}/{id}`, 200, {}, group.id)
    await call('GET', '/api/v1/admin/usage', 200, { query: `?account_id=${account.key.account_id}` })
    for (const path of ['/api/v1/admin/usage/totals', '/api/v1/admin/usage/daily', '/api/v1/admin/usage.csv'] as const)
      await call('GET', path, 200, { query: `?account_id=${account.key.account_id}` })
    await call('GET', '/api/v1/admin/audit-log', 200, { query: '?limit=200' })

    await call('GET', '/api/v1/keys', 200)
    const own = await call('POST', '/api/v1/keys', 200, { body: { name: 'two' } })
    const next = await call('POST', '/api/v1/keys/{id}/rotate', 200, { body: { grace_seconds: 60 } }, own.id)
    await call('POST', '/api/v1/keys/{id}/rotate', 409, {}, own.id)
    await call('POST', '/api/v1/admin/keys/{id}/rotate', 200, { body: {} }, next.id)
    await call('GET', '/api/v1/keys', 200)
    await call('POST', '/api/v1/keys/{id}/revoke', 200, {}, own.id)
    await call('DELETE', '/api/v1/keys/{id}', 200, {}, own.id)
    await call('DELETE', '/api/v1/keys/{id}', 404, {}, account.key.id)

    await callAsPeople(accounts)
    await callSetup()

    await call('GET', '/api/v1/version', 200, anonymous)
    await call('GET', '/healthz', 200, anonymous)
    await call('GET', '/readyz', 200, anonymous)
    await call('GET', '/api/v1/admin/compute', 200)
    await call('GET', '/api/v1/status', 200, user)
    await call('GET', '/api/v1/admin/system', 200)
    await call('GET', '/openapi.json', 200, anonymous)
    await call('GET', '/', 302, { ...anonymous, headers: { accept: 'text/html' } })
    await call('GET', '/', 404, anonymous)
    const start = await call('GET', '/console', 200, anonymous)
    await call('GET', '/console/{path}', 200, anonymous, /\.\/([\w-]+\.js)/.exec(String(start))![1]!)
    await call('GET', '/console/{path}', 404, anonymous, 'nothing.js')
    const page = await call('GET', '/docs', 200, anonymous)
    const script = /docs\/([0-9a-f]+\.js)/.exec(String(page))![1]!
    await call('GET', '/docs/{file}', 200, anonymous, script)
    await call('GET', '/docs/{file}', 404, anonymous, 'nothing.js')

    let answer: Response
    do
      answer = await fetch(`${ready.base_url}/api/v1/balance`, {
        headers: { authorization: `Bearer ${ready.api_key}` },
      })
    while (answer.status === 200)
    await call('GET', '/api/v1/balance', 429, user)

    const missing = described
      .operations()
      .map(({ method, path, operation }) => {
        const status = Object.keys(operation.responses).find((one) => /^[23]/.test(one))
        return `${method.toUpperCase()} ${path} ${status}`
      })
      .filter((one) => !seen.has(one))
    expect(missing).toEqual([])
  })

  it('fail the validator with an undescribed or missing field', () => {
    const pointer = ['components', 'schemas', 'Health']
    expect(described.faultsOf({ ok: true }, pointer)).toBeNull()
    expect(described.faultsOf({ ok: true, more: 1 }, pointer)).not.toBeNull()
    expect(described.faultsOf({}, pointer)).not.toBeNull()
  })
})

describe('/docs', () => {
  it('is a page that loads nothing from other origins, by its policy', async () => {
    const response = await fetch(`${ready.base_url}/docs`)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = response.headers.get('content-security-policy')!
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).not.toMatch(/https?:|\*|unsafe/)
    const html = await response.text()
    expect(html).not.toContain('//')
    const addresses = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, address]) => address!)
    expect(addresses).toHaveLength(3)
    for (const address of addresses) {
      const file = await fetch(ready.base_url + address)
      expect(file.headers.get('content-type')).toMatch(/^text\/(css|javascript); charset=utf-8$/)
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(file.headers.get('x-content-type-options')).toBe('nosniff')
      const content = await file.text()
      expect(content.length).toBeGreaterThan(100)
      if (!address.endsWith('.css')) continue
      expect(content.match(/@import/g)).toBeNull()
      for (const [, target] of content.matchAll(/url\(["']?([^"')]{0,20})/g)) expect(target).toStartWith('data:')
    }
  })

  it('keeps the path prefix of a proxy', async () => {
    const page = await makePage('/voice')
    for (const name of page.files.keys()) expect(page.html).toContain(`"/voice/docs/${name}"`)
  })
})

describeWith('chromium', '/docs in a browser without network', () => {
  it('shows every operation, contacts no other host, and sends a request with an API key', async () => {
    const browser = await openBrowser(`${ready.base_url}/docs`)
    try {
      const ids = await browser.until<string[]>(
        `(() => { const all = [...document.querySelectorAll('.opblock')]; return all.length > 30 && all.map(({ id }) => id) })()`,
      )
      const inDescription = described.operations().map(({ operation }) => operation.operationId)
      expect(ids.map((id) => id.split('-').at(-1)).sort()).toEqual(inDescription.sort() as string[])

      await browser.click('.btn.authorize')
      await browser.click('.modal-ux input')
      await browser.type(ready.admin_key)
      await browser.click('.modal-ux .btn.authorize')
      await browser.click('.modal-ux .btn-done')
      await browser.click('[id$=-getVersion] .opblock-summary-control')
      await browser.click('[id$=-getVersion] .try-out__btn')
      await browser.click('[id$=-getVersion] .execute')
      await browser.click('[id$=-listGroups] .opblock-summary-control')
      await browser.click('[id$=-listGroups] .try-out__btn')
      await browser.click('[id$=-listGroups] .execute')
      const status = await browser.until<string>(
        `document.querySelector('[id$=-listGroups] .live-responses-table .response .response-col_status')?.textContent`,
      )
      expect(status).toStartWith('200')
      const elsewhere = browser
        .requested()
        .filter((url) => !url.startsWith(ready.base_url) && !/^(data|blob):/.test(url))
      expect(elsewhere).toEqual([])
      expect(browser.requested().length).toBeGreaterThanOrEqual(6)
      expect(browser.complaints()).toEqual([])
    } finally {
      await browser.close()
    }
  })
})
