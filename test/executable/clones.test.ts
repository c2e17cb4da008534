/** Cloned voices, against the executable: all sources, access, cost, and refusals. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { limits } from '../../src/config'
import { medianPitchHz, readWav } from '../sound'
import { until } from '../until'
import { query } from './books'
import { adminKey, expectError, instantPattern, startServer, uuid, type Answer, type Json, type Server } from './client'
import { cookieName, join } from './people-client'
import { hashOf, lasting, recordVoice, sampleRate, samplesOf, variant, wavOf } from './recordings'

setDefaultTimeout(60_000)

let server: Server
let female: Uint8Array
let male: Uint8Array
beforeAll(async () => {
  server = await startServer()
  ;[female, male] = await Promise.all([recordVoice(server, 'en-clara'), recordVoice(server, 'en-kevin')])
})
afterAll(() => server.stop())

type Parts = Record<string, string | Blob>

/** A form with the file and `fields`. */
async function upload(to: Server, key: string, file: Uint8Array | undefined, fields: Parts = { name: 'Voice' }) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (file) form.append('file', new Blob([Buffer.from(file)]), 'recording.bin')
  const headers = { authorization: `Bearer ${key}` }
  return asAnswer(await fetch(`${to.baseUrl}/api/v1/voices/clone`, { method: 'POST', headers, body: form }))
}

async function asAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text ? JSON.parse(text) : undefined }
}

const make = (key: string, body: Json) => server.ask('/api/v1/voices/clone', { key, body })
const remove = (key: string, id: string) => server.ask(`/api/v1/voices/clone?voice_id=${id}`, { key, method: 'DELETE' })
const precheck = (key: string, hash: string) => server.ask(`/api/v1/voices/clone/precheck?hash=${hash}`, { key })
const listed = async (key: string | null): Promise<Json[]> => (await server.ask('/api/v1/voices', { key })).body.voices
const records = async (key: string): Promise<Json[]> => (await server.ask('/api/v1/usage', { key })).body.records
const balanceOf = async (key: string) => (await server.ask('/api/v1/balance', { key })).body.balance as number
/** Whether a request has begun: its units are held. */
function isHolding(): boolean {
  const line = server
    .log()
    .split('\n')
    .find((one) => one.includes('"msg":"ready"'))
  const { dataDirectory } = JSON.parse(line!) as { dataDirectory: string }
  return query(dataDirectory, "SELECT 1 FROM holds WHERE status = 'held'").length > 0
}
const cloneOf = async (key: string, file: Uint8Array, fields?: Parts): Promise<Json> => {
  const { status, body, text } = await upload(server, key, file, fields)
  if (status !== 200) throw new Error(text)
  return body
}

