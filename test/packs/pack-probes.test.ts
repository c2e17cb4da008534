/** Packs that are copied into a running service and probed by real workers. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp, type App } from '../../src/app'
import { readConfig, voicesDirectory } from '../../src/config'
import { createLogger } from '../../src/log'
import { omitDemos } from '../executable/sonant'
import { writeConverterPack } from '../onnx/converter'
import { hexgradPack } from '../speech/models/style-packs'

const command = [process.execPath, join(import.meta.dir, '../../src/main.ts'), 'worker']
let dataDirectory: string
let app: App
let apiKey: string
let background: Promise<void>
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'sonant-probes-'))
  await start()
  apiKey = app.made.apiKey!
})
afterAll(async () => {
  await stop()
  await rm(dataDirectory, { recursive: true })
})

async function start(): Promise<void> {
  const flags = { port: '0', data: dataDirectory, workers: '1', provider: 'cpu' }
  const config = readConfig(flags, {}, {}, { cores: 1, memoryBytes: 8e9 })
  app = await buildApp(config, { worker: command, downloader: [] }, createLogger('silent'))
  await omitDemos(dataDirectory)
  background = app.startBackground()
}

async function stop(): Promise<void> {
  await app.close()
  await background
}

/** Makes a whole pack appear at once, by a rename. */
async function drop(name: string, write: (directory: string) => Promise<unknown>): Promise<void> {
  const directory = join(voicesDirectory({ dataDirectory }), name)
  await write(`${directory}.part`)
  await rename(`${directory}.part`, directory)
}

type Item = { name: string; state: string; reason: string | null } & Record<string, unknown>

/** Returns the list of packs once all of `names` are probed. */
async function settled(...names: string[]): Promise<Item[]> {
  for (;;) {
    const { items } = (await (await ask('GET', '/admin/packs')).json()) as { items: Item[] }
    const done = items.filter(({ state }) => state !== 'checking').map(({ name }) => name)
    if (names.every((name) => done.includes(name))) return items
    await Bun.sleep(100)
  }
}

const ask = (method: string, path: string, body?: unknown) =>
  fetch(`${app.baseUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}` },
    body: body === undefined ? undefined : JSON.stringify(body),
  })

async function voiceIds(): Promise<string[]> {
  const { voices } = (await (await ask('GET', '/voices')).json()) as { voices: { id: string }[] }
  return voices.map(({ id }) => id)
}

describe('a pack that is copied into the service', () => {
  it('is probed by a worker: a whole one becomes ready, a broken one is refused with the reason', async () => {
    await drop('converter', writeConverterPack)
    await drop('truncated', (directory) =>
      writeConverterPack(directory, { converter: new Uint8Array([8, 9, 18, 200, 1, 1]) }),
    )
    await drop('notes', (directory) => Bun.write(join(directory, 'notes.txt'), 'Buy milk.'))
    const items = await settled('converter', 'truncated', 'notes')
    expect(Object.fromEntries(items.map((item) => [item.name, item]))).toMatchObject({
      converter: { state: 'ready', family: 'converter', voices: [], size_bytes: expect.any(Number) },
      truncated: { state: 'refused', reason: expect.stringContaining('tone_clone_model.onnx') },
      notes: { state: 'refused', reason: 'it has no model (.onnx)' },
    })
    expect((await fetch(`${app.baseUrl}/healthz`)).status).toBe(200)
  }, 60_000)

  it('brings voices that speak, also after the next start, until it is removed', async () => {
    const before = await voiceIds()
    await drop('kokoro', async (directory) => {
      for (const [name, content] of Object.entries(hexgradPack)) await Bun.write(join(directory, name), content)
    })
    const items = await settled('kokoro')
    const ids = items.find(({ name }) => name === 'kokoro')!.voices as string[]
    expect(ids.toSorted()).toEqual(['kokoro-af-heart', 'kokoro-bm-george', 'kokoro-ff-siwis'])
    expect(await voiceIds()).toEqual([...before, ...ids])
    const spoken = await ask('POST', '/tts', {
      text: 'Good morning to you.',
      voice_id: 'kokoro-bm-george',
      format: 'wav',
    })
    expect(spoken.status).toBe(200)
    const first = await (await fetch(((await spoken.json()) as { url: string }).url)).bytes()

    await stop()
    await start()
    expect(await voiceIds()).toEqual([...before, ...ids])
    const again = await ask('POST', '/tts', {
      text: 'Good morning to you.',
      voice_id: 'kokoro-bm-george',
      format: 'wav',
    })
    expect(await (await fetch(((await again.json()) as { url: string }).url)).bytes()).toEqual(first)

    expect((await ask('DELETE', '/admin/packs/kokoro')).status).toBe(200)
    expect(await voiceIds()).toEqual(before)
    expect((await ask('POST', '/tts', { text: 'Hello.', voice_id: 'kokoro-bm-george' })).status).toBe(404)
  }, 60_000)
})
