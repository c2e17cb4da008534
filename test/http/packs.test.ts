/** `POST /api/v1/admin/packs` of a running server, against a local hub. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configuration, extractorGraph, mirrorGraph } from '../onnx/converter'
import { addPiperVoices, startHub, text, type HubServer } from '../packs/hub/hub-server'
import { readReadyLine } from '../lines'

setDefaultTimeout(60_000)

let hub: HubServer
let directory: string
let child: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
let ready: { base_url: string; api_key: string; admin_key: string }

beforeAll(async () => {
  hub = startHub()
  addPiperVoices(hub, [{ key: 'en_US-lessac-medium' }], 100_000)
  hub.repositories['seasonstudio/openvoice_tone_clone_onnx'] = {
    'README.md': { bytes: text('---\nlicense: mit\n---\n'), large: false },
    'configuration.json': { bytes: text(JSON.stringify(configuration)), large: false },
    'tone_clone_model.onnx': { bytes: new Uint8Array(mirrorGraph()), large: true },
    'tone_color_extract_model.onnx': { bytes: new Uint8Array(extractorGraph()), large: true },
  }
  directory = await mkdtemp(join(tmpdir(), 'sonant-packs-'))
  const main = join(import.meta.dir, '../../src/main.ts')
  const flags = ['serve', '--ephemeral', '--hub', hub.url, '--log-level', 'silent']
  const env = { ...process.env, TMPDIR: directory }
  child = Bun.spawn([process.execPath, main, ...flags], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  ready = await readReadyLine<typeof ready>(child.stdout)
})
afterAll(async () => {
  child.kill('SIGTERM')
  await child.exited
  await hub.stop()
  await rm(directory, { recursive: true })
})

function post(body: unknown, key = ready.admin_key) {
  const headers = { authorization: `Bearer ${key}` }
  return fetch(`${ready.base_url}/api/v1/admin/packs`, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function get(path: string) {
  const headers = { authorization: `Bearer ${ready.admin_key}` }
  const response = await fetch(`${ready.base_url}/api/v1/admin/${path}`, { headers })
  return (await response.json()) as Record<string, any>
}

it('answers 202 at once, installs in the background, and logs the actor', async () => {
  const name = 'piper/en_US-lessac-medium'
  const response = await post({ name })
  expect(response.status).toBe(202)
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/)
  expect(await response.json()).toEqual({
    name,
    state: 'waiting',
    folder: null,
    received_bytes: 0,
    size_bytes: null,
    reason: null,
  })
  const made = (await readdir(directory)).find((entry) => entry.startsWith('sonant-ephemeral-'))!
  const pack = join(directory, made, 'voices/piper-en_US-lessac-medium')
  while (!existsSync(pack)) await Bun.sleep(10)
  expect((await get('packs')).installs).toEqual([
    expect.objectContaining({ name, folder: 'piper-en_US-lessac-medium', reason: null }),
  ])
  expect((await readdir(pack)).sort()).toEqual([
    'MODEL_CARD',
    'en_US-lessac-medium.onnx',
    'en_US-lessac-medium.onnx.json',
    'source.json',
  ])
  const log = await get('audit-log')
  expect(log.items[0]).toMatchObject({ act: 'voices pull', subject: name, before: null, after: { state: 'waiting' } })
  expect(log.items[0].actor).toStartWith('account ')
})

it('lists the new pack as installed soon after, without a rescan', async () => {
  expect((await post({ name: 'openvoice-v2' })).status).toBe(202)
  for (;;) {
    const { items, installs } = await get('packs')
    const isListed = items.some((pack: { name: string }) => pack.name === 'openvoice-v2')
    const { name, state } = installs.at(-1)
    expect([name, state]).not.toEqual(['openvoice-v2', 'failed'])
    if (isListed && state === 'installed') break
    await Bun.sleep(50)
  }
})

it('refuses malformed pack names and callers without administrator rights', async () => {
  for (const body of [{}, { name: 5 }, { name: '' }, { name: '../x' }, { name: 'piper/../../x' }]) {
    const response = await post(body)
    expect(response.status).toBe(400)
    expect((await response.json()).error).toMatchObject({ code: 'invalid_params', param: 'name' })
  }
  expect((await post({ name: 'kokoro' }, ready.api_key)).status).toBe(403)
  expect((await post({ name: 'kokoro' }, 'sk-nobody')).status).toBe(401)
})
