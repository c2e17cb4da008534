/** The compiled product as a server on a new data directory, and a light client for it. */
import { existsSync, statSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Glob } from 'bun'
import { adjustBalance } from '../../src/admin/accounts'
import type { Administration } from '../../src/admin/administration'
import { createKey } from '../../src/admin/keys'
import { openDatabase } from '../../src/db/database'
import { readCatalogue } from '../../src/voice/catalogue'
import { build } from '../build'
import { root } from '../run'
import { mp3DurationSeconds } from './mp3-duration'
import { startUntilReady } from './process'

const madeFrom = ['src/**/*', 'voices/*', 'bun.lock', 'scripts/build.ts']
const unlimited = ['tts', 'voices', 'account'].flatMap((name) => [`--limit-${name}`, '0'])
const settleTimeoutMs = 180_000
const settlePollMs = 100
/** A request is tried again for this long. */
const refusedSecondsMax = 120

type StartOptions = { settled?: boolean; flags?: string[]; install?: (voicesDirectory: string) => Promise<void> }
export type Server = Awaited<ReturnType<typeof startServer>>

/** One finished request: `seconds` from the call to the whole answer, `name` of the file. */
export type Spoken = { seconds: number; name: string }
export type SpeakOptions = { voiceId?: string; format?: 'mp3' | 'wav'; apiKey?: string }

/** Returns the path of `dist/sonant`; builds it when it is missing or older than its sources. */
export async function executable(): Promise<string> {
  const path = join(root, 'dist/sonant')
  const builtAtMs = existsSync(path) ? statSync(path).mtimeMs : 0
  const files = madeFrom.flatMap((pattern) => [...new Glob(pattern).scanSync(root)])
  return files.some((file) => statSync(join(root, file)).mtimeMs > builtAtMs) ? build() : path
}

/**
 * Starts the product with two workers. `settled`: a second start on a data directory that has its demos, so that no
 * work runs in the background; else a first start. `flags` are added to the command. `startedAtMs` (by
 * `performance.now()`) is the start of the process and `readyMs` the time until it is ready. `install` writes packs to
 * the folder of that path.
 */
export async function startServer({ settled = true, flags = [], install }: StartOptions = {}) {
  const path = await executable()
  const dataDirectory = await mkdtemp(join(tmpdir(), 'sonant-bench-'))
  const audioDirectory = join(dataDirectory, 'audio')
  const command = [
    path,
    'serve',
    '--port',
    '0',
    '--data',
    dataDirectory,
    '--workers',
    '2',
    '--log-level',
    'warn',
    ...unlimited,
    ...flags,
  ]
  await install?.(join(dataDirectory, 'voices'))
  const start = () => startUntilReady(command, { stderr: Bun.file(join(dataDirectory, 'log')) })
  const first = await start()
  const firstKey = first.ready.api_key!
  if (settled) {
    await untilDemosAreRendered(join(audioDirectory, 'demos'))
    await terminate(first.child)
  }
  const { child, startedAtMs, readyMs, ready } = settled ? await start() : first
  const baseUrl = ready.base_url

  /** Waits for installed voices and returns their ids. */
  async function installedVoices(): Promise<string[]> {
    const endAtMs = performance.now() + settleTimeoutMs
    while (performance.now() < endAtMs) {
      const { voices } = (await (await fetch(`${baseUrl}/api/v1/voices`)).json()) as { voices: { id: string }[] }
      const installed = voices.slice(readCatalogue().voices.length).map(({ id }) => id)
      if (installed.length > 0) return installed
      await Bun.sleep(settlePollMs)
    }
    throw new Error(`No pack was ready within ${settleTimeoutMs / 1000} s.`)
  }

  /** Runs `work` with the id of the first account. */
  function administer<T>(work: (administration: Administration, accountId: string) => T): T {
    const db = openDatabase(join(dataDirectory, 'sonant.db'))
    try {
      const { id } = db.prepare<[], { id: string }>('SELECT id FROM accounts').get()!
      const administration = { db, catalogue: readCatalogue(), actor: 'bench', refusesLockOut: false, nowMs: Date.now }
      return work(administration, id)
    } finally {
      db.close()
    }
  }

  return {
    installedVoices,
    pid: child.pid,
    baseUrl,
    apiKey: firstKey,
    startedAtMs,
    readyMs,

    /**
     * Throws when the answer is not 200. A refusal because the service is busy, as on a machine that others use, is tried
     * again after the time that it names, and the waiting counts.
     */
    async speak(text: string, { voiceId, format, apiKey = firstKey }: SpeakOptions = {}): Promise<Spoken> {
      const sentAtMs = performance.now()
      for (;;) {
        const response = await fetch(`${baseUrl}/api/v1/tts`, {
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ text, voice_id: voiceId, format }),
        })
        const answer = (await response.json()) as { url: string }
        const seconds = (performance.now() - sentAtMs) / 1000
        if (response.ok) return { seconds, name: basename(answer.url) }
        const waitSeconds = Number(response.headers.get('retry-after'))
        if (response.status !== 429 || waitSeconds === 0 || seconds > refusedSecondsMax)
          throw new Error(`The server answered ${response.status}: ${JSON.stringify(answer)}`)
        await Bun.sleep(waitSeconds * 1000)
      }
    },

    /** Returns the total duration of the mp3 files. */
    async audioSeconds(spoken: Spoken[]): Promise<number> {
      const durations = await Promise.all(spoken.map(({ name }) => mp3DurationSeconds(join(audioDirectory, name))))
      return durations.reduce((sum, seconds) => sum + seconds, 0)
    },

    /** Creates a further key of the same account. The queue is fair between keys. */
    createKey: () => administer((administration, id) => createKey(administration, id, { name: 'bench' }).api_key),

    /** Adds to the account's balance what the first credit of an installation does not pay for. */
    addUnits(units: number): void {
      administer((administration, id) => adjustBalance(administration, id, { units, reason: 'bench' }))
    },

    async stop(): Promise<void> {
      await terminate(child)
      await rm(dataDirectory, { recursive: true })
    },
  }
}

async function terminate(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGTERM')
  await child.exited
}

async function untilDemosAreRendered(directory: string): Promise<void> {
  const wanted = readCatalogue().voices.length
  const endAtMs = performance.now() + settleTimeoutMs
  while (performance.now() < endAtMs) {
    const names = await readdir(directory)
    if (names.filter((name) => name.endsWith('.mp3')).length === wanted) return
    await Bun.sleep(settlePollMs)
  }
  throw new Error(`The demos were not rendered within ${settleTimeoutMs / 1000} s.`)
}
