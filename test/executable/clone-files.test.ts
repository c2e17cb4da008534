/** The files of clones after any interruption: no file without a voice, and no voice without its files. */
import { afterEach, beforeEach, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditDifference, query } from './books'
import { adminKey, startOn, type Json, type Server } from './client'
import { hashOf, recordVoice, variant } from './recordings'
import { runSonant } from './sonant'
import { until } from '../until'

setDefaultTimeout(120_000)

let directory: string
let data: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-clones-'))
  data = join(directory, 'data')
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const references = async () => (await readdir(join(data, 'references'))).sort()
const cloneDemos = async () =>
  (await readdir(join(data, 'audio/demos'))).filter((name) => name.startsWith('cv-')).sort()

async function upload(server: Server, key: string, file: Uint8Array, name = 'Voice'): Promise<Json> {
  const form = new FormData()
  form.append('name', name)
  form.append('file', new Blob([Buffer.from(file)]))
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${server.baseUrl}/api/v1/voices/clone`, { method: 'POST', headers, body: form })
  return { status: response.status, ...((await response.json()) as Json) }
}

it('keeps the recording unchanged and private until its last clone is deleted', async () => {
  const server = await startOn(directory, ['--workers', '1'])
  const { key } = await server.makeAccount({ balance: 1000 })
  const recording = await recordVoice(server, 'en-kevin')
  const { voice } = await upload(server, key, recording)
  const hash = hashOf(recording)
  expect(await references()).toEqual([hash])
  expect(hashOf(await Bun.file(join(data, 'references', hash)).bytes())).toBe(hash)
  expect((await Bun.file(join(data, 'references', hash)).stat()).mode & 0o077).toBe(0)
  expect(await cloneDemos()).toEqual([voice.demo_url.slice(voice.demo_url.lastIndexOf('/') + 1)])
  for (const path of [`references/${hash}`, `../references/${hash}`, `..%2freferences%2f${hash}`])
    expect((await fetch(`${server.baseUrl}/audio/${path}`)).status).toBe(404)
  await server.ask(`/api/v1/voices/clone?voice_id=${voice.id}`, { key, method: 'DELETE' })
  expect([await references(), await cloneDemos()]).toEqual([[], []])
  await server.stop()
  expect(auditDifference(data)).toBeUndefined()
})

it('leaves no orphan, charge or voice of a clone interrupted by a kill at any moment', async () => {
  let server = await startOn(directory, ['--workers', '1'])
  const recording = await recordVoice(server, 'en-kevin')
  const { key, id } = await server.makeAccount({ balance: 100_000 })
  const seen: string[] = []
  const startedAtMs = performance.now()
  await upload(server, key, recording)
  const cloneMs = performance.now() - startedAtMs
  for (let kill = 0; kill < 8; kill++) {
    let wasKilled = false
    const uploads = [0, 1].map(async (i) => {
      const answer = await upload(server, key, variant(recording, kill * 2 + i + 1)).catch((error) => {
        if (!wasKilled) throw error
        return undefined
      })
      if (answer) seen.push(answer.voice.id)
    })
    // From the arrival until after both answers; the last kill follows the first answer directly, on a machine of any
    // speed.
    await (kill < 7 ? Bun.sleep(((kill + 0.5) / 8) * 3 * cloneMs) : Promise.race(uploads))
    wasKilled = true
    server.process.kill('SIGKILL')
    await server.process.exited
    await Promise.all(uploads)
    server = await startOn(directory, ['--workers', '1'])
    expect(auditDifference(data)).toBeUndefined()
    const clones = query<{ id: string; hash: string; demo: string }>(
      data,
      "SELECT id, lower(hex(sha256)) AS hash, replace(demo_name, 'demos/', '') AS demo FROM clones",
    )
    expect(await references()).toEqual(clones.map(({ hash }) => hash).sort())
    expect(await cloneDemos()).toEqual(clones.map(({ demo }) => demo).sort())
    expect(clones.map(({ id }) => id)).toEqual(expect.arrayContaining(seen))
    const { balance } = await server.admin('GET', `/accounts/${id}`)
    expect(balance).toBe(100_000 - 300 * clones.length)
  }
  // Kills that always came too early would prove nothing.
  expect(seen.length).toBeGreaterThan(0)
  await server.stop()
})

it('leaves no demo of a voice deleted during its rendering', async () => {
  const server = await startOn(directory, ['--workers', '1'])
  const { key } = await server.makeAccount({ balance: 1000 })
  const { voice } = await upload(server, key, await recordVoice(server, 'en-angus'))
  for (const name of await cloneDemos()) await rm(join(data, 'audio/demos', name))
  const asked = fetch(voice.demo_url)
  await until(async () => (await cloneDemos()).length > 0)
  await server.ask(`/api/v1/voices/clone?voice_id=${voice.id}`, { key, method: 'DELETE' })
  await (await asked).bytes()
  expect(await cloneDemos()).toEqual([])
  expect((await fetch(voice.demo_url)).status).toBe(404)
  await server.stop()
})

it('renders a missing demo again', async () => {
  const server = await startOn(directory, ['--workers', '1'])
  const { key } = await server.makeAccount({ balance: 1000 })
  const { voice } = await upload(server, key, await recordVoice(server, 'en-kevin'))
  const first = await (await fetch(voice.demo_url)).bytes()
  for (const name of await cloneDemos()) await rm(join(data, 'audio/demos', name))
  expect(Buffer.compare(await (await fetch(voice.demo_url)).bytes(), first)).toBe(0)
  await server.stop()
})

it('removes an upload that stops in the middle', async () => {
  const server = await startOn(directory, ['--workers', '1'])
  const socket = connect(server.port, '127.0.0.1')
  const body = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n' + 'x'.repeat(100_000)
  socket.write(
    `POST /api/v1/voices/clone HTTP/1.1\r\nHost: tts\r\nAuthorization: Bearer ${adminKey.repeat(2)}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000000\r\n\r\n${body}`,
  )
  await until(async () => (await references()).length > 0)
  expect(await references()).toEqual([expect.stringMatching(/\.part$/)])
  socket.destroy()
  await until(async () => (await references()).length === 0)
  await server.stop()
})

it('can be listed, purged, re-enrolled and deleted on the command line, beside the server', async () => {
  const server = await startOn(directory, ['--workers', '1'])
  const { key, id } = await server.makeAccount({ balance: 1000 })
  const recording = await recordVoice(server, 'en-clara')
  const { voice } = await upload(server, key, recording)
  const cli = (...args: string[]) => {
    const { exitCode, stdout, stderr } = runSonant(['clone', ...args, '--data', data, '--json'])
    return exitCode === 0 ? JSON.parse(stdout) : { exitCode, stderr }
  }
  const shown = {
    id: voice.id,
    account_id: id,
    display_name: 'Voice',
    method: 'adapted',
    has_recording: true,
    duration_sec: voice.duration_sec,
  }
  expect(cli('list', '--account', id)).toMatchObject({ items: [shown] })
  expect(cli('re-enrol', voice.id)).toMatchObject(shown)
  const { voices } = (await server.ask('/api/v1/voices', { key })).body
  const { demo_url: demoUrl } = voices.at(-1)
  expect((await (await fetch(demoUrl)).bytes()).length).toBeGreaterThan(5_000)
  // A purge must keep this possible: the account's own bytes are recognized under any name.
  const again = () => server.ask('/api/v1/voices/clone', { key, body: { name: 'n', hash: hashOf(recording) } })
  expect((await again()).body.duplicate).toBe(true)
  expect(cli('purge', voice.id)).toMatchObject({ ...shown, has_recording: false })
  expect(await references()).toEqual([])
  const precheck = await server.ask(`/api/v1/voices/clone/precheck?hash=${hashOf(recording)}`, { key })
  expect(precheck.body).toMatchObject({ exists: false, fee_units: 0, voice_count: 1 })
  expect((await again()).body).toMatchObject({ duplicate: true, units: 0, voice: { id: voice.id } })
  expect(cli('list', '--account', 'nobody')).toMatchObject({ exitCode: 1 })
  expect(cli('re-enrol', voice.id)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('was deleted') })
  expect((await server.ask('/api/v1/tts', { key, body: { text: 'Hi.', voice_id: voice.id } })).status).toBe(200)
  expect(cli('delete', voice.id)).toEqual({ ok: true, deleted: voice.id })
  expect((await server.ask('/api/v1/tts', { key, body: { text: 'Hi.', voice_id: voice.id } })).status).toBe(404)
  const { items } = await server.admin('GET', '/audit-log')
  expect(items.slice(0, 3).map(({ act }: Json) => act)).toEqual(['clone delete', 'clone purge', 'clone re-enrol'])
  await server.stop()
})
