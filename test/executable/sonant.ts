/** Starts the compiled executable from an empty directory, as a user would, and calls it. */
import { setDefaultTimeout } from 'bun:test'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { collectLines, readFirstLine } from '../lines'
import { demoName, readCatalogue } from '../../src/voice/catalogue'

// Synthesis takes long while other programs keep the cores busy.
setDefaultTimeout(120_000)

export const executable = join(import.meta.dir, '../../dist/sonant')
/** Shared by all tests, so that the library of onnxruntime is unpacked once. */
const cacheDirectory = join(tmpdir(), 'sonant-test-cache')

/** First in new data directories of a build with the assets of this checkout. */
export const defaultVoiceId = readCatalogue().voices[0]!.id

type Init = {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Another key than the server's first one. */
  readonly key?: string
  readonly signal?: AbortSignal
}

export type Sonant = {
  readonly baseUrl: string
  readonly storageUrl: string
  readonly apiKey: string
  readonly directory: string
  readonly process: Bun.Subprocess
  /** All whole lines of stderr so far. */
  readonly log: () => string
  /** Sends a request with the key, and with a JSON body if given. */
  request(path: string, init?: Init): Promise<Response>
  /** Speaks with Kevin, who costs the least, unless the body names another voice. */
  speak(body: Record<string, unknown>): Promise<Speech>
  stop(): Promise<number>
}

export type EphemeralSonant = Sonant & {
  readonly adminKey: string
  readonly accountNumber: string
  /** Data directory with database and audio; `directory` contains nothing else. */
  readonly dataDirectory: string
  readonly ready: Record<string, unknown>
  /** A call under `/api/v1/admin`; throws unless it succeeds. */
  admin(path: string, init?: Init): Promise<Record<string, any>>
}

/** Most tests exceed the default rate limits; tests of limits set their own, and the last flag counts. */
const unlimited = ['tts', 'clone', 'voices', 'account'].flatMap((name) => [`--limit-${name}`, '0'])

export type Speech = { answer: Record<string, unknown>; audio: Uint8Array }

type StartOptions = {
  readonly flags?: readonly string[]
  readonly env?: Record<string, string>
  /** A program that starts and becomes the server, such as `nohup`, with its arguments. */
  readonly through?: readonly string[]
  /** Whether the server renders the demos of its voices in the background: a core for twelve seconds. */
  readonly demos?: boolean
}

export async function startSonant(options: StartOptions = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-test-'))
  return startIn(directory, options)
}

/** Starts on a directory that may be in use by an earlier server; `stop` then keeps the directory. */
export async function startIn(
  directory: string,
  { flags = [], env = {}, through, demos = false, apiKey = '' }: StartOptions & { apiKey?: string } = {},
): Promise<Sonant> {
  const all = ['--port', '0', '--data', join(directory, 'data'), ...flags]
  const { line, ...server } = await launch(directory, all, env, through)
  if (!demos) await omitDemos(join(directory, 'data'))
  return describeServer(directory, server, line, (line.api_key as string | undefined) ?? apiKey)
}

/** Puts empty files in the places of the built-in voices' demos, so that the server does not render them. */
export async function omitDemos(dataDirectory: string): Promise<void> {
  const names = readCatalogue().builtIn.map((voice) => demoName(voice, undefined))
  const put = (name: string) => writeFile(join(dataDirectory, 'audio', name), '', { flag: 'a', mode: 0o600 })
  await Promise.all(names.map(put))
}

