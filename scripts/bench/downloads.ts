/**
 * The cost of downloads from customers' URLs: the latency of the main process during ten hostile downloads, its memory
 * during forty, and the time that the separate process adds to an ordinary download.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { downloadLimits } from '../../src/config'
import { createDownloader } from '../../src/net/download'
import { probe } from './eventloop'
import { startUntilReady } from './process'
import { untilQuiet } from './quiet'
import { type BenchRow, median, printTable } from './report'
import { executable, type Server, startServer } from './server'
import { percentile } from './statistics'

const rounds = 3
const probeSeconds = 2
const hostileClients = 10
const delayMsMax = 20
const memoryClients = 40
const memorySeconds = 5
const memoryPollMs = 20
const memoryMegabytesMax = 100
const ordinaryDownloads = 30

/** Runs the host at low priority: it stands for remote hosts, which use none of this machine's cores. */
const hostPriority = 19

const floods = { 'endless 100 Continue': '/continue', 'endless 103': '/hints', 'one-byte chunks': '/chunks' }

export async function benchDownloads(): Promise<BenchRow[]> {
  const host = await startUntilReady([process.execPath, join(import.meta.dir, 'foreign-host.ts')])
  const control = await startUntilReady([process.execPath, join(import.meta.dir, 'idle-server.ts')])
  setPriority(host.child.pid, hostPriority)
  const hostUrl = host.ready.base_url
  const server = await startServer({ flags: ['--clone-url-allow', new URL(hostUrl).host, '--limit-clone', '0'] })
  try {
    return [
      ...(await benchDelay(server, hostUrl, control.ready.base_url)),
      await benchMemory(server, hostUrl),
      await benchOrdinary(hostUrl),
    ]
  } finally {
    host.child.kill()
    control.child.kill()
    await Promise.all([server.stop(), host.child.exited, control.child.exited])
  }
}

/** Keeps `count` clients cloning from `url`, each with its own key, until the returned function is called. */
function keepCloning(server: Server, url: string, count: number): () => Promise<void> {
  let stopped = false
  const running = Array.from({ length: count }, async () => {
    const authorization = `Bearer ${server.createKey()}`
    const body = JSON.stringify({ name: 'From afar', url })
    const headers = { authorization, 'content-type': 'application/json' }
    while (!stopped) {
      const { status } = await fetch(`${server.baseUrl}/api/v1/voices/clone`, { method: 'POST', headers, body })
      if (status !== 502 && status !== 429) throw new Error(`The server answered ${status}.`)
      if (status === 429) await Bun.sleep(100)
    }
  })
  return async () => {
    stopped = true
    await Promise.all(running)
  }
}

/** Requests alternate between the server and a bare one, so that the load of the machine shows in both. */
async function benchDelay(server: Server, hostUrl: string, controlUrl: string): Promise<BenchRow[]> {
  const urls = [`${server.baseUrl}/healthz`, `${controlUrl}/`]
  const p99 = async () => {
    const found: number[][] = [[], []]
    for (let round = 0; round < rounds; round++)
      for (const [i, times] of (await probe(server, urls, probeSeconds)).entries())
        found[i]!.push(percentile(times, 0.99))
    return found.map(median) as [number, number]
  }
  await probe(server, urls, probeSeconds)
  await untilQuiet()
  const [idle, controlIdle] = await p99()
  const rows: BenchRow[] = []
  const add = (name: string, value: number, reference: number, most?: number) =>
    rows.push({ name, value, unit: 'ms', reference, ratio: value / reference, goal: null, most })
  for (const [name, path] of Object.entries(floods)) {
    const stop = keepCloning(server, `${hostUrl}${path}`, hostileClients)
    const [ours, control] = await p99()
    await stop()
    add(`GET /healthz p99, ten downloads of ${name}, against idle`, ours, idle, Math.max(1, delayMsMax / idle))
    add(`the same of a bare server beside it`, control, controlIdle)
  }
  return rows
}

/** Measures the peak resident memory of the main process during forty downloads, against the memory before. */
async function benchMemory(server: Server, hostUrl: string): Promise<BenchRow> {
  const before = residentMegabytes(server.pid)
  const stop = keepCloning(server, `${hostUrl}/chunks`, memoryClients)
  let largest = before
  for (const endAtMs = performance.now() + memorySeconds * 1000; performance.now() < endAtMs;) {
    largest = Math.max(largest, residentMegabytes(server.pid))
    await Bun.sleep(memoryPollMs)
  }
  await stop()
  const name = `main process, ${memoryClients} downloads of one-byte chunks, more than before`
  return {
    name,
    value: largest - before,
    unit: 'MB',
    reference: null,
    ratio: null,
    goal: null,
    most: memoryMegabytesMax,
  }
}

/** Alternates a download as the server makes it with `fetch` in this process. */
async function benchOrdinary(hostUrl: string): Promise<BenchRow> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-bench-'))
  const url = `${hostUrl}/file`
  const { download } = createDownloader({
    command: [await executable(), 'downloader'],
    allowed: [new URL(url).host],
    limits: downloadLimits,
  })
  const ours: number[] = []
  const bare: number[] = []
  const time = async (times: number[], work: () => Promise<unknown>) => {
    const startedAtMs = performance.now()
    await work()
    times.push(performance.now() - startedAtMs)
  }
  await untilQuiet()
  for (let i = 0; i < ordinaryDownloads; i++) {
    const path = join(directory, String(i))
    await Bun.write(path, '')
    await time(ours, () => download(url, { path, sizeBytesMax: 15 << 20, key: 'bench' }))
    await time(bare, async () => Bun.write(path, await (await fetch(url)).bytes()))
  }
  await rm(directory, { recursive: true })
  const [value, reference] = [median(ours), median(bare)]
  const name = 'an ordinary download of 1 MB, against fetch in the main process'
  return { name, value, unit: 'ms', reference, ratio: value / reference, goal: null }
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000
}

if (import.meta.main) printTable(await benchDownloads())
