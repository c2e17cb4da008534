/** The HTTP interface of the compiled executable, started from an empty directory. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { defaultVoiceId, startIn, startSonant, stopAndRemove, type Sonant } from './sonant'
import { until } from '../until'

let sonant: Sonant
beforeAll(async () => {
  sonant = await startSonant()
})
afterAll(() => stopAndRemove(sonant))

type ErrorBody = {
  error: { code: string; message: string; type: string; param: string | null; x_relay: { request_id: string } }
}

async function expectError(response: Response, status: number, code: string, param: string | null, type: string) {
  const { error } = (await response.json()) as ErrorBody
  expect({ status: response.status, code: error.code, param: error.param, type: error.type }).toEqual({
    status,
    code,
    param,
    type,
  })
  expect(error.x_relay.request_id).toMatch(/^[0-9a-f]{32}$/)
  expect(response.headers.get('x-request-id')).toBe(error.x_relay.request_id)
  expect(error.message.length).toBeGreaterThan(10)
  return error
}

describe('POST /api/v1/tts', () => {
  it('answers with the fields of the interface and a playable address', async () => {
    const response = await sonant.request('/api/v1/tts', { body: { text: 'Hello, world.' } })
    expect(response.status).toBe(200)
    const answer = (await response.json()) as Record<string, unknown>
    expect(Object.keys(answer).sort()).toEqual([
      'duration_ms',
      'remaining',
      'request_id',
      'speed',
      'units',
      'url',
      'voice_id',
    ])
    expect(answer).toMatchObject({ voice_id: defaultVoiceId, speed: 1, units: 13, remaining: 100_000 - 13 })
    expect(answer.request_id).toMatch(/^[0-9a-f]{12}7[0-9a-f]{19}$/)
    expect(response.headers.get('x-request-id')).toBe(answer.request_id as string)
    expect(answer.url).toBe(`${sonant.storageUrl}/${answer.request_id}.mp3`)
    expect(answer.duration_ms).toBeGreaterThan(0)
    const audio = await fetch(answer.url as string)
    expect(audio.status).toBe(200)
    expect(audio.headers.get('content-type')).toBe('audio/mpeg')
    expect((await audio.bytes()).length).toBeGreaterThan(4000)
  })

  it('counts code points', async () => {
    for (const [text, units] of [
      ['😀', 1],
      ['🇩🇪', 2],
      ['e\u0301', 2],
      ['  hi  ', 6],
      ['你好，world', 8],
    ] as const)
      expect((await sonant.speak({ text })).answer.units).toBe(units)
  })

  it('takes exactly 2000 characters', async () => {
    const text = `${'word '.repeat(399)}😀😀😀😀😀`
    expect((await sonant.speak({ text, voice_id: 'en-kevin' })).answer.units).toBe(2000)
  })

  it('ignores unknown fields and the Content-Type, and takes null or an empty voice_id for none', async () => {
    for (const voice_id of [null, '']) {
      const headers = { 'content-type': 'text/plain' }
      const response = await sonant.request('/api/v1/tts', { body: { text: 'Hi.', voice_id, colour: 'red' }, headers })
      expect(await response.json()).toMatchObject({ voice_id: defaultVoiceId })
    }
  })

  const badBodies: [name: string, body: unknown, code: string, param: string | null][] = [
    ['a missing text', {}, 'invalid_params', 'text'],
    ['a null text', { text: null }, 'invalid_params', 'text'],
    ['a number as text', { text: 5 }, 'invalid_params', 'text'],
    ['an array as text', { text: ['a'] }, 'invalid_params', 'text'],
    ['an empty text', { text: '' }, 'invalid_params', 'text'],
    ['a blank text', { text: '\u0085 \n\t\u00a0\u3000 ' }, 'invalid_params', 'text'],
    ['2001 characters', { text: 'a'.repeat(2001) }, 'invalid_params', 'text'],
    ['100,000 characters', { text: 'a'.repeat(100_000) }, 'invalid_params', 'text'],
    ['a lone surrogate', '{"text":"a\\ud800b"}', 'invalid_params', 'text'],
    ['a speed below 0.5', { text: 'a', speed: 0.49 }, 'invalid_speed', 'speed'],
    ['a speed above 2', { text: 'a', speed: 2.01 }, 'invalid_speed', 'speed'],
    ['a string as speed', { text: 'a', speed: '1.0' }, 'invalid_speed', 'speed'],
    ['a null speed', { text: 'a', speed: null }, 'invalid_speed', 'speed'],
    ['an endless speed', '{"text":"a","speed":1e999}', 'invalid_speed', 'speed'],
    ['an unknown format', { text: 'a', format: 'ogg' }, 'invalid_format', 'format'],
    ['a format in capitals', { text: 'a', format: 'MP3' }, 'invalid_format', 'format'],
    ['a null format', { text: 'a', format: null }, 'invalid_format', 'format'],
    ['a number as voice_id', { text: 'a', voice_id: 7 }, 'invalid_params', 'voice_id'],
    ['voice instead of voice_id', { text: 'a', voice: 'zh-mei' }, 'invalid_params', 'voice'],
    ['a misspelt speed', { text: 'a', spede: 1.5 }, 'invalid_params', 'spede'],
    ['input instead of text', { input: 'a' }, 'invalid_params', 'input'],
    ['no body', '', 'invalid_params', null],
  ]
  it.each(badBodies)('refuses %s', async (_name, body, code, param) => {
    const response = await sonant.request('/api/v1/tts', { method: 'POST', body })
    const error = await expectError(response, 400, code, param, 'invalid_request_error')
    if (param) expect(error.message).toStartWith(`${param}: `)
  })

  it('refuses a body over 1 MiB, announced or not', async () => {
    const body = JSON.stringify({ text: 'a'.repeat((1 << 20) + 1) })
    const announced = await sonant.request('/api/v1/tts', { body })
    await expectError(announced, 413, 'invalid_params', null, 'invalid_request_error')
    const streamed = await fetch(`${sonant.baseUrl}/api/v1/tts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sonant.apiKey}` },
      body: new ReadableStream({
        start(controller) {
          for (let i = 0; i < 20; i++) controller.enqueue(new Uint8Array(100_000).fill(32))
          controller.close()
        },
      }),
    })
    await expectError(streamed, 413, 'invalid_params', null, 'invalid_request_error')
  })

  it('answers 404 for an unknown voice', async () => {
    for (const voice_id of ['nobody', 'cv-123', 'script-any', '../en-ross', 'constructor']) {
      const response = await sonant.request('/api/v1/tts', { body: { text: 'Hi.', voice_id } })
      await expectError(response, 404, 'voice_not_found', 'voice_id', 'invalid_request_error')
    }
    const response = await sonant.request('/api/v1/tts', { body: { text: 'Hi.', voice_id: 'x'.repeat(100_000) } })
    const error = await expectError(response, 404, 'voice_not_found', 'voice_id', 'invalid_request_error')
    expect(error.message.length).toBeLessThan(200)
  })
})

describe('GET /api/v1/voices', () => {
  type Voice = Record<string, string | number | boolean | null>
  const list = async (path = '/api/v1/voices') =>
    (await (await sonant.request(path)).json()) as { voices: Voice[]; total: number }

  it('lists the catalogue, the best English voice first', async () => {
    const { voices, total } = await list()
    expect(total).toBe(voices.length)
    expect(voices[0]).toMatchObject({ id: defaultVoiceId, language: 'en-US', featured: false })
    const languages = new Map<string, Voice[]>()
    for (const voice of voices) {
      const language = String(voice.language).split('-')[0]!
      languages.set(language, [...(languages.get(language) ?? []), voice])
    }
    expect(languages.get('en')!.length).toBeGreaterThanOrEqual(6)
    expect(new Set(languages.get('zh')!.map(({ gender }) => gender))).toEqual(new Set(['female', 'male']))
    expect(languages.size).toBeGreaterThanOrEqual(22)
    for (const { id } of voices) expect(id).toMatch(/^[a-z0-9][a-z0-9._-]{0,63}$/)
    expect(new Set(voices.map(({ id }) => id)).size).toBe(total)
  })

  it('caches the anonymous list for a minute and the personal one not at all', async () => {
    const anonymous = await fetch(`${sonant.baseUrl}/api/v1/voices`)
    expect(anonymous.headers.get('cache-control')).toBe('public, max-age=60')
    expect(anonymous.headers.get('vary')).toBe('Authorization')
    const personal = await sonant.request('/api/v1/voices')
    expect(personal.headers.get('cache-control')).toBe('private, no-store')
  })

  it('allows groups for administrators only', async () => {
    const anonymous = await fetch(`${sonant.baseUrl}/api/v1/voices?group=all`)
    await expectError(anonymous, 403, 'group_forbidden', 'group', 'permission_error')
    expect((await list('/api/v1/voices?group=all')).total).toBe((await list()).total)
    const unknown = await sonant.request('/api/v1/voices?group=gold')
    await expectError(unknown, 404, 'group_not_found', 'group', 'invalid_request_error')
  })
})

describe('stored audio', () => {
  it('is immutable, anonymous, and served with ranges', async () => {
    const { answer, audio } = await sonant.speak({ text: 'A range of things.' })
    const url = answer.url as string
    const head = await fetch(url, { method: 'HEAD' })
    expect(Object.fromEntries(head.headers)).toMatchObject({
      'content-length': String(audio.length),
      'content-type': 'audio/mpeg',
      'cache-control': 'public, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    })
    const etag = head.headers.get('etag')!
    expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304)
    for (const [range, start, end] of [
      ['bytes=0-99', 0, 100],
      ['bytes=100-', 100, audio.length],
      ['bytes=-10', audio.length - 10, audio.length],
      ['bytes=0-999999999', 0, audio.length],
    ] as const) {
      const part = await fetch(url, { headers: { range } })
      expect(part.status).toBe(206)
      expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${audio.length}`)
      expect(Buffer.compare(await part.bytes(), audio.subarray(start, end))).toBe(0)
    }
    const beyond = await fetch(url, { headers: { range: 'bytes=999999999-' } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${audio.length}`])
    for (const headers of [
      { range: 'bytes=0-1,5-6' },
      { range: 'lines=1-2' },
      { range: 'bytes=0-9', 'if-range': '"x"' },
    ]) {
      const whole = await fetch(url, { headers: headers as Record<string, string> })
      expect([whole.status, (await whole.bytes()).length]).toEqual([200, audio.length])
    }
  })

  it('serves nothing outside its directory', async () => {
    const paths = ['../sonant.db', '%2e%2e/sonant.db', '..%2fsonant.db', 'demos/../../sonant.db', '/etc/passwd', '']
    for (const path of [
      ...paths,
      '..\\sonant.db',
      'nothing.mp3',
      'demos/',
      'demos/en-ross-0000000000000000.mp3',
      'a%00.mp3',
    ]) {
      const response = await fetch(`${sonant.storageUrl}/${path}`)
      expect([path, response.status]).toEqual([path, 404])
    }
  })
})

describe('the server', () => {
  it('answers with its version', async () => {
    const answer = await (await sonant.request('/api/v1/version')).json()
    expect(answer).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      api: ['v1'],
      commit: expect.any(String),
    })
  })

  it('stores no plain key and prints it only once', async () => {
    const db = await Bun.file(`${sonant.directory}/data/sonant.db`).bytes()
    const wal = await Bun.file(`${sonant.directory}/data/sonant.db-wal`).bytes()
    expect(Buffer.concat([db, wal]).includes(sonant.apiKey)).toBe(false)
    const again = await startSonant()
    await again.stop()
    const second = await startIn(again.directory, { apiKey: again.apiKey })
    expect(second.log()).not.toContain('sk-')
    expect((await second.request('/api/v1/tts', { body: { text: 'Still valid.', voice_id: 'en-kevin' } })).status).toBe(
      200,
    )
    await stopAndRemove(second)
  })

  it('logs each API request with its id and status', async () => {
    const response = await sonant.request('/api/v1/tts', { body: { text: 'Hi.', speed: 9 } })
    const requestId = response.headers.get('x-request-id')!
    await until(() => sonant.log().includes(requestId))
    const line = sonant
      .log()
      .split('\n')
      .find((entry) => entry.includes(requestId))!
    expect(JSON.parse(line)).toMatchObject({ level: 'info', requestId, path: '/api/v1/tts', status: 400 })
  })

  it('never logs the text', () => {
    expect(sonant.log()).not.toContain('range of things')
  })
})