describe('an upload', () => {
  it('makes a voice with a demo, listed last and only for its account, for 300 characters', async () => {
    const { key, keyId } = await server.makeAccount({ balance: 1000 })
    const { status, body, headers } = await upload(server, key, female, { name: '  Clara two ', language: 'en-GB' })
    expect([status, body]).toEqual([
      200,
      {
        ok: true,
        duplicate: false,
        voice: {
          id: expect.stringMatching(/^cv-[0-9a-f]{32}$/),
          display_name: 'Clara two',
          demo_url: expect.stringMatching(/\/audio\/demos\/cv-[0-9a-f]{32}-[0-9a-f]{32}\.mp3$/),
          duration_sec: Math.round((samplesOf(female).length / sampleRate) * 1000) / 1000,
          created_at: expect.stringMatching(instantPattern),
          language: 'en-GB',
          gender: 'female',
          method: 'adapted',
          warnings: expect.any(Array),
        },
        units: 300,
        remaining: 700,
      },
    ])
    const demo = await fetch(body.voice.demo_url)
    expect([demo.status, demo.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
    expect((await demo.bytes()).length).toBeGreaterThan(5_000)

    const voices = await listed(key)
    expect(voices.at(-1)).toEqual({
      ...body.voice,
      featured: false,
      owned: true,
      engine: expect.any(String),
      sample_rate: expect.any(Number),
      description: null,
      deterministic: true,
    })
    expect(voices.filter(({ owned }) => owned !== undefined)).toHaveLength(1)
    for (const other of [(await server.makeAccount()).key, adminKey, null])
      expect((await listed(other)).filter(({ id }) => id.startsWith('cv-'))).toEqual([])

    const { records } = (await server.ask('/api/v1/usage', { key })).body
    expect(records).toEqual([
      {
        request_id: headers.get('x-request-id'),
        kind: 'clone',
        created_at: expect.stringMatching(instantPattern),
        key_id: keyId,
        voice_id: body.voice.id,
        characters: 300,
        units: 300,
        speed: null,
        format: null,
        url: null,
        audio_ms: null,
        duration_ms: expect.any(Number),
        surface: 'api',
        status: 'charged',
        error_code: null,
      },
    ])
    expect(keyId).toMatch(uuid)
  })

  it('makes a voice with the pitch of the recording, in every script, at the usual price', async () => {
    const { key } = await server.makeAccount({ balance: 2000 })
    const text = 'We are going to visit our friends in the city tomorrow, and then we come home.'
    for (const recording of [female, male]) {
      const { voice } = await cloneOf(key, recording)
      const speak = (body: Json) =>
        server.ask('/api/v1/tts', { key, body: { voice_id: voice.id, format: 'wav', ...body } })
      const { body } = await speak({ text })
      expect(body).toMatchObject({ voice_id: voice.id, units: text.length })
      const spoken = readWav(await (await fetch(body.url)).bytes())
      const semitones = 12 * Math.log2(medianPitchHz(spoken) / medianPitchHz(readWav(recording)))
      expect(Math.abs(semitones)).toBeLessThan(2)
      const mixed = readWav(await (await fetch((await speak({ text: '你好，我们去公园。Hello.' })).body.url)).bytes())
      expect(mixed.samples.length / mixed.sampleRate).toBeGreaterThan(1.5)
      expect(Math.abs(12 * Math.log2(medianPitchHz(mixed) / medianPitchHz(readWav(recording))))).toBeLessThan(4)
    }
  })

  it('speaks the given language, else that of the script of its name, else English', async () => {
    const { key } = await server.makeAccount({ balance: 1000 })
    const languages: string[] = []
    for (const [seed, fields] of [
      [11, { name: '小梅' }],
      [12, { name: 'Anna', language: 'ZH-cn' }],
      [13, { name: 'Anna 安娜', language: '' }],
    ] as [number, Parts][])
      languages.push((await cloneOf(key, variant(female, seed), fields)).voice.language)
    expect(languages).toEqual(['zh-CN', 'zh-CN', 'en'])
  })

  it('of the same bytes is free, answers with the existing voice, and needs no balance', async () => {
    const { key } = await server.makeAccount({ balance: 300 })
    const first = await cloneOf(key, male)
    const again = await cloneOf(key, male, { name: 'Another name' })
    expect(again).toEqual({ ok: true, duplicate: true, voice: first.voice, units: 0, remaining: 0 })
    const { records } = (await server.ask('/api/v1/usage', { key })).body
    expect(records.map(({ units, status, voice_id }: Json) => [units, status, voice_id])).toEqual([
      [0, 'charged', first.voice.id],
      [300, 'charged', first.voice.id],
    ])
  })

  it('sent five times at once makes one voice and one charge', async () => {
    const { key } = await server.makeAccount({ balance: 2000 })
    const recording = variant(male, 1)
    const answers = await Promise.all(Array.from({ length: 5 }, () => cloneOf(key, recording)))
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
    expect(new Set(answers.map(({ voice }) => voice.id)).size).toBe(1)
    expect(await balanceOf(key)).toBe(1700)
  })

  it('is refused with 402 at a balance of 299, and the file stays unknown', async () => {
    const { key } = await server.makeAccount({ balance: 299 })
    const recording = variant(male, 2)
    expectError(await upload(server, key, recording), 402, 'insufficient_balance')
    expect(await balanceOf(key)).toBe(299)
    expect((await precheck(key, hashOf(recording))).body).toEqual({
      exists: false,
      own_voice: null,
      fee_units: 300,
      voice_count: 0,
    })
  })

  it('may be exactly 15 seconds long, and needs at least a second of sound', async () => {
    const { key } = await server.makeAccount({ balance: 1000 })
    const exact = await cloneOf(key, lasting(female, 15 * sampleRate))
    expect(exact.voice.duration_sec).toBe(15)
    expectError(await upload(server, key, lasting(female, 15 * sampleRate + 1)), 400, 'duration_exceeded', 'file')
    expectError(await upload(server, key, lasting(female, sampleRate / 2)), 400, 'audio_parse_failed', 'file')
    expectError(await upload(server, key, wavOf(new Float32Array(3 * sampleRate))), 400, 'audio_parse_failed', 'file')
    expect(await balanceOf(key)).toBe(700)
  })

  it.each([
    ['an empty file', new Uint8Array(0)],
    ['a text', Buffer.from('Hello, I am no sound.'.repeat(100))],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n'.repeat(100), 'latin1')],
    ['noise', crypto.getRandomValues(new Uint8Array(50_000))],
  ])('that is %s is unsupported_audio', async (_, bytes) => {
    expectError(await upload(server, adminKey, bytes), 400, 'unsupported_audio', 'file')
  })

  it('over 15 MiB is 413, and one of exactly 15 MiB passes the size check', async () => {
    const tooLarge = Buffer.concat([male, new Uint8Array(15 * 2 ** 20 + 1 - male.length)])
    expectError(await upload(server, adminKey, tooLarge), 413, 'file_too_large', 'file')
    // Any bytes may follow the sound of a WAV.
    const largest = Buffer.concat([lasting(male, 5 * sampleRate), new Uint8Array(15 * 2 ** 20)]).subarray(
      0,
      15 * 2 ** 20,
    )
    const { key } = await server.makeAccount({ balance: 300 })
    expect((await upload(server, key, largest)).status).toBe(200)
  })

  it('in chunks that is over 15 MiB is 413, also for a client that sends all of it before it reads', async () => {
    for (let i = 0; i < 3; i++) {
      const { answer } = await uploadInChunks(limits.referenceBytesMax + limits.refusedChunksBytesMax / 2)
      expect(answer).toStartWith('HTTP/1.1 413')
      expect(answer).toContain('"code":"file_too_large"')
    }
  })

  it('without an end is cut off; the answer may be lost to a client that never stops sending', async () => {
    for (let i = 0; i < 3; i++) {
      const { answer, sentBytes } = await uploadInChunks(Infinity)
      expect(sentBytes).toBeLessThanOrEqual(
        limits.referenceBytesMax + limits.refusedChunksBytesMax + (await socketBytesMax()) + spareBytes,
      )
      expect(answer).toMatch(/^(HTTP\/1\.1 413|$)/)
    }
  })

  const pieceBytes = 1 << 18
  /** The head of the form, and a piece each that the client and the server hold. */
  const spareBytes = 3 * pieceBytes

  /** Bytes that the system accepts of a connection and that nobody has read, on both ends together. */
  async function socketBytesMax(): Promise<number> {
    const sizes = ['rmem', 'wmem'].map((name) =>
      readFile(`/proc/sys/net/ipv4/tcp_${name}`, 'utf8').catch(() => '0 0 8388608'),
    )
    return (await Promise.all(sizes)).reduce((sum, text) => sum + Number(text.trim().split(/\s+/).at(-1)), 0)
  }

  /** Sends a form of at least `sizeBytes` in chunks, one without an end until the answer, and waits for the answer. */
  async function uploadInChunks(sizeBytes: number): Promise<{ answer: string; sentBytes: number }> {
    const socket = connect(server.port, '127.0.0.1')
    let answer = ''
    let sentBytes = 0
    const ended = Promise.withResolvers<void>()
    socket.on('data', (data) => {
      answer += data.toString('latin1')
      if (answer.endsWith('}')) ended.resolve()
    })
    for (const event of ['close', 'error'] as const) socket.on(event, () => ended.resolve())
    socket.write(
      `POST /api/v1/voices/clone HTTP/1.1\r\nHost: tts\r\nAuthorization: Bearer ${adminKey}\r\n` +
        'Content-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n',
    )
    const send = (bytes: Uint8Array | string): boolean => {
      const chunk = Buffer.from(bytes as string)
      sentBytes += chunk.length
      return socket.write(Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]))
    }
    send('--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n')
    const piece = new Uint8Array(pieceBytes)
    const isWanted = () => (sizeBytes < Infinity ? sentBytes < sizeBytes : answer === '' && sentBytes < 200 * 2 ** 20)
    while (!socket.destroyed && isWanted()) {
      const drained = new Promise<void>((resolve) => socket.once('drain', resolve))
      // Otherwise the client would not read the answer while it still has data to send.
      await (send(piece) ? new Promise((resolve) => setImmediate(resolve)) : Promise.race([drained, ended.promise]))
    }
    if (Number.isFinite(sizeBytes)) socket.write('0\r\n\r\n')
    await ended.promise
    socket.destroy()
    return { answer, sentBytes }
  }
})

