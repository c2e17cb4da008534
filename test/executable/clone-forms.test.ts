/** Malformed forms: each gets an answer, none leaves a file, and none harms the server. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminKey, startOn, type Server } from './client'

setDefaultTimeout(60_000)

let directory: string
let server: Server
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-forms-'))
  server = await startOn(directory)
})
afterAll(async () => {
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})

const part = (disposition: string, body: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${body}\r\n`
const file = part('name="file"; filename="a.wav"', 'RIFF'.repeat(200), 'Content-Type: audio/wav\r\n')
const name = part('name="name"', 'Voice')
const whole = `${name}${file}--b--\r\n`

async function send(body: string | Uint8Array, type = 'multipart/form-data; boundary=b') {
  const headers = { authorization: `Bearer ${adminKey.repeat(2)}`, 'content-type': type }
  const url = `${server.baseUrl}/api/v1/voices/clone`
  const response = await fetch(url, { method: 'POST', headers, body: Buffer.from(body as string, 'latin1') })
  return { status: response.status, code: ((await response.json()) as { error: { code: string } }).error.code }
}

it('is refused for its sound when the form is valid', async () => {
  expect(await send(whole)).toEqual({ status: 400, code: 'unsupported_audio' })
})

it.each([
  ['two files', `${name}${file}${file}--b--\r\n`],
  ['a file under another name', whole.replace('name="file"', 'name="upload"')],
  ['no end', whole.slice(0, -8)],
  ['an end within the file', whole.slice(0, 300)],
  ['a field that ends nowhere', `${name.slice(0, -2)}`],
  ['twenty fields', `${name.repeat(20)}${file}--b--\r\n`],
  ['a name of a kilobyte', part(`name="${'n'.repeat(1024)}"`, 'x') + whole],
  ['a header of 100 kB', whole.replace('Content-Type: audio/wav', `X: ${'x'.repeat(1e5)}`)],
  ['a hundred headers', whole.replace('Content-Type: audio/wav', 'X: y\r\n'.repeat(100) + 'Z: z')],
  ['no headers', '--b\r\n\r\nx\r\n--b--\r\n'],
  ['only boundaries', '--b\r\n'.repeat(1000)],
  ['another boundary', whole.replaceAll('--b', '--c')],
])('with %s is refused, and nothing of it is kept', async (_, body) => {
  const { status, code } = await send(body)
  expect([status, ['invalid_params', 'unsupported_audio'].includes(code)]).toEqual([400, true])
  expect(await readdir(join(directory, 'data/references'))).toEqual([])
})

it.each(['multipart/form-data', 'multipart/form-data; boundary=', `multipart/form-data; boundary=${'b'.repeat(1000)}`])(
  'of the type %s is refused',
  async (type) => {
    expect(await send(whole, type)).toMatchObject({ status: 400 })
  },
)

it('with flipped bytes is refused hundreds of times, and the server continues', async () => {
  let seed = 1
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
  for (let i = 0; i < 300; i++) {
    const bytes = Buffer.from(whole, 'latin1')
    for (let flips = 1 + random(8); flips > 0; flips--) bytes[random(bytes.length)] = random(256)
    expect(await send(bytes.subarray(0, random(10) === 0 ? random(bytes.length) : bytes.length))).toMatchObject({
      status: 400,
    })
  }
  expect(await readdir(join(directory, 'data/references'))).toEqual([])
  expect((await server.ask('/healthz')).status).toBe(200)
  expect(server.log()).not.toContain('"level":"error"')
})
