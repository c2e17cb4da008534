/** The OpenAI-style endpoints of the compiled executable, called by the package `openai` and over plain HTTP. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai'
import { decode } from '../../src/audio/decode/decode'
import { limits } from '../audio/decode/recordings'
import { expectError, startServer, userKey, type Json, type Server } from './client'
import { lasting, sampleRate } from './recordings'

// Synthesis takes long while other programs keep the cores busy.
setDefaultTimeout(120_000)

const page = 'https://app.example'
let server: Server
/** Named origins change the header `Vary` of every answer. */
let open: Server
beforeAll(async () => {
  const origins = ['--cors-origin', page, '--cors-origin', 'http://localhost:3000']
  ;[server, open] = await Promise.all([startServer(), startServer(origins)])
})
afterAll(async () => {
  await Promise.all([server.stop(), open.stop()])
})

const client = (apiKey = userKey) => new OpenAI({ baseURL: `${server.baseUrl}/v1`, apiKey, maxRetries: 0 })
const hello = { model: 'tts-1', voice: 'en-kevin', input: 'Hello.' } as const
const speech = (fields: Record<string, unknown>, call: { key?: string; headers?: Record<string, string> } = {}) =>
  server.ask('/v1/audio/speech', { body: { ...hello, ...fields }, ...call })
const newestRecord = async (key = userKey) =>
  (await server.ask('/api/v1/usage?limit=1', { key })).body.records[0] as Json
const stored = async (name: string) => (await fetch(`${server.baseUrl}/audio/${name}`)).bytes()

