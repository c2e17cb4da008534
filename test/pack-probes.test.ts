/** Packs that are dropped into a running service, tried by real workers. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp, type App } from '../src/app'
import { readConfig, voicesDirectory } from '../src/config'
import { createLogger } from '../src/log'
import { writeConverterPack } from './onnx/converter'

const command = [process.execPath, join(import.meta.dir, '../src/main.ts'), 'worker']
let dataDirectory: string
let app: App
let background: Promise<void>
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'sonant-probes-'))
  const flags = { port: '0', data: dataDirectory, workers: '1', provider: 'cpu' }
  const config = readConfig(flags, {}, {}, { cores: 1, memoryBytes: 8e9 })
  app = await buildApp(config, command, createLogger('silent'))
  background = app.startBackground()
})
afterAll(async () => {
  await app.close()
  await background
  await rm(dataDirectory, { recursive: true })
})

/** Lets a pack appear whole. */
async function drop(name: string, write: (directory: string) => Promise<unknown>): Promise<void> {
  const directory = join(voicesDirectory({ dataDirectory }), name)
  await write(`${directory}.part`)
  await rename(`${directory}.part`, directory)
}

type Item = { name: string; state: string; reason: string | null } & Record<string, unknown>

async function settled(): Promise<Item[]> {
  for (;;) {
    const response = await fetch(`${app.baseUrl}/api/v1/admin/packs`, {
      headers: { authorization: `Bearer ${app.made.apiKey}` },
    })
    const { items, counts } = (await response.json()) as { items: Item[]; counts: { checking: number } }
    if (items.length > 0 && counts.checking === 0) return items
    await Bun.sleep(100)
  }
}

describe('a pack that is dropped in', () => {
  it('is tried by a worker: a whole one is ready, a broken one refused with the reason', async () => {
    await drop('converter', writeConverterPack)
    await drop('truncated', (directory) =>
      writeConverterPack(directory, { converter: new Uint8Array([8, 9, 18, 200, 1, 1]) }),
    )
    await drop('notes', (directory) => Bun.write(join(directory, 'notes.txt'), 'Buy milk.'))
    const items = await settled()
    expect(Object.fromEntries(items.map((item) => [item.name, item]))).toMatchObject({
      converter: { state: 'ready', family: 'converter', voices: [], size_bytes: expect.any(Number) },
      truncated: { state: 'refused', reason: expect.stringContaining('tone_clone_model.onnx') },
      notes: { state: 'refused', reason: 'it has no model (.onnx)' },
    })
    expect((await fetch(`${app.baseUrl}/healthz`)).status).toBe(200)
  }, 60_000)
})