/** Starts with `--ephemeral`, with its temporary directory inside one of the test's own. */
export async function startEphemeral(
  options: StartOptions & { readonly seed?: unknown; readonly directory?: string } = {},
): Promise<EphemeralSonant> {
  const { flags = [], env = {}, through, seed } = options
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'sonant-test-')))
  const seedPath = join(directory, 'seed.json')
  if (seed !== undefined) await Bun.write(seedPath, JSON.stringify(seed))
  const seedFlags = seed === undefined ? [] : ['--seed', seedPath]
  const before = new Set(await readdir(directory))
  const variables = { TMPDIR: directory, ...env }
  const { line, ...server } = await launch(directory, ['--ephemeral', ...seedFlags, ...flags], variables, through)
  const made = (await readdir(directory)).find((name) => name.startsWith('sonant-ephemeral-') && !before.has(name))
  const adminKey = (line.admin_key as string | undefined) ?? env.SONANT_ADMIN_KEY ?? ''
  const apiKey = (line.api_key as string | undefined) ?? env.SONANT_API_KEY ?? ''
  const sonant = describeServer(directory, server, line, apiKey)
  return {
    ...sonant,
    adminKey,
    accountNumber: line.account_number as string,
    dataDirectory: join(directory, made ?? ''),
    ready: line,
    async admin(path, init) {
      const response = await sonant.request(`/api/v1/admin${path}`, { key: adminKey, ...init })
      const answer = (await response.json()) as Record<string, any>
      if (response.status !== 200) throw new Error(`${path}: ${response.status}: ${JSON.stringify(answer)}`)
      return answer
    },
  }
}

type Server = Pick<Sonant, 'process' | 'log'>

/** Runs `serve` until it is ready. */
async function launch(
  directory: string,
  flags: readonly string[],
  env: Record<string, string>,
  through: readonly string[] = [],
): Promise<Server & { line: Record<string, unknown> }> {
  const child = Bun.spawn([...through, executable, 'serve', ...unlimited, ...flags], {
    cwd: directory,
    env: { PATH: '/usr/bin:/bin', HOME: directory, XDG_CACHE_HOME: cacheDirectory, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
    // A process group of its own, as in a terminal: a test may signal the whole group.
    detached: true,
  })
  const log = collectLines(child.stderr)
  const ready = await readFirstLine(child.stdout)
  if (ready === undefined) {
    await log.end
    throw new Error(`sonant did not start: ${log.lines()}`)
  }
  return { process: child, log: log.lines, line: JSON.parse(ready) as Record<string, unknown> }
}

function describeServer(directory: string, server: Server, line: Record<string, unknown>, apiKey: string): Sonant {
  const baseUrl = line.base_url as string
  const sonant: Sonant = {
    ...server,
    baseUrl,
    storageUrl: line.storage_url as string,
    apiKey,
    directory,
    request(path, { method, body, headers, key = apiKey, signal } = {}) {
      return fetch(baseUrl + path, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { authorization: `Bearer ${key}`, ...headers },
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
        signal,
      })
    },
    async speak(body) {
      const response = await sonant.request('/api/v1/tts', { body: { voice_id: 'en-kevin', ...body } })
      const answer = (await response.json()) as Record<string, unknown>
      if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(answer)}`)
      const audio = await fetch(answer.url as string)
      return { answer, audio: await audio.bytes() }
    },
    async stop() {
      server.process.kill('SIGTERM')
      return server.process.exited
    },
  }
  return sonant
}

export async function stopAndRemove(sonant: Sonant): Promise<void> {
  await sonant.stop()
  await rm(sonant.directory, { recursive: true, force: true })
}

/** Runs a verb to its end. */
export function runSonant(
  args: string[],
  { cwd = tmpdir(), env = {} }: { cwd?: string; env?: Record<string, string> } = {},
) {
  const variables = { PATH: '/usr/bin:/bin', XDG_CACHE_HOME: cacheDirectory, ...env }
  const { exitCode, stdout, stderr } = Bun.spawnSync([executable, ...args], { cwd, env: variables })
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
}

/** The JSON that a verb printed. Throws with what it said instead when it printed none. */
export function parseOutput<T>({ exitCode, stdout, stderr }: ReturnType<typeof runSonant>): T {
  if (!stdout.endsWith('\n')) throw new Error(`No whole line on stdout, exit code ${exitCode}: ${stdout}${stderr}`)
  return JSON.parse(stdout) as T
}
