/** An ephemeral server with a known user and administrator, called in JSON, for tests of callers. */
import { expect } from 'bun:test'
import { openDatabase } from '../../src/db/database'
import { join } from 'node:path'
import { collectLines, readFirstLine } from '../lines'
import { executable, omitDemos } from './sonant'

export const userKey = 'user-key-for-tests'
export const adminKey = 'admin-key-for-tests'
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** JSON of any shape; tests check it themselves. */
export type Json = any

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Json; readonly text: string }

/** `key` null sends no Authorization; a string `body` is sent unchanged. */
export type Call = { method?: string; body?: unknown; key?: string | null; headers?: Record<string, string> }

export type Server = {
  /** The line of the start. */
  readonly ready: Json
  readonly baseUrl: string
  readonly port: number
  readonly process: Bun.Subprocess
  readonly log: () => string
  /** Calls as the user, unless `key` is given. */
  ask(path: string, call?: Call): Promise<Answer>
  /** Calls as the administrator under `/api/v1/admin`; expects 200 and returns the body. */
  admin(method: string, path: string, body?: unknown): Promise<Json>
  /** Creates an account with a key. */
  makeAccount(fields?: Record<string, unknown>): Promise<{ id: string; key: string; keyId: string }>
  stop(): Promise<void>
}

const unlimited = ['tts', 'clone', 'voices', 'account'].flatMap((name) => [`--limit-${name}`, '0'])

export function startServer(flags: string[] = []): Promise<Server> {
  return spawn(['--ephemeral', '--api-key', userKey, '--admin-key', adminKey, ...unlimited, ...flags], adminKey)
}

/**
 * With a data directory: only the administrator exists, with a key from the environment. `key` null: the first start
 * prints a key.
 */
export async function startOn(
  directory: string,
  flags: string[] = [],
  key: string | null = adminKey.repeat(2),
): Promise<Server> {
  const data = join(directory, 'data')
  const env: Record<string, string> = key === null ? {} : { SONANT_ADMIN_KEY: key }
  const server = await spawn(['--port', '0', '--data', data, ...unlimited, ...flags], key, env)
  await omitDemos(data)
  return server
}

export const openData = (directory: string) => openDatabase(join(directory, 'data/sonant.db'))

async function spawn(
  flags: string[],
  administratorKey: string | null,
  env: Record<string, string> = {},
): Promise<Server> {
  const child = Bun.spawn([executable, 'serve', ...flags], {
    env: { PATH: '/usr/bin:/bin', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const { lines: log, end: logEnd } = collectLines(child.stderr)
  const line = await readFirstLine(child.stdout)
  if (line === undefined) {
    await logEnd
    throw new Error(`sonant did not start: ${log()}`)
  }
  const ready = JSON.parse(line) as Json
  const baseUrl = ready.base_url as string

  const server: Server = {
    ready,
    baseUrl,
    port: Number(new URL(baseUrl).port),
    process: child,
    log,
    async ask(path, { method, body, key = userKey, headers } = {}) {
      const response = await fetch(baseUrl + path, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson && text ? JSON.parse(text) : undefined,
      }
    },
    async admin(method, path, body) {
      const answer = await server.ask(`/api/v1/admin${path}`, { method, body, key: administratorKey ?? ready.api_key })
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
      return answer.body
    },
    async makeAccount(fields = {}) {
      const { id } = await server.admin('POST', '/accounts', { name: 'Somebody', ...fields })
      const key = await server.admin('POST', `/accounts/${id}/keys`, { name: 'key' })
      return { id, key: key.api_key, keyId: key.id }
    },
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
  return server
}

const types: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  502: 'engine_error',
}

/** No internals: no stack, no file path, no database terms. */
const inside = /\n\s+at |\$bunfs|\/root\/|src\/|\.ts:|node_modules|SQLITE|sqlite|\/tmp\//

/** Exactly the envelope of 7.2. */
export function expectError(answer: Answer, status: number, code: string, param: string | null = null): void {
  const { error } = (answer.body ?? {}) as { error?: Record<string, unknown> }
  expect({ status: answer.status, error }).toEqual({
    status,
    error: {
      code,
      message: expect.any(String),
      type: types[status] ?? 'invalid_request_error',
      param,
      x_relay: { request_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
    },
  })
  expect(answer.headers.get('x-request-id')).toBe((error!.x_relay as { request_id: string }).request_id)
  expect(answer.text).not.toMatch(inside)
  expect(answer.headers.get('cache-control')).toBe('private, no-store')
  expect(answer.headers.get('vary')).toBe('Authorization')
}

/** All pages of a list, by their cursors; `name` is the list's field. */
export async function readPages(
  server: Server,
  path: string,
  { key, limit, name = 'items' }: { key: string; limit: number; name?: string },
): Promise<Json[][]> {
  const pages: Json[][] = []
  const url = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`
  for (let cursor: string | null = null; ;) {
    const { status, body, text } = await server.ask(cursor === null ? url : `${url}&cursor=${cursor}`, { key })
    if (status !== 200) throw new Error(text)
    pages.push(body[name])
    cursor = body.next_cursor
    if (cursor === null) return pages
  }
}
