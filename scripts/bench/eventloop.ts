/**
 * The latency of the main process while every worker is busy: round trips of `GET /healthz` and `GET /api/v1/balance`,
 * measured by a third process and alternated with those to an idle bare Bun server. The executable has no hook to
 * measure its event loop from within, so the figures include the scheduling of all three processes.
 */
import { join } from 'node:path'
import { startUntilReady } from './process'
import { untilQuiet } from './quiet'
import { type BenchRow, median, printTable } from './report'
import { type Server, type SpeakOptions, startServer } from './server'
import { percentile } from './statistics'
import { longText, sentence } from './texts'

const rounds = 5
const probeSeconds = 3
const delayMsMax = 10
const controlFactorMax = 2

type Client = { text: string; options: SpeakOptions }
const clientsOf = (count: number, text: string, options: SpeakOptions = {}): Client[] =>
  Array.from({ length: count }, () => ({ text, options }))

const loads: Record<string, Client[]> = {
  'no load': [],
  '64 short mp3': clientsOf(64, sentence(100)),
  '4 long mp3, 4 long wav': [...clientsOf(4, longText), ...clientsOf(4, longText, { format: 'wav' })],
}

export async function benchEventLoop(): Promise<BenchRow[]> {
  const server = await startServer()
  const idle = await startUntilReady([process.execPath, join(import.meta.dir, 'idle-server.ts')])
  const urls = [`${server.baseUrl}/healthz`, `${idle.ready.base_url}/healthz`, `${server.baseUrl}/api/v1/balance`]
  const rows: BenchRow[] = []
  try {
    await probe(server, urls)
    for (const [name, clients] of Object.entries(loads)) {
      await untilQuiet()
      const [ours, control, balance] = await underLoad(server, clients, urls)
      rows.push(row(`GET /healthz p50, ${name}`, 0.5, ours, control))
      const p99 = row(`GET /healthz p99, ${name}`, 0.99, ours, control)
      rows.push({ ...p99, most: Math.max(controlFactorMax, delayMsMax / p99.reference!) })
      rows.push(row(`GET /api/v1/balance p99, ${name} (aim ${delayMsMax} ms)`, 0.99, balance, control))
    }
  } finally {
    idle.child.kill()
    await Promise.all([server.stop(), idle.child.exited])
  }
  return rows
}

/** Returns the times of each URL by round, milliseconds. */
async function underLoad(
  server: Server,
  clients: Client[],
  urls: string[],
): Promise<[number[][], number[][], number[][]]> {
  let stopped = false
  const running = clients.map(async ({ text, options }) => {
    while (!stopped) await server.speak(text, options)
  })
  const ours: number[][] = []
  const control: number[][] = []
  const balance: number[][] = []
  for (let round = 0; round < rounds; round++) {
    const [first, second, third] = await probe(server, urls)
    ours.push(first!)
    control.push(second!)
    balance.push(third!)
  }
  stopped = true
  await Promise.all(running)
  return [ours, control, balance]
}

/** Requests the URLs in turns for `seconds` and returns the times of each, milliseconds. */
export async function probe({ apiKey }: Server, urls: string[], seconds = probeSeconds): Promise<number[][]> {
  const command = [process.execPath, join(import.meta.dir, 'probe.ts'), String(seconds), ...urls]
  const env = { ...process.env, AUTHORIZATION: `Bearer ${apiKey}` }
  const child = Bun.spawn(command, { stdio: ['ignore', 'pipe', 'inherit'], env })
  return JSON.parse(await new Response(child.stdout).text()) as number[][]
}

function row(name: string, share: number, ours: number[][], control: number[][]): BenchRow {
  const value = median(ours.map((times) => percentile(times, share)))
  const reference = median(control.map((times) => percentile(times, share)))
  return { name, value, unit: 'ms', reference, ratio: value / reference, goal: null }
}

if (import.meta.main) printTable(await benchEventLoop())