describe('the other fields', () => {
  it.each([
    ['no name', {}, 'name'],
    ['a blank name', { name: '  ' }, 'name'],
    ['a name of 65 characters', { name: '😀'.repeat(65) }, 'name'],
    ...[...'\\/:*?"<>|\n\t\u007f'].map(
      (character) => [`a name with ${character}`, { name: `a${character}b` }, 'name'] as const,
    ),
    ['an unknown language', { name: 'n', language: 'xx' }, 'language'],
    ['a language that is none', { name: 'n', language: 'en-!!garbage' }, 'language'],
    ['a url too', { name: 'n', url: 'http://example.com/a.wav' }, 'url'],
    ['a hash too', { name: 'n', hash: '0'.repeat(64) }, 'hash'],
  ] as [string, Parts, string][])('with a file, %s, is invalid_params', async (_, fields, param) => {
    expectError(await upload(server, adminKey, male, fields), 400, 'invalid_params', param)
  })

  it.each([
    ['nothing', {}, 'file'],
    ['no source', { name: 'n' }, 'file'],
    ['both sources', { name: 'n', url: 'http://example.com/', hash: '0'.repeat(64) }, 'hash'],
    ['a number for a name', { name: 7, hash: '0'.repeat(64) }, 'name'],
    ['a short hash', { name: 'n', hash: 'abc' }, 'hash'],
    ['a url that is none', { name: 'n', url: 7 }, 'url'],
  ] as [string, Json, string][])('as JSON, %s, is invalid_params', async (_, body, param) => {
    expectError(await make(adminKey, body), 400, 'invalid_params', param)
  })

  it('are refused in an invalid form', async () => {
    const send = (body: string, type = 'multipart/form-data; boundary=b') =>
      server.ask('/api/v1/voices/clone', { key: adminKey, body, headers: { 'content-type': type } })
    for (const [body, type] of [
      ['', undefined],
      ['no form at all', undefined],
      ['--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nx', undefined],
      ['--b--\r\n', undefined],
      ['--b\r\n\r\n\r\n--b--\r\n', 'multipart/form-data'],
      ['--b\r\nContent-Disposition: form-data; name="other"; filename="a"\r\n\r\nx\r\n--b--\r\n', undefined],
      [`--b\r\nContent-Disposition: form-data; name="name"\r\n\r\n${'x'.repeat(9000)}\r\n--b--\r\n`, undefined],
      ['--b\r\nContent-Disposition: form-data; name="x"\r\n\r\nx\r\n'.repeat(40) + '--b--\r\n', undefined],
    ] as [string, string | undefined][]) {
      const answer = await send(body, type)
      expect([body.slice(0, 60), answer.status, answer.body?.error?.code]).toEqual([
        body.slice(0, 60),
        400,
        'invalid_params',
      ])
    }
  })
})

