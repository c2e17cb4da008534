/** The state of the server over HTTP, for everybody with a key and for administrators, against the executable. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { until } from '../until'
import { adminKey, instantPattern, startOn, type Json, type Server } from './client'
import { join } from './people-client'

let directory: string
let server: Server
beforeAll(async () => {
  directory = await mkdtemp(joinPath(tmpdir(), 'sonant-system-'))
  await mkdir(joinPath(directory, 'data'))
  await Bun.write(joinPath(directory, 'data/sonant.toml'), 'clones-max = 7\nworkers = 1\n')
  server = await startOn(directory, ['--min-free-bytes', '5000', '--app-name', 'Acme'])
})
afterAll(async () => {
  await server.stop()
  await rm(directory, { recursive: true })
})

const hello = { text: 'Hello.', voice_id: 'en-kevin' }

describe('the status', () => {
  it('shows every signed-in caller how busy the service is, and nothing of the inside', async () => {
    const { id, key } = await server.makeAccount({ balance: 100_000 })
    const { browser } = await join(server, id)
    const idle = { queue: { waiting: 0, running: 0 }, workers: { total: 1, busy: 0 }, compute: null, storage: 'ok' }
    const status = async () => (await server.ask('/api/v1/status', { key })).body
    // The server may still prepare itself.
    await until(async () => (await status()).workers.busy === 0)
    expect(await status()).toEqual(idle)
    expect((await browser.ask('/api/v1/status')).body).toEqual(idle)
    const long = { text: 'All work and no play makes Jack a dull boy. '.repeat(40), voice_id: 'en-ross' }
    const speaking = [1, 2, 3].map(() => server.ask('/api/v1/tts', { key, body: long }))
    const seen: Json[] = []
    await until(async () => {
      seen.push(await status())
      const { queue, workers } = seen.at(-1)
      return queue.running + queue.waiting === 3 && workers.busy === 1
    })
    expect(seen.every(({ workers }) => workers.busy <= 1)).toBe(true)
    expect((await Promise.all(speaking)).map((answer) => answer.status)).toEqual([200, 200, 200])
    await until(async () => (await status()).workers.busy === 0)
    expect(await status()).toEqual(idle)
  })
})

describe('the system', () => {
  it('shows administrators versions, processes, disk, and the settings with their sources', async () => {
    const { key } = await server.makeAccount({ balance: 1000 })
    for (let i = 0; i < 3; i++) await server.ask('/api/v1/tts', { key, body: hello })
    const { text, body } = await server.ask('/api/v1/admin/system', { key: adminKey.repeat(2) })
    expect(text).not.toContain(adminKey)
    const { settings, workers, speeds, ...rest } = body
    expect(rest).toEqual({
      versions: {
        sonant: expect.stringMatching(/^\d+\.\d+\.\d+/),
        commit: expect.any(String),
        bun: Bun.version,
        onnxruntime: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      },
      started_at: expect.stringMatching(instantPattern),
      uptime_seconds: expect.any(Number),
      machine: {
        platform: `${process.platform} ${process.arch}`,
        cpu: expect.any(String),
        cores: availableParallelism(),
        memory_bytes: expect.any(Number),
      },
      memory_bytes: expect.any(Number),
      queue: { waiting: 0, running: 0, admitted_seconds: 0 },
      disk: {
        state: 'ok',
        free_bytes: expect.any(Number),
        size_bytes: expect.any(Number),
        min_free_bytes: 5000,
        database_bytes: expect.any(Number),
        recordings: 0,
        recordings_bytes: 0,
      },
    })
    expect(rest.memory_bytes).toBeGreaterThan(10 << 20)
    expect(rest.disk.database_bytes).toBeGreaterThan(100_000)
    expect(Date.parse(rest.started_at)).toBeWithin(Date.now() - 120_000, Date.now())
    const flite = workers.processes.find(({ holds }: Json) => holds === 'flite')
    expect(flite).toEqual({ pid: expect.any(Number), state: 'idle', holds: 'flite', memory_bytes: expect.any(Number) })
    expect(speeds).toContainEqual({ engine: 'flite', model: null, real_time_factor: expect.any(Number) })
    const setting = (name: string) => settings.find((one: Json) => one.name === name)
    expect(setting('clones-max')).toEqual({ name: 'clones-max', value: 7, source: 'sonant.toml' })
    expect(setting('workers')).toEqual({ name: 'workers', value: 1, source: 'sonant.toml' })
    expect(setting('app-name')).toEqual({ name: 'app-name', value: 'Acme', source: 'flag' })
    expect(setting('admin-key')).toEqual({ name: 'admin-key', value: '********', source: 'environment' })
    expect(setting('provider')).toEqual({ name: 'provider', value: 'auto', source: 'default' })
    expect(setting('data').value).toBe(joinPath(directory, 'data'))
  })
})
