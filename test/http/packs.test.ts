/** `POST /api/v1/admin/packs` of a running server, against a local hub. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configuration, extractorGraph, mirrorGraph } from '../onnx/converter'
import { addPiperVoices, sha256, startHub, text, type HubServer } from '../packs/hub/hub-server'
import { readReadyLine } from '../lines'
import { until } from '../until'

setDefaultTimeout(60_000)

let hub: HubServer
let directory: string
let child: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
let ready: { base_url: string; api_key: string; admin_key: string }

beforeAll(async () => {
  hub = startHub()
  const artur = { key: 'sl_SI-artur-low', names: ['Slovenščina', 'Slovenian', 'Slovenia'] as [string, string, string] }
  addPiperVoices(hub, [{ key: 'en_US-lessac-medium' }, artur], 100_000)
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

function send(method: string, path: string) {
  const headers = { authorization: `Bearer ${ready.admin_key}` }
  return fetch(`${ready.base_url}/api/v1/admin/${path}`, { method, headers })
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
    id: 'piper-en_US-lessac-medium',
    name,
    state: 'waiting',
    folder: null,
    license: null,
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

it('searches the hub, shows the licence of a pack, and cancels its installation without a trace', async () => {
  const name = 'piper/sl_SI-artur-low'
  const [id, key] = ['piper-sl_SI-artur-low', 'sl_SI-artur-low']
  expect((await get('hub?q=%20')).items).toEqual((await get('hub')).items)
  const { items, next_cursor } = await get('hub?q=Slovenian')
  expect([items, next_cursor]).toEqual([
    [
      {
        name,
        family: 'piper',
        languages: ['sl-SI'],
        description: 'Slovenian, Slovenia',
        quality: 'low',
        speakers: 1,
        size_bytes: expect.any(Number),
        installed: false,
      },
    ],
    null,
  ])
  expect((await get('hub')).items.length).toBeGreaterThan(10)
  expect((await get(`hub?q=${'x'.repeat(201)}`)).error).toMatchObject({ code: 'invalid_params', param: 'q' })
  const shown = await get(`hub/pack?name=${name}`)
  expect(shown).toMatchObject({
    name,
    family: 'piper',
    folder: id,
    license: 'CC BY 4.0',
    size_bytes: items[0].size_bytes,
  })
  expect(shown.card).toContain('CC BY 4.0')
  expect((await get('hub/pack?name=../x')).error).toMatchObject({ code: 'not_found' })
  expect((await get('hub/pack?name=')).error).toMatchObject({ code: 'invalid_params', param: 'name' })

  const graph = Object.entries(hub.repositories['rhasspy/piper-voices']!).find(([path]) =>
    path.endsWith(`${key}.onnx`),
  )!
  const half = graph[1].bytes.slice(0, 60_000)
  hub.faults.set(
    sha256(graph[1].bytes),
    () => new Response(new ReadableStream({ start: (controller) => controller.enqueue(half) })),
  )
  expect((await post({ name })).status).toBe(202)
  const install = async () => (await get('installs')).items.find((one: { name: string }) => one.name === name)
  await until(async () => (await install()).received_bytes >= half.length)
  expect(await install()).toEqual({
    ...{ id, name, state: 'downloading', folder: id, license: 'CC BY 4.0', reason: null },
    ...{ received_bytes: expect.any(Number), size_bytes: shown.size_bytes },
  })
  const cancelled = await send('DELETE', `installs/${id}`)
  expect([cancelled.status, await cancelled.json()]).toEqual([
    200,
    expect.objectContaining({ id, state: 'cancelled', received_bytes: 0 }),
  ])
  expect((await send('DELETE', `installs/${id}`)).status).toBe(200)
  expect((await send('DELETE', 'installs/nothing')).status).toBe(404)
  const made = (await readdir(directory)).find((entry) => entry.startsWith('sonant-ephemeral-'))!
  expect((await readdir(join(directory, made, 'voices'))).filter((entry) => entry.includes(key))).toEqual([])
  const acts = (await get('audit-log')).items.filter(({ subject }: { subject: string }) => subject === name)
  expect(acts.map(({ act }: { act: string }) => act)).toEqual(['voices pull cancel', 'voices pull'])
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
