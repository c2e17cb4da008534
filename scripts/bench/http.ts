/**
 * Requests per second of routes that only read the database, against a bare Elysia server that is compiled in the same
 * way and returns the same JSON. The requests come from a separate process that only counts bytes. Its share of a core
 * is printed too; well below 1, it does not limit the figures.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile } from '../build'
import { startUntilReady } from './process'
import { untilQuiet } from './quiet'
import { type BenchRow, median, printTable } from './report'
import { startServer } from './server'

const rounds = 9
const roundSeconds = 2
const connections = 24

type Load = { answers: number; seconds: number; cpuSeconds: number }
type Route = { path: string; apiKey: string | undefined; goal: number }

export async function benchHttp(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sonant-bench-'))
  const server = await startServer()
  const routes: Route[] = [
    { path: '/api/v1/balance', apiKey: server.apiKey, goal: 0.5 },
    { path: '/api/v1/voices', apiKey: undefined, goal: 0.7 },
  ]
  let bare: Awaited<ReturnType<typeof startUntilReady>> | undefined
  try {
    const [balance, voices] = await Promise.all(routes.map((route) => read(server.baseUrl, route)))
    const answersPath = join(folder, 'answers.json')
    await Bun.write(answersPath, JSON.stringify({ balance, voices }))
    const barePath = await compile(join(import.meta.dir, 'bare-elysia.ts'), join(folder, 'bare'))
    bare = await startUntilReady([barePath, answersPath])
    const rows: BenchRow[] = []
    for (const route of routes) {
      ensureEqual(await read(bare.ready.base_url, route), await read(server.baseUrl, route))
      rows.push(...(await compare(server.baseUrl, bare.ready.base_url, route)))
    }
    return rows
  } finally {
    bare?.child.kill()
    await Promise.all([server.stop(), bare?.child.exited])
    await rm(folder, { recursive: true })
  }
}

async function compare(ourUrl: string, bareUrl: string, route: Route): Promise<BenchRow[]> {
  const ours: Load[] = []
  const bare: Load[] = []
  // The first round only warms up the servers.
  for (let round = -1; round < rounds; round++) {
    await untilQuiet()
    const [first, second] = [await load(ourUrl, route), await load(bareUrl, route)]
    if (round < 0) continue
    ours.push(first)
    bare.push(second)
  }
  const row = (name: string, unit: string, goal: number | null, of: (load: Load) => number): BenchRow => {
    const [value, reference] = [median(ours.map(of)), median(bare.map(of))]
    const ratio = median(ours.map((load, round) => of(load) / of(bare[round]!)))
    return { name, value, unit, reference, ratio, goal }
  }
  const name = `GET ${route.path}`
  return [
    row(
      `${name}, ${connections} connections (bare Elysia)`,
      '/s',
      route.goal,
      ({ answers, seconds }) => answers / seconds,
    ),
    row(`${name}, load generator (bare Elysia)`, 'cores', null, ({ cpuSeconds, seconds }) => cpuSeconds / seconds),
  ]
}

async function load(baseUrl: string, { path, apiKey }: Route): Promise<Load> {
  const client = [process.execPath, join(import.meta.dir, 'http-client.ts'), String(roundSeconds), String(connections)]
  const child = Bun.spawn([...client, `${baseUrl}${path}`, ...(apiKey ? [apiKey] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(await new Response(child.stdout).text()) as Load
}

async function read(baseUrl: string, { path, apiKey }: Route): Promise<unknown> {
  const response = await fetch(`${baseUrl}${path}`, { headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {} })
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`)
  return response.json()
}

function ensureEqual(bare: unknown, ours: unknown): void {
  if (!Bun.deepEquals(bare, ours)) throw new Error('the two servers do not answer alike')
}

if (import.meta.main) printTable(await benchHttp())
