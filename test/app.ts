/** The whole server in the process of the test, with an engine that hums. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../src/app'
import { readConfig, type RawSettings } from '../src/config'
import { createLogger } from '../src/log'

const worker = [process.execPath, join(import.meta.dir, 'workers/strange-worker.ts'), 'worker']

/** An ephemeral server with one account, whose key is `apiKey`. */
export async function startApp(flags: RawSettings = {}) {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'sonant-app-'))
  const machine = { cores: 1, memoryBytes: 4e9 }
  const config = readConfig({ ephemeral: true, workers: '1', ...flags }, {}, {}, machine)
  const app = await buildApp({ ...config, dataDirectory }, { worker, downloader: [] }, createLogger('silent'))
  const { baseUrl, made } = app
  return {
    app,
    baseUrl,
    dataDirectory,
    apiKey: made.apiKey!,
    async close(): Promise<void> {
      await app.close()
      await rm(dataDirectory, { recursive: true })
    },
  }
}