describe('the package openai', () => {
  const format = (response_format: 'mp3' | 'wav' | 'pcm') => client().audio.speech.create({ ...hello, response_format })

  it('gets mp3 by default, with its length and its cost, and the history has it', async () => {
    const response = await client().audio.speech.create(hello)
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(response.headers.get('content-type')).toBe('audio/mpeg')
    expect(Number(response.headers.get('content-length'))).toBe(bytes.length)
    expect(bytes[0]).toBe(0xff)
    const record = await newestRecord()
    const expected = { surface: 'v1', status: 'charged', voice_id: 'en-kevin', units: 6, format: 'mp3' }
    expect(record).toMatchObject({ ...expected, request_id: response.headers.get('x-request-id') })
    expect(await stored(`${record.request_id}.mp3`)).toEqual(bytes)
    expect(response.headers.get('x-units')).toBe('6')
    const { balance } = (await server.ask('/api/v1/balance')).body
    expect(response.headers.get('x-remaining')).toBe(String(balance))
  })

  it('gets wav with the true sizes in its head', async () => {
    const response = await format('wav')
    const bytes = new Uint8Array(await response.arrayBuffer())
    const head = new DataView(bytes.buffer)
    expect(response.headers.get('content-type')).toBe('audio/wav')
    expect([head.getUint32(4, true), head.getUint32(40, true)]).toEqual([bytes.length - 8, bytes.length - 44])
    expect(head.getUint32(24, true)).toBe(44_100)
  })

  it('gets pcm of 24 kHz, which is stored as wav', async () => {
    const response = await format('pcm')
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(response.headers.get('content-type')).toBe('audio/pcm')
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    const record = await newestRecord()
    const wav = await stored(`${record.request_id}.wav`)
    expect(new DataView(wav.buffer).getUint32(24, true)).toBe(24_000)
    expect(bytes).toEqual(wav.slice(44))
    expect(Math.abs(bytes.length / 48 - record.audio_ms)).toBeLessThan(1)
  })

  it.each([
    ['opus', 'audio/opus', 'audio/ogg; codecs=opus'],
    ['flac', 'audio/flac', 'audio/flac'],
    ['aac', 'audio/aac', 'audio/aac'],
  ] as const)('gets %s of the right duration, which is stored', async (response_format, contentType, storedType) => {
    const response = await client().audio.speech.create({ ...hello, response_format })
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(response.headers.get('content-type')).toBe(contentType)
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    const record = await newestRecord()
    expect(record.format).toBe(response_format)
    expect(record.url).toEndWith(`${record.request_id}.${response_format}`)
    const file = await fetch(record.url as string)
    expect([file.status, file.headers.get('content-type')]).toEqual([200, storedType])
    expect(await file.bytes()).toEqual(bytes)
    const { pcm, damagedFrames } = await decode(bytes, limits)
    const durationMs = (1000 * pcm.samples.length) / pcm.sampleRate
    expect(damagedFrames).toBe(0)
    // AAC has whole frames, and the delay of its encoder.
    expect(Math.abs(durationMs - record.audio_ms)).toBeLessThan(response_format === 'aac' ? 200 : 2)
  })

  it('reads the body as a stream', async () => {
    const { body, headers } = await client().audio.speech.create({ ...hello, voice: { id: 'en-kevin' } })
    let size = 0
    for await (const part of body!) size += part.length
    expect(size).toBe(Number(headers.get('content-length')))
  })

  it('gets the same sound in events, and the usage at the end', async () => {
    const input = 'Hello there, this is a sentence that fills more than one event. And this is another one.'
    const fields = { ...hello, input, response_format: 'wav' } as const
    const response = await client().audio.speech.create({ ...fields, stream_format: 'sse' })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = (await response.text()).split('\n\n').filter(Boolean)
    const parsed = events.map((event) => JSON.parse(event.replace(/^data: /, '')) as Json)
    const deltas = parsed.filter(({ type }) => type === 'speech.audio.delta')
    expect(deltas.length).toBeGreaterThan(1)
    expect(parsed.at(-1)).toEqual({
      type: 'speech.audio.done',
      usage: { input_tokens: input.length, output_tokens: 0, total_tokens: input.length },
    })
    const sound = Buffer.concat(deltas.map(({ audio }) => Buffer.from(audio, 'base64')))
    expect(sound.equals(await stored(`${response.headers.get('x-request-id')}.wav`))).toBe(true)
  })

  it('lists and finds the models: the engines, and the aliases', async () => {
    const { data } = await client().models.list()
    const ids = data.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(['flite', 'espeak', 'tts-1', 'tts-1-hd', 'gpt-4o-mini-tts']))
    const models = (await server.ask('/v1/audio/models')).body.models as { id: string; name: string }[]
    expect(models.map(({ id }) => id)).toEqual(ids)
    expect(await client().models.retrieve('flite')).toMatchObject({ id: 'flite', object: 'model' })
    const { voices } = (await server.ask('/api/v1/voices')).body as { voices: { engine: string }[] }
    expect(new Set(ids.slice(0, -3))).toEqual(new Set(voices.map(({ engine }) => engine)))
  })

  it('throws its own errors, which keep the code and the field', async () => {
    const failure = (fields: object, apiKey?: string, headers?: Record<string, string>) =>
      client(apiKey)
        .audio.speech.create({ ...hello, ...fields }, { headers })
        .then(
          () => undefined,
          (error: unknown) => error as APIError,
        )
    const expectClass = (error: APIError | undefined, kind: new (...given: never[]) => APIError, said: object) => {
      expect(error).toBeInstanceOf(kind)
      expect(error).toMatchObject(said)
    }
    expectClass(await failure({}, 'sk-nobody'), AuthenticationError, { code: 'invalid_api_key' })
    expectClass(await failure({ model: 'gpt-9' }), BadRequestError, { code: 'unsupported_model', param: 'model' })
    expectClass(await failure({ speed: 4 }), BadRequestError, { code: 'invalid_request', param: 'speed' })
    expectClass(await failure({ voice: 'nobody' }), NotFoundError, { code: 'invalid_request', param: 'voice' })
    const fault = { 'x-sonant-fault': 'synthesis_failed' }
    expectClass(await failure({}, userKey, fault), InternalServerError, { status: 500, code: 'internal_error' })
    const unknown = client().models.retrieve('gpt-9')
    expect(await unknown.catch((error: unknown) => error)).toBeInstanceOf(NotFoundError)
    const { key, keyId } = await server.makeAccount({ balance: 100 })
    await server.admin('PATCH', `/keys/${keyId}`, { limits: { tts: 1, clone: 1 } })
    expect(await failure({}, key)).toBeUndefined()
    const limited = await failure({}, key)
    expectClass(limited, RateLimitError, { code: 'rate_limited' })
    expect(Number(limited!.headers!.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('errors', () => {
  it('of money are insufficient_credits and key_cap_reached', async () => {
    const { key, keyId } = await server.makeAccount({ balance: 5 })
    expectError(await speech({}, { key }), 402, 'insufficient_credits')
    await server.admin('PATCH', `/keys/${keyId}`, { cap: 1 })
    expectError(await speech({}, { key }), 402, 'key_cap_reached')
    expect(await newestRecord(key)).toMatchObject({ status: 'failed', surface: 'v1', units: 0 })
  })

  it('of keys are 401, and those of accounts and voices keep their status', async () => {
    expectError(await server.ask('/v1/audio/speech', { body: hello, key: null }), 401, 'missing_api_key')
    const [revoked, disabled] = [await server.makeAccount(), await server.makeAccount()]
    await server.admin('POST', `/keys/${revoked.keyId}/revoke`)
    expectError(await speech({}, revoked), 401, 'invalid_api_key')
    await server.admin('POST', `/accounts/${disabled.id}/disable`)
    expectError(await speech({}, disabled), 403, 'invalid_request')
    await server.admin('PATCH', '/voices/en-angus', { active: false })
    expectError(await speech({ voice: 'en-angus' }), 403, 'invalid_request', 'voice')
  })

  it('name the field of the request', async () => {
    for (const [field, values] of Object.entries({
      model: [undefined, 5, null],
      input: [undefined, null, '', ' ', 5, '\ud800', 'x'.repeat(4097)],
      voice: [5, [], {}, { id: 5 }, true],
      response_format: ['ogg', 'MP3', '', 5],
      speed: ['1', 0.25, 4, 5, false, []],
      stream_format: ['events', 5],
      text: ['another name of input'],
      voice_id: ['en-ross'],
    }))
      for (const value of values) expectError(await speech({ [field]: value }), 400, 'invalid_request', field)
    expect((await speech({ speed: 4 })).body.error.message).toContain('0.5 to 2.0')
    const { message } = (await speech({ response_format: 'ogg' })).body.error
    expect(message).toContain('"mp3", "wav", "opus", "flac", "aac", "pcm"')
  })

  it('of the path, the method, the size and the encoding have the same code', async () => {
    for (const path of ['/v1', '/v1/', '/v1/none', '/v1/audio/transcriptions'])
      expectError(await server.ask(path), 404, 'invalid_request')
    const wrongMethod = await server.ask('/v1/audio/speech')
    expectError(wrongMethod, 405, 'invalid_request')
    expect(wrongMethod.headers.get('allow')).toBe('POST')
    expectError(await speech({ input: 'x'.repeat(1 << 20) }), 413, 'invalid_request')
    expectError(
      await speech({}, { headers: { 'content-encoding': 'gzip' } }),
      415,
      'invalid_request',
      'Content-Encoding',
    )
  })

  it('of the engine, the encoder, the disk and the deadline are internal_error', async () => {
    for (const fault of ['synthesis_failed', 'transcode_failed', 'storage_failed', 'synthesis_timeout']) {
      const answer = await speech({ response_format: 'wav' }, { headers: { 'x-sonant-fault': fault } })
      expect([answer.status, answer.body.error.code, answer.body.error.type]).toEqual([
        500,
        'internal_error',
        'internal_error',
      ])
    }
    expect(await newestRecord()).toMatchObject({ status: 'failed', error_code: 'synthesis_failed', surface: 'v1' })
  })

  it('of charging leave the sound, without a balance', async () => {
    const { status, headers } = await speech({}, { headers: { 'x-sonant-fault': 'charge_failed' } })
    expect([status, headers.get('x-units'), headers.get('x-remaining')]).toEqual([200, '6', null])
    expect(await newestRecord()).toMatchObject({ status: 'uncharged', units: 0 })
  })
})

describe('a request', () => {
  it('with an Idempotency-Key is charged once, and a name of OpenAI’s is part of it', async () => {
    const { key } = await server.makeAccount({ balance: 100 })
    const headers = { 'idempotency-key': 'AB'.repeat(16) }
    const first = await speech({ voice: 'alloy' }, { key, headers })
    const again = await speech({ voice: 'alloy', stream_format: 'sse' }, { key, headers })
    expect([first.status, first.headers.get('x-remaining'), first.headers.get('idempotent-replay')]).toEqual([
      200,
      '94',
      null,
    ])
    expect([again.status, again.headers.get('x-remaining'), again.headers.get('idempotent-replay')]).toEqual([
      200,
      '94',
      'true',
    ])
    expect(again.headers.get('x-request-id')).toBe('ab'.repeat(16))
    for (const other of [{ voice: 'echo' }, { voice: 'alloy', response_format: 'pcm' }])
      expectError(await speech(other, { key, headers }), 409, 'invalid_request', 'Idempotency-Key')
    const badly = { 'idempotency-key': 'retry-1' }
    expectError(await speech({}, { key, headers: badly }), 400, 'invalid_request', 'Idempotency-Key')
    await server.ask(`/api/v1/usage/${'ab'.repeat(16)}/audio`, { method: 'DELETE', key })
    expectError(await speech({ voice: 'alloy' }, { key, headers }), 410, 'invalid_request')
  })

  it('may have 4096 characters, null for what it omits, and fields of other clients', async () => {
    const { key } = await server.makeAccount({ balance: 10_000 })
    const nothing = { response_format: null, speed: null, stream_format: null, instructions: null }
    const long = `${'a '.repeat(2000)}${' '.repeat(96)}`
    const answer = await speech({ ...nothing, input: long, provider_endpoint: 'http://x', lang_code: 'a' }, { key })
    expect([answer.status, answer.headers.get('x-units')]).toEqual([200, '4096'])
    expect((await speech({ instructions: 'Whisper.', speed: 0.5 }, { key })).status).toBe(200)
    expect((await speech({ speed: 2, voice: '' }, { key })).status).toBe(200)
  })
})

describe('voices', () => {
  const list = async (key: string | null) => (await server.ask('/v1/audio/voices', { key })).body as Json

  it('are the public ones without a key, in the shapes of all clients', async () => {
    const { object, voices, data } = await list(null)
    expect([object, data]).toEqual(['list', voices])
    const known = (await server.ask('/api/v1/voices', { key: null })).body.voices as Json[]
    expect(voices).toEqual(known.map(({ id, display_name: name }) => ({ id, name, object: 'voice' })))
    const { headers } = await server.ask('/v1/audio/voices', { key: null })
    expect(headers.get('cache-control')).toBe('public, max-age=60')
  })

  it('are those of the plan and the clones with a key, and OpenAI’s names stand for them in order', async () => {
    const plan = await server.admin('POST', '/groups', { name: 'two', voices: ['en-kevin', 'en-ross'] })
    const { key } = await server.makeAccount({ balance: 10_000, group: plan.id })
    const long = await speech({ input: 'The old house on the hill was sold last month.', response_format: 'wav' })
    const recording = await stored(`${long.headers.get('x-request-id')}.wav`)
    const form = new FormData()
    form.append('name', 'Mine')
    form.append('file', new Blob([Buffer.from(lasting(recording, 2 * sampleRate))]))
    const headers = { authorization: `Bearer ${key}` }
    const made = await fetch(`${server.baseUrl}/api/v1/voices/clone`, { method: 'POST', headers, body: form })
    const { voice } = (await made.json()) as Json
    const { voices } = await list(key)
    const ids = (voices as Json[]).map(({ id }) => id)
    expect(ids).toEqual([expect.any(String), expect.any(String), voice.id])
    expect([...ids].slice(0, 2).sort()).toEqual(['en-kevin', 'en-ross'])
    expect(voices[2].name).toBe('Mine')
    for (const [name, id] of [
      ['alloy', ids[0]],
      ['ballad', voice.id],
      ['coral', ids[0]],
      [voice.id, voice.id],
    ]) {
      expect((await speech({ input: 'Hi.', voice: name }, { key })).status).toBe(200)
      expect((await newestRecord(key)).voice_id).toBe(id)
    }
    expectError(await speech({ voice: 'en-clara' }, { key }), 403, 'invalid_request', 'voice')
    const nothing = await server.admin('POST', '/groups', { name: 'none', voices: [] })
    const empty = await server.makeAccount({ balance: 10, group: nothing.id })
    expectError(await speech({ voice: 'alloy' }, empty), 404, 'invalid_request', 'voice')
  })
})

describe('pages of other origins', () => {
  const preflight = (path: string, origin: string) =>
    open.ask(path, { method: 'OPTIONS', key: null, headers: { origin, 'access-control-request-method': 'POST' } })
  const permissionsOf = (headers: Headers) => headers.get('access-control-allow-origin')

  it('of the named ones may use both interfaces, without cookies', async () => {
    for (const path of ['/v1/audio/speech', '/api/v1/tts', '/v1/none']) {
      const { status, headers } = await preflight(path, page)
      expect([status, permissionsOf(headers)]).toEqual([204, page])
      expect(headers.get('access-control-allow-headers')).toContain('Authorization')
      expect(headers.get('access-control-allow-methods')).toContain('POST')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
    const origin = 'http://localhost:3000'
    const answer = await open.ask('/v1/audio/speech', { body: hello, headers: { origin } })
    expect([answer.status, permissionsOf(answer.headers)]).toEqual([200, origin])
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Units')
    for (const path of ['/api/v1/voices', '/v1/models', '/v1/none', '/api/v1/none'])
      expect(permissionsOf((await open.ask(path, { key: null, headers: { origin } })).headers)).toBe(origin)
    expect((await open.ask('/v1/audio/speech', { body: {}, headers: { origin } })).headers.get('vary')).toBe(
      'Authorization, Origin',
    )
  })

  it('of all others may not, and other paths stay closed', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://app.example', `${page}.evil.example`]) {
      const { status, headers } = await preflight('/v1/audio/speech', origin)
      expect([status, permissionsOf(headers)]).toEqual([405, null])
      expect(permissionsOf((await open.ask('/v1/models', { headers: { origin } })).headers)).toBeNull()
    }
    for (const path of ['/console', '/openapi.json', '/healthz'])
      expect(permissionsOf((await open.ask(path, { headers: { origin: page } })).headers)).toBeNull()
  })
})
