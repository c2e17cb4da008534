/** Packs that administrators send as files, over HTTP against the executable: until they speak, and what is refused. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { piperConfig } from '../onnx/piper'
import { tonesModel } from '../onnx/tones'
import { until } from '../until'
import { adminKey, expectError, startOn, type Answer, type Json, type Server } from './client'
import { cookieName, join } from './people-client'
import { sendRaw } from './raw'

setDefaultTimeout(60_000)

const key = adminKey.repeat(2)

let directory: string
let server: Server
beforeAll(async () => {
  directory = await mkdtemp(joinPath(tmpdir(), 'sonant-pack-uploads-'))
  server = await startOn(directory)
})
afterAll(async () => {
  const errors = server
    .log()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'))
  await server.stop()
  await rm(directory, { recursive: true })
  expect(errors).toEqual([])
})

const voices = () => joinPath(directory, 'data/voices')
const left = async () => (await readdir(voices())).filter((name) => name !== '.packs.json')
const graph = new Uint8Array(tonesModel())
const tones: Files = [
  ['en_US-sent-low.onnx', graph],
  ['en_US-sent-low.onnx.json', JSON.stringify(piperConfig())],
  ['MODEL_CARD', '* License: CC0\n'],
]

type Files = readonly (readonly [name: string, content: string | Uint8Array])[]

function formOf(files: Files): FormData {
  const form = new FormData()
  for (const [name, content] of files) form.append('file', new Blob([content as string]), name)
  return form
}

async function upload(
  name: string,
  body: BodyInit,
  headers: Record<string, string> = { authorization: `Bearer ${key}` },
) {
  const url = `${server.baseUrl}/api/v1/admin/packs/upload?${new URLSearchParams({ name })}`
  const response = await fetch(url, { method: 'POST', headers, body })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Json } satisfies Answer
}

const packs = async (): Promise<Json[]> => (await server.admin('GET', '/packs')).items

describe('an upload', () => {
  it('becomes a pack that speaks, also by the session of an administrator', async () => {
    const { id } = await server.makeAccount({ role: 'admin' })
    const { browser } = await join(server, id)
    const headers = { cookie: `${cookieName}=${browser.cookie()}`, origin: server.baseUrl }
    const foreign = await upload('sent', formOf(tones), { ...headers, origin: 'https://evil.example' })
    expectError(foreign, 403, 'permission_denied', 'Origin')
    const { status, body } = await upload('sent', formOf(tones), headers)
    expect([status, body.name, body.state]).toEqual([202, 'sent', 'checking'])
    const sent = async () => (await packs()).find(({ name }) => name === 'sent')
    await until(async () => (await sent()).state !== 'checking')
    expect(await sent()).toMatchObject({ state: 'ready', family: 'piper', license: 'CC0', voices: ['en-us-sent-low'] })
    const said = await server.ask('/api/v1/tts', { key, body: { text: 'Hello.', voice_id: 'en-us-sent-low' } })
    expect(said.status).toBe(200)
    expect((await readdir(joinPath(voices(), 'sent'))).sort()).toEqual(tones.map(([name]) => name).sort())
    const [act] = (await server.admin('GET', '/audit-log')).items.filter(({ act }: Json) => act === 'voices upload')
    expect(act).toMatchObject({ subject: 'sent', before: null, after: { files: 3, size_bytes: expect.any(Number) } })
    expect(act.actor).toStartWith(`account ${id}, person `)
    expectError(await upload('sent', formOf(tones)), 409, 'conflict', 'name')
  })

  it('that is no working pack is refused by its test, with the reason, and can be removed', async () => {
    const { status } = await upload('no-config', formOf([['model.onnx', graph]]))
    expect(status).toBe(202)
    const found = async () => (await packs()).find(({ name }) => name === 'no-config')
    await until(async () => (await found()).state === 'refused')
    expect((await found()).reason).toContain('model.onnx has no file beside it')
    expect((await server.admin('DELETE', '/packs/no-config')).deleted).toBe('no-config')
  })
})

describe('a refused upload leaves nothing', () => {
  it.each<[why: string, files: Files]>([
    ['no file', []],
    ['no model', [['config.json', '{}']]],
    ['a path out of the folder', [...tones, ['../evil.onnx', 'x']]],
    ['a hidden file', [...tones, ['.profile.json', 'x']]],
    ['another kind of file', [...tones, ['run.sh', 'x']]],
    ['the same name twice', [...tones, ...tones]],
    ['a folder in a folder', [...tones, ['a/b/c.bin', 'x']]],
  ])('%s', async (_why, files) => {
    const before = await left()
    expectError(await upload('refused', formOf(files)), 400, 'invalid_params', 'file')
    expect(await left()).toEqual(before)
  })

  it.each(['', '.', '../x', 'a/b', 'x.part', ' ', 'x'.repeat(101)])('the name %j', async (name) => {
    const before = await left()
    expectError(await upload(name, formOf(tones)), 400, 'invalid_params', 'name')
    expect(await left()).toEqual(before)
  })

  it('another name of the field, and a body that is no form', async () => {
    const before = await left()
    const form = new FormData()
    form.append('files', new Blob(['x']), 'model.onnx')
    expectError(await upload('refused', form), 400, 'invalid_params', 'file')
    expectError(await upload('refused', '{"file":"x"}'), 400, 'invalid_params', 'file')
    expect(await left()).toEqual(before)
  })

  const head = (length: number) =>
    `POST /api/v1/admin/packs/upload?name=raw HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
    `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n`
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="model.onnx"\r\n\r\n'

  it('one that is too large, before its bytes arrive', async () => {
    const before = await left()
    const { status, body } = await sendRaw(server.port, { head: head((1_000 << 20) + (2 << 20)), pieces: [part] })
    expect([status, JSON.parse(body).error]).toEqual([
      413,
      expect.objectContaining({ code: 'file_too_large', param: 'file' }),
    ])
    expect(await left()).toEqual(before)
  })

  it('one whose client leaves in the middle', async () => {
    const before = await left()
    const socket = connect(server.port, '127.0.0.1')
    socket.write(head(10_000_000) + part + 'x'.repeat(200_000))
    await until(async () => (await left()).some((name) => name.startsWith('.upload-')))
    socket.destroy()
    await until(async () => (await left()).length === before.length)
    expect(await left()).toEqual(before)
  })

  it('a third at the same time', async () => {
    const before = await left()
    const sockets = [1, 2].map(() => connect(server.port, '127.0.0.1'))
    for (const socket of sockets) socket.write(head(10_000_000) + part)
    await until(async () => (await left()).filter((name) => name.startsWith('.upload-')).length === 2)
    const refused = await upload('third', formOf(tones))
    expectError(refused, 429, 'rate_limited')
    expect(refused.headers.get('retry-after')).toBe('60')
    for (const socket of sockets) socket.destroy()
    await until(async () => (await left()).length === before.length)
  })
})