describe('a hash', () => {
  it('stands for a stored file, for every account, at the usual price', async () => {
    const [owner, other] = [await server.makeAccount({ balance: 300 }), await server.makeAccount({ balance: 600 })]
    const recording = variant(female, 3)
    const hash = hashOf(recording)
    expectError(await make(other.key, { name: 'n', hash }), 404, 'invalid_params', 'hash')
    const { voice } = await cloneOf(owner.key, recording)
    expect((await precheck(owner.key, hash.toUpperCase())).body).toEqual({
      exists: true,
      own_voice: voice,
      fee_units: 0,
      voice_count: 1,
    })
    expect((await precheck(other.key, hash)).body).toEqual({
      exists: true,
      own_voice: null,
      fee_units: 300,
      voice_count: 0,
    })
    const { body } = await make(other.key, { name: 'Mine', hash: hash.toUpperCase() })
    expect(body).toMatchObject({ duplicate: false, units: 300, remaining: 300, voice: { display_name: 'Mine' } })
    expect(body.voice.id).not.toBe(voice.id)
    expectError(await precheck(owner.key, 'abc'), 400, 'invalid_params', 'hash')
    expectError(await server.ask('/api/v1/voices/clone/precheck'), 400, 'invalid_params', 'hash')
  })
})

describe('a cloned voice', () => {
  it('is hidden from other accounts of every role', async () => {
    const { key } = await server.makeAccount({ balance: 300 })
    const { voice } = await cloneOf(key, variant(female, 4))
    for (const other of [adminKey, (await server.makeAccount({ balance: 50 })).key]) {
      const speak = await server.ask('/api/v1/tts', { key: other, body: { text: 'Hi.', voice_id: voice.id } })
      expectError(speak, 404, 'voice_not_found', 'voice_id')
      expectError(await remove(other, voice.id), 404, 'voice_not_found', 'voice_id')
    }
  })

  it('is deleted with its demo, without a refund', async () => {
    const { key } = await server.makeAccount({ balance: 700 })
    const recording = variant(female, 5)
    const { voice } = await cloneOf(key, recording)
    expect((await remove(key, voice.id)).body).toEqual({ ok: true, deleted: voice.id })
    expectError(await remove(key, voice.id), 404, 'voice_not_found', 'voice_id')
    expectError(
      await server.ask('/api/v1/tts', { key, body: { text: 'Hi.', voice_id: voice.id } }),
      404,
      'voice_not_found',
      'voice_id',
    )
    expect((await fetch(voice.demo_url)).status).toBe(404)
    expect((await listed(key)).filter(({ owned }) => owned)).toEqual([])
    expect((await precheck(key, hashOf(recording))).body).toMatchObject({
      exists: false,
      own_voice: null,
      voice_count: 0,
    })
    const again = await cloneOf(key, recording)
    expect(again).toMatchObject({ duplicate: false, units: 300, remaining: 100 })
    expect(again.voice.id).not.toBe(voice.id)
    expectError(await remove(key, ''), 400, 'invalid_params', 'voice_id')
    expectError(await server.ask('/api/v1/voices/clone', { key, method: 'DELETE' }), 400, 'invalid_params', 'voice_id')
  })

  it('leaves its recording to other clones', async () => {
    const [a, b] = [await server.makeAccount({ balance: 300 }), await server.makeAccount({ balance: 300 })]
    const recording = variant(female, 6)
    const hash = hashOf(recording)
    const first = await cloneOf(a.key, recording)
    const second = (await make(b.key, { name: 'b', hash })).body
    await remove(a.key, first.voice.id)
    expect((await precheck(a.key, hash)).body.exists).toBe(true)
    await remove(b.key, second.voice.id)
    expect((await precheck(a.key, hash)).body.exists).toBe(false)
  })

  it('that is deleted during a request finishes the request', async () => {
    const { key } = await server.makeAccount({ balance: 2500 })
    const { voice } = await cloneOf(key, variant(male, 7))
    const text = 'This takes a while to say, and while it is being said the voice is deleted. '.repeat(8)
    const speaking = server.ask('/api/v1/tts', { key, body: { text, voice_id: voice.id } })
    await until(isHolding)
    expect((await remove(key, voice.id)).status).toBe(200)
    expect((await speaking).body).toMatchObject({ voice_id: voice.id, units: text.length })
  })
})

