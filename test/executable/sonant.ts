/** Starts the compiled executable, as a user would, from an empty directory, and talks to it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const executable = join(import.meta.dir, '../../dist/sonant')

export type Sonant = {
  readonly baseUrl: string
  readonly storageUrl: string
  readonly apiKey: string
  readonly directory: string
  readonly process: Bun.Subprocess
  /** Everything it wrote to stderr so far. */
  readonly log: () => string
  /** A request with the key, a JSON body when there is one. */
  request(path: string, init?: { method?: string; body?: unknown; headers?: Record<string, string> }): Promise<Response>
  speak(body: Record<string, unknown>): Promise<Speech>
  stop(): Promise<number>
}

/** Most tests ask more often than a key may; those of the limits set their own, and the last one counts. */
const unlimited = ['tts', 'voices', 'account'].flatMap((name) => [`--limit-${name}`, '0'])

export type Speech = { answer: Record<string, unknown>; audio: Uint8Array }

export async function startSonant({ flags = [], env = {} }: { flags?: string[]; env?: Record<string, string> } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-test-'))
  return startIn(directory, { flags, env })
}

/** Starts it on a directory that may have been used before; `stop` then leaves the directory in place. */
export async function startIn(
  directory: string,
  { flags = [], env = {}, apiKey = '' }: { flags?: string[]; env?: Record<string, string>; apiKey?: string } = {},
): Promise<Sonant> {
  const child = Bun.spawn(
    [executable, 'serve', '--port', '0', '--data', join(directory, 'data'), ...unlimited, ...flags],
    {
      cwd: directory,
      env: { PATH: '/usr/bin:/bin', HOME: directory, ...env },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  let log = ''
  void (async () => {
    for await (const chunk of child.stderr) log += Buffer.from(chunk).toString()
  })()
  const ready = await firstLine(child.stdout)
  if (!ready) throw new Error(`sonant did not start: ${log}`)
  const line = JSON.parse(ready) as { base_url: string; storage_url: string; api_key?: string }
  const key = line.api_key ?? apiKey
  const sonant: Sonant = {
    baseUrl: line.base_url,
    storageUrl: line.storage_url,
    apiKey: key,
    directory,
    process: child,
    log: () => log,
    request(path, { method, body, headers } = {}) {
      return fetch(line.base_url + path, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { authorization: `Bearer ${key}`, ...headers },
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      })
    },
    async speak(body) {
      const response = await sonant.request('/api/v1/tts', { body })
      const answer = (await response.json()) as Record<string, unknown>
      if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(answer)}`)
      const audio = await fetch(answer.url as string)
      return { answer, audio: await audio.bytes() }
    },
    async stop() {
      child.kill('SIGTERM')
      return child.exited
    },
  }
  return sonant
}

export async function stopAndRemove(sonant: Sonant): Promise<void> {
  await sonant.stop()
  await rm(sonant.directory, { recursive: true, force: true })
}

async function firstLine(stdout: ReadableStream<Uint8Array>): Promise<string | undefined> {
  let text = ''
  for await (const chunk of stdout) {
    text += Buffer.from(chunk).toString()
    const end = text.indexOf('\n')
    if (end >= 0) return text.slice(0, end)
  }
  return undefined
}

/** Runs a verb to its end. */
export function runSonant(args: string[], { cwd = tmpdir() }: { cwd?: string } = {}) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([executable, ...args], { cwd, env: { PATH: '/usr/bin:/bin' } })
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
}
