/** Cloning from a URL, against the executable: fetched, fetched once, and refused addresses. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import { expectError, startServer, type Json, type Server } from './client'
import { recordVoice, variant } from './recordings'

setDefaultTimeout(60_000)

let server: Server
let recording: Uint8Array
/** Serves the recording under every path with the prefix /voice, and misbehaves elsewhere. */
let files: Bun.Server<unknown>
const asked: string[] = []
beforeAll(async () => {
  files = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
  server = await startServer(['--clone-url-allow', `127.0.0.1:${files.port}`])
  recording = await recordVoice(server, 'en-kevin')
})
afterAll(async () => {
  await files.stop(true)
  await server.stop()
})

function answer(request: Request): Response {
  const { pathname } = new URL(request.url)
  asked.push(pathname)
  if (pathname.startsWith('/voice')) return new Response(Buffer.from(recordingAt(pathname)))
  if (pathname === '/moved') return Response.redirect(`${addressOf('/voice-moved')}`)
  if (pathname === '/inside') return Response.redirect('http://127.0.0.1:1/')
  if (pathname === '/loop') return Response.redirect(addressOf('/loop'))
  if (pathname === '/large') return new Response(new Uint8Array(15 * 2 ** 20 + 1))
  if (pathname === '/text') return new Response('This is no sound.')
  return new Response('nothing', { status: 404 })
}

const addressOf = (path: string) => `http://127.0.0.1:${files.port}${path}`
/** The same sound in other bytes for each path. */
const recordingAt = (path: string) => variant(recording, (Bun.hash.crc32(path) % 1000) / 5)
const make = (key: string, url: string, name = 'From afar'): Promise<Json> =>
  server.ask('/api/v1/voices/clone', { key, body: { name, url } })
const timesAsked = (path: string) => asked.filter((one) => one === path).length

it('is fetched once for all accounts, and costs each of them the fee', async () => {
  const [a, b] = [await server.makeAccount({ balance: 600 }), await server.makeAccount({ balance: 300 })]
  const first = await make(a.key, addressOf('/voice-once'))
  expect([first.status, first.body]).toEqual([200, expect.objectContaining({ duplicate: false, units: 300 })])
  // Clients do not send the fragment, so it does not distinguish URLs.
  const again = await make(a.key, addressOf('/voice-once#part'))
  expect(again.body).toMatchObject({ duplicate: true, units: 0, voice: { id: first.body.voice.id } })
  const other = await make(b.key, addressOf('/voice-once'))
  expect(other.body).toMatchObject({ duplicate: false, units: 300, remaining: 0 })
  expect(timesAsked('/voice-once')).toBe(1)
})

it('is fetched again after its last clone is deleted', async () => {
  const { key } = await server.makeAccount({ balance: 600 })
  const { body } = await make(key, addressOf('/voice-again'))
  await server.ask(`/api/v1/voices/clone?voice_id=${body.voice.id}`, { key, method: 'DELETE' })
  expect((await make(key, addressOf('/voice-again'))).body).toMatchObject({ duplicate: false, remaining: 0 })
  expect(timesAsked('/voice-again')).toBe(2)
})

it('whose file the account has already is fetched once too', async () => {
  const { key } = await server.makeAccount({ balance: 300 })
  const form = new FormData()
  form.append('name', 'n')
  form.append('file', new Blob([Buffer.from(recordingAt('/voice-known'))]))
  const headers = { authorization: `Bearer ${key}` }
  await fetch(`${server.baseUrl}/api/v1/voices/clone`, { method: 'POST', headers, body: form })
  for (let i = 0; i < 3; i++) expect((await make(key, addressOf('/voice-known'))).body.duplicate).toBe(true)
  expect(timesAsked('/voice-known')).toBe(1)
})

it('fails on demand before anything is fetched', async () => {
  const { key } = await server.makeAccount({ balance: 300 })
  const body = { name: 'n', url: addressOf('/voice-fault') }
  const headers = { 'x-sonant-fault': 'url_fetch_failed' }
  expectError(await server.ask('/api/v1/voices/clone', { key, body, headers }), 502, 'url_fetch_failed', 'url')
  expect(timesAsked('/voice-fault')).toBe(0)
})

it('may redirect to another address', async () => {
  const { key } = await server.makeAccount({ balance: 300 })
  expect((await make(key, addressOf('/moved'))).status).toBe(200)
})

it.each([
  ['not an address', 400, 'invalid_url'],
  ['ftp://example.com/a.wav', 400, 'invalid_url'],
  ['http://me:secret@example.com/a.wav', 400, 'invalid_url'],
  ['http://127.0.0.1:1/a.wav', 400, 'url_blocked'],
  ['http://localhost/a.wav', 400, 'url_blocked'],
  ['http://[::1]/a.wav', 400, 'url_blocked'],
  ['http://169.254.169.254/latest/meta-data/', 400, 'url_blocked'],
  ['http://0x7f.1/a.wav', 400, 'url_blocked'],
  ['/inside', 400, 'url_blocked'],
  ['/loop', 502, 'url_fetch_failed'],
  ['/missing', 502, 'url_fetch_failed'],
  ['/large', 413, 'url_too_large'],
  ['http://no-such-host.invalid/a.wav', 502, 'url_fetch_failed'],
])('%s is refused with %d %s, and nothing is charged or kept', async (url, status, code) => {
  const { key } = await server.makeAccount({ balance: 300 })
  expectError(await make(key, url.startsWith('/') ? addressOf(url) : url), status, code, 'url')
  expect((await server.ask('/api/v1/balance', { key })).body.balance).toBe(300)
  expect((await server.ask('/api/v1/usage', { key })).body.records).toEqual([])
})

it('whose file was refused is fetched again the next time', async () => {
  const { key } = await server.makeAccount({ balance: 300 })
  for (let i = 0; i < 2; i++) expectError(await make(key, addressOf('/text')), 400, 'unsupported_audio', 'url')
  expect(timesAsked('/text')).toBe(2)
})