describe('the recording of a clone', () => {
  const pathOf = (id: string) => `/api/v1/voices/clone/${id}/recording`
  const hear = (key: string, id: string, init: RequestInit = {}) =>
    fetch(server.baseUrl + pathOf(id), { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } })

  it('is heard by the account of the clone, whole or in ranges, and kept by no cache', async () => {
    const { id: accountId, key } = await server.makeAccount({ balance: 1000 })
    const { voice } = await cloneOf(key, female)
    const { browser } = await join(server, accountId)
    const headers = { authorization: `Bearer ${key}`, cookie: '' }
    const bySession = { authorization: '', cookie: `${cookieName}=${browser.cookie()}` }
    for (const each of [headers, bySession]) {
      const sent = Object.fromEntries(Object.entries(each).filter(([, value]) => value !== ''))
      const answer = await fetch(server.baseUrl + pathOf(voice.id), { headers: sent })
      expect(Object.fromEntries([...answer.headers].filter(([name]) => !name.startsWith('x-request')))).toMatchObject({
        'content-type': 'audio/wav',
        'content-length': String(female.length),
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
      })
      expect(answer.headers.has('access-control-allow-origin')).toBe(false)
      expect(Buffer.from(await answer.bytes()).equals(Buffer.from(female))).toBe(true)
    }
    const part = await hear(key, voice.id, { headers: { range: 'bytes=4-43' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 4-43/${female.length}`])
    expect(Buffer.from(await part.bytes()).equals(Buffer.from(female.subarray(4, 44)))).toBe(true)
    const head = await hear(key, voice.id, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'audio/wav', ''])
    const beyond = await asAnswer(await hear(key, voice.id, { headers: { range: `bytes=${female.length}-` } }))
    expectError(beyond, 416, 'invalid_request', 'Range')
  })

  it('is not found by others, without it, and after it was deleted', async () => {
    const [{ id, key }, other] = [await server.makeAccount({ balance: 1000 }), await server.makeAccount()]
    const { voice } = await cloneOf(key, male)
    const { items } = await server.admin('GET', `/clones?account_id=${id}`)
    expect(items).toMatchObject([{ id: voice.id, demo_url: voice.demo_url, has_recording: true }])
    const messages = new Set<string>()
    const expectNothing = async (by: string, id: string) => {
      const answer = await asAnswer(await hear(by, id))
      expectError(answer, 404, 'not_found')
      messages.add(answer.body.error.message)
    }
    for (const by of [other.key, adminKey]) await expectNothing(by, voice.id)
    await expectNothing(key, 'en-ross')
    await server.admin('POST', `/clones/${voice.id}/purge`)
    await expectNothing(key, voice.id)
    const { voice: second } = await cloneOf(key, variant(male, 51))
    expect((await remove(key, second.id)).status).toBe(200)
    await expectNothing(key, second.id)
    expect(messages.size).toBe(1)
  })
})

describe('limits', () => {
  it('apply to the clones of an account and the calls of a key', async () => {
    const own = await startServer(['--clones-max', '1', '--limit-clone', '3'])
    const { key } = await own.makeAccount({ balance: 1000 })
    expect((await upload(own, key, male)).status).toBe(200)
    expect((await upload(own, key, male)).body.duplicate).toBe(true)
    expectError(await upload(own, key, female), 409, 'conflict')
    expectError(await upload(own, key, male), 429, 'rate_limited')
    expect((await own.ask('/api/v1/balance', { key })).body.balance).toBe(700)
    await own.stop()
  })
})

describe('an account that may have three clones', () => {
  it('gets no more by six requests at once', async () => {
    const own = await startServer(['--clones-max', '3'])
    const { key } = await own.makeAccount({ balance: 10_000 })
    const answers = await Promise.all([21, 22, 23, 24, 25, 26].map((seed) => upload(own, key, variant(male, seed))))
    const refused = answers.filter(({ status }) => status !== 200)
    for (const answer of refused) expectError(answer, 409, 'conflict')
    expect(refused).toHaveLength(3)
    expect((await own.ask('/api/v1/balance', { key })).body.balance).toBe(10_000 - 3 * 300)
    expect((await own.ask('/api/v1/usage', { key })).body.records).toHaveLength(3)
    await own.stop()
  })
})

describe('a client that leaves', () => {
  it('before enrolment begins pays nothing', async () => {
    const { key } = await server.makeAccount({ balance: 300 })
    const form = new FormData()
    form.append('name', 'n')
    form.append('file', new Blob([Buffer.from(variant(male, 31))]))
    const leaving = new AbortController()
    const headers = { authorization: `Bearer ${key}`, 'x-sonant-fault': 'latency=1500' }
    const init = { method: 'POST', headers, body: form, signal: leaving.signal }
    const asked = fetch(`${server.baseUrl}/api/v1/voices/clone`, init).catch(() => undefined)
    // The units are held while the fault delays the enrolment.
    await until(isHolding)
    leaving.abort()
    await asked
    await until(async () => (await records(key)).length > 0)
    expect(await records(key)).toMatchObject([{ status: 'failed', units: 0, error_code: 'client_gone' }])
    expect(await balanceOf(key)).toBe(300)
  })
})

describe('faults on demand', () => {
  it.each([
    ['render_failed', 502, 'render_failed', 41],
    ['storage_failed', 502, 'storage_failed', 42],
    ['charge_failed', 500, 'internal_error', 43],
  ])('%s leaves no voice, no charge and no file', async (fault, status, code, seed) => {
    const { key } = await server.makeAccount({ balance: 300 })
    const recording = variant(male, seed)
    const form = new FormData()
    form.append('name', 'n')
    form.append('file', new Blob([Buffer.from(recording)]))
    const headers = { authorization: `Bearer ${key}`, 'x-sonant-fault': fault }
    const answer = await asAnswer(
      await fetch(`${server.baseUrl}/api/v1/voices/clone`, { method: 'POST', headers, body: form }),
    )
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
    expect(await records(key)).toMatchObject([{ kind: 'clone', status: 'failed', units: 0, error_code: code }])
    expect(await balanceOf(key)).toBe(300)
    expect((await precheck(key, hashOf(recording))).body.exists).toBe(false)
    expect((await upload(server, key, recording)).status).toBe(200)
  })
})

describe('without voice_id', () => {
  it('the oldest clone speaks for an empty plan, also in the estimate; without one it is 404', async () => {
    const { id: group } = await server.admin('POST', '/groups', { name: 'nothing but clones', voices: [] })
    const { key } = await server.makeAccount({ group, balance: 1000 })
    const voicesUsed = async () => {
      const answers = [
        await server.ask('/api/v1/tts', { key, body: { text: 'Hi.' } }),
        await server.ask('/api/v1/tts/estimate', { key, body: { text: 'Hi.', voice_id: null } }),
      ]
      return answers.map(({ status, body }) => body.voice_id ?? `${status} ${body.error.code}`)
    }
    expect(await voicesUsed()).toEqual(['404 voice_not_found', '404 voice_not_found'])
    const { voice: first } = await cloneOf(key, female)
    expect(await voicesUsed()).toEqual([first.id, first.id])
    const { voice: second } = await cloneOf(key, male)
    expect((await listed(key)).map(({ id }) => id)).toEqual([first.id, second.id])
    expect(await voicesUsed()).toEqual([first.id, first.id])
    expect((await remove(key, first.id)).status).toBe(200)
    expect(await voicesUsed()).toEqual([second.id, second.id])
    await server.admin('PATCH', `/groups/${group}`, { voices: ['en-ross'] })
    expect(await voicesUsed()).toEqual(['en-ross', 'en-ross'])
  })
})
