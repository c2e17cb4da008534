/** Wiring: opens every room and returns the running server. The only file that knows them all. */
import { mkdir, readFile } from 'node:fs/promises'
import { createFirstAccount } from './account/accounts'
import { audioDirectory, databasePath, limits, type Config } from './config'
import { openDatabase } from './db/database'
import { lockDirectory } from './db/lock'
import { createDemos } from './demos'
import { createHttpServer } from './http/server'
import type { Logger } from './log'
import type { Speaking } from './speak'
import { createPool } from './speech/pool'
import type { WorkerCommand } from './speech/worker-process'
import { openStorage } from './storage/storage'
import { readCatalogue } from './voice/catalogue'

export type App = {
  readonly baseUrl: string
  readonly storageUrl: string
  /** On the very first start of a data directory: the administrator's key, shown once. */
  readonly firstApiKey: string | undefined
  /** Loads the default voice in the background and then renders missing demos. */
  startBackground(): Promise<void>
  /** Refuses new requests, lets running ones finish for a while, ends the workers. */
  close(): Promise<void>
}

/** Demos are rendered only after the server has had time for a first request. */
const demoDelayMs = 2_000
const drainPollMs = 20

export async function buildApp(config: Config, workerCommand: WorkerCommand, log: Logger): Promise<App> {
  await mkdir(config.dataDirectory, { recursive: true })
  const lock = lockDirectory(config.dataDirectory)
  const storage = openStorage({ directory: audioDirectory(config), minFreeBytes: config.minFreeBytes })
  await storage.prepare()
  const db = openDatabase(databasePath(config))
  const pool = createPool({
    command: workerCommand,
    workers: config.workers,
    taskTimeoutMs: limits.taskTimeoutMs,
    workerMemoryMaxBytes: limits.workerMemoryMaxBytes,
    jobsMax: limits.queuedRequestsMax,
    log: log.child({ room: 'speech' }),
  })
  const catalogue = readCatalogue()
  const { mp3SampleRate } = config
  const running = new Set<Promise<unknown>>()
  const speaking: Speaking = {
    catalogue,
    pool,
    storage,
    mp3SampleRate,
    requestTimeoutMs: limits.requestTimeoutMs,
    running,
  }
  const demos = createDemos(speaking, log.child({ room: 'demos' }))
  let stopping = false
  let addresses = { baseUrl: '', storageUrl: '' }
  const http = createHttpServer({
    db,
    speaking,
    demos,
    log: log.child({ room: 'http' }),
    addresses: () => addresses,
    isStopping: () => stopping,
  })
  http.listen({ hostname: config.host, port: config.port, tls: config.tls && (await readTls(config.tls)) })
  const server = http.server!
  addresses = addressesOf(config, server.port!)
  // Only now: a start that fails must not have made a key that nobody saw.
  const firstApiKey = createFirstAccount(db)

  return {
    ...addresses,
    firstApiKey,
    async startBackground() {
      await pool
        .warm(catalogue.voices[0]!)
        .catch((error) => log.error({ err: error }, 'the default voice does not work'))
      await Bun.sleep(demoDelayMs)
      await demos.renderMissing()
    },
    async close() {
      stopping = true
      demos.stop()
      const endAtMs = performance.now() + limits.shutdownGraceMs
      while (server.pendingRequests + running.size > 0 && performance.now() < endAtMs) await Bun.sleep(drainPollMs)
      pool.close()
      await Promise.allSettled(running)
      await server.stop(true)
      db.close()
      lock.release()
    },
  }
}

/** Read before the server listens, so that a wrong path is an error of the start. */
async function readTls({ certPath, keyPath }: NonNullable<Config['tls']>) {
  const [cert, key] = await Promise.all([readFile(certPath), readFile(keyPath)])
  return { cert, key }
}

function addressesOf(config: Config, port: number) {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const reachable = host === '0.0.0.0' || host === '[::]' ? '127.0.0.1' : host
  const baseUrl = config.baseUrl ?? `${config.tls ? 'https' : 'http'}://${reachable}:${port}`
  return { baseUrl, storageUrl: config.storageUrl ?? `${baseUrl}/audio` }
}
