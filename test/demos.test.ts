/** The demos of the catalogue in the whole server, with an engine that hums. */
import { afterEach, expect, it } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp, type App } from '../src/app'
import { readConfig } from '../src/config'
import { createLogger } from '../src/log'

let app: App
let directory: string
afterEach(async () => {
  await app.close()
  await rm(directory, { recursive: true })
})

it('are rendered by an ephemeral server on their first request only', async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-demos-'))
  const config = readConfig({ ephemeral: true, workers: 1 }, {}, {}, { cores: 1, memoryBytes: 4e9 })
  const commands = { worker: [process.execPath, join(import.meta.dir, 'workers/strange-worker.ts'), 'worker'] }
  const moved = { ...config, dataDirectory: directory }
  app = await buildApp(moved, { ...commands, downloader: [] }, createLogger('silent'))
  const demos = () => readdir(join(directory, 'audio/demos'))
  await app.startBackground()
  expect(await demos()).toEqual([])
  const { voices } = (await (await fetch(`${app.baseUrl}/api/v1/voices`)).json()) as { voices: { demo_url: string }[] }
  const { demo_url: url } = voices[0]!
  const demo = await fetch(url)
  expect(demo.status).toBe(200)
  expect((await demo.bytes()).length).toBeGreaterThan(1000)
  expect(await demos()).toEqual([url.slice(url.lastIndexOf('/') + 1)])
})
