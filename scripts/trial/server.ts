/** The compiled executable as an ephemeral server, and requests to it. */
import { connect } from 'node:net'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startUntilReady } from '../bench/process'
import { root } from '../run'
import type { Findings } from './trial'

export const userKey = 'sk-user-of-the-trial'
export const adminKey = 'sk-administrator-of-the-trial'
const unlimited = ['tts', 'clone', 'voices', 'account'].flatMap((name) => [`--limit-${name}`, '0'])

/** JSON of any shape. */
export type Json = any

export type Call = {
  readonly method?: string
  /** Text and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown
  /** null: no Authorization. */
  readonly key?: string | null
  readonly headers?: Record<string, string>
  readonly timeoutMs?: number
}
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Json; readonly text: string }
export type TrialServer = Awaited<ReturnType<typeof startTrialServer>>

const isRaw = (body: unknown) => typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData

/** `limited` leaves the limits of calls as they are. */
export async function startTrialServer({ flags = [] as string[], limited = false } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-trial-'))
  const logPath = join(directory, 'log')
  const keys = ['--api-key', userKey, '--admin-key', adminKey, '--balance', '10000000']
  const command = [join(root, 'dist/sonant'), 'serve', '--ephemeral', '--port', '0', '--log-level', 'warn', ...keys]
  const { child, ready } = await startUntilReady([...command, ...(limited ? [] : unlimited), ...flags], {
    stderr: Bun.file(logPath),
    environment: { PATH: '/usr/bin:/bin', TMPDIR: directory },
  })
  const baseUrl = ready.base_url

  async function ask(path: string, call: Call = {}): Promise<Answer> {
    const { method, body, key = userKey, headers, timeoutMs = 90_000 } = call
    const response = await fetch(baseUrl + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
      body: body === undefined ? undefined : isRaw(body) ? (body as string) : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  }

  return {
    baseUrl,
    port: Number(new URL(baseUrl).port),
    process: child,
    directory,
    ask,

    /** As the administrator, under `/api/v1/admin`. Throws unless the answer is 200. */
    async admin(method: string, path: string, body?: unknown): Promise<Json> {
      const answer = await ask(`/api/v1/admin${path}`, { method, body, key: adminKey })
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
      return answer.body
    },

    async dataDirectory(): Promise<string> {
      const name = (await readdir(directory)).find((each) => each.startsWith('sonant-ephemeral-'))
      return join(directory, name!)
    },

    /** Adds a finding for a dead server, for errors in its log, and for a ledger that does not balance. */
    async inspect(findings: Findings): Promise<void> {
      if (child.exitCode !== null) return findings.add(`the server ended with ${child.exitCode}`)
      const health = await ask('/healthz', { key: null, timeoutMs: 20_000 }).catch((error: Error) => error)
      if (!('status' in health) || health.status !== 200) findings.add('/healthz did not answer afterwards')
      const log = await Bun.file(logPath).text()
      for (const line of log.split('\n'))
        if (line.includes('"level":"error"') && !line.includes('fault on demand')) findings.add(`logged: ${line}`)
      if (log.includes(userKey) || log.includes(adminKey)) findings.add('a key stands in the log')
      const audit = Bun.spawnSync([join(root, 'dist/sonant'), 'audit', '--data', await this.dataDirectory()])
      if (audit.exitCode !== 0) findings.add(`audit: ${audit.stdout.toString()}${audit.stderr.toString()}`)
    },

    async stop(): Promise<number> {
      child.kill('SIGTERM')
      const exitCode = await child.exited
      await rm(directory, { recursive: true, force: true })
      return exitCode
    },
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const inside = /\n\s+at |\$bunfs|\/root\/|src\/|\.ts:|node_modules|SQLITE|sqlite|sonant-ephemeral/

/** The fault of an answer, which must be a success or one of our errors; undefined without one. */
export function faultOf({ status, body, text }: Pick<Answer, 'status' | 'body' | 'text'>): string | undefined {
  const shown = text.slice(0, 300)
  if (inside.test(text)) return `shows the inside: ${shown}`
  if (status < 400) return undefined
  if (status === 500) return `answers 500: ${shown}`
  const error = body?.error
  const isEnvelope =
    error &&
    typeof error.code === 'string' &&
    typeof error.message === 'string' &&
    typeof error.type === 'string' &&
    (error.param === null || typeof error.param === 'string') &&
    /^[0-9a-f]{32}$/.test(error.x_relay?.request_id ?? '')
  return isEnvelope ? undefined : `answers ${status} without the envelope: ${shown}`
}

export type RawOptions = {
  /** After this silence of the server its answer counts as complete. */
  readonly silentMs?: number
  /** Longest wait for the first byte. */
  readonly firstMs?: number
  readonly pauseMs?: number
}

/** Sends pieces over a new connection. Returns all received bytes until the server closes or is silent. */
export function exchange(
  port: number,
  pieces: Iterable<string | Uint8Array>,
  { silentMs = 300, firstMs = 10_000, pauseMs = 0 }: RawOptions = {},
): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1')
    const end = () => {
      clearTimeout(silence)
      socket.destroy()
      resolve(answer)
    }
    let silence = setTimeout(end, firstMs)
    socket.on('data', (data) => {
      answer += data.toString('latin1')
      clearTimeout(silence)
      silence = setTimeout(end, silentMs)
    })
    socket.on('close', end)
    socket.on('error', end)
    void (async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return
        if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
        if (pauseMs > 0) await Bun.sleep(pauseMs)
      }
    })()
  })
}

function once(socket: ReturnType<typeof connect>, event: string): Promise<void> {
  return new Promise((resolve) => socket.once(event, () => resolve()))
}

/** The status of a raw answer; 0 when the connection ended without one. */
export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
