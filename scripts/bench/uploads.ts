/**
 * The cost of uploads: the latency of the main process during ten hostile ones, its memory, and the time that an
 * ordinary recording takes to arrive, against a bare server that reads the same bytes.
 */
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { probe } from './eventloop'
import { startUntilReady } from './process'
import { untilQuiet } from './quiet'
import { type BenchRow, median, printTable } from './report'
import { type Server, startServer } from './server'
import { percentile } from './statistics'

const rounds = 3
const probeSeconds = 2
const delayMsMax = 20
const hostileClients = 10
/** A recording of 15 MiB for each client. */
const memoryMegabytesMax = 160
const ordinaryUploads = 30
const ordinaryBytes = 1_000_000
/** The rate limit of a key per minute. */
const uploadsPerKey = 10

/** Runs the uploaders at low priority: they stand for remote clients, which use none of this machine's cores. */
const uploaderPriority = 19

const floods = ['one-byte chunks', 'beginnings of boundaries', 'JSON that is too large']

export async function benchUploads(): Promise<BenchRow[]> {
  const control = await startUntilReady([process.execPath, join(import.meta.dir, 'idle-server.ts')])
  const server = await startServer()
  const createKeys = () => Array.from({ length: hostileClients }, () => server.createKey())
  const urls = [`${server.baseUrl}/healthz`, control.ready.base_url]
  /** Requests alternate between the server and a bare one, so that the load of the machine shows in both. */
  const p99 = async () => {
    const found: number[][] = [[], []]
    for (let round = 0; round < rounds; round++)
      for (const [i, times] of (await probe(server, urls, probeSeconds)).entries())
        found[i]!.push(percentile(times, 0.99))
    return found.map(median) as [number, number]
  }
  const rows: BenchRow[] = []
  try {
    await p99()
    await untilQuiet()
    const [idle, controlIdle] = await p99()
    const memoryBefore = residentMegabytes(server.pid)
    let memoryMost = memoryBefore
    for (const flood of floods) {
      const script = join(import.meta.dir, 'hostile-uploader.ts')
      const { child } = await startUntilReady([process.execPath, script, server.baseUrl, flood, ...createKeys()])
      setPriority(child.pid, uploaderPriority)
      const [value, ofControl] = await p99()
      memoryMost = Math.max(memoryMost, residentMegabytes(server.pid))
      child.kill()
      await child.exited
      const name = `GET /healthz p99, ten uploads of ${flood}, against idle`
      const most = Math.max(1, delayMsMax / idle)
      rows.push({ name, value, unit: 'ms', reference: idle, ratio: value / idle, goal: null, most })
      const ratio = ofControl / controlIdle
      const unit = 'ms'
      rows.push({
        name: 'the same of a bare server beside it',
        value: ofControl,
        unit,
        reference: controlIdle,
        ratio,
        goal: null,
      })
    }
    rows.push({
      name: 'main process during them, more than before',
      value: memoryMost - memoryBefore,
      unit: 'MB',
      reference: null,
      ratio: null,
      goal: null,
      most: memoryMegabytesMax,
    })
    rows.push(await benchOrdinary(server))
  } finally {
    control.child.kill()
    await Promise.all([server.stop(), control.child.exited])
  }
  return rows
}

/** The form has no recording in it, so that nothing but its arrival is measured. */
async function benchOrdinary({ baseUrl, createKey }: Server): Promise<BenchRow> {
  const bare = Bun.serve({
    port: 0,
    fetch: async (request) => Response.json({ sizeBytes: (await request.bytes()).length }, { status: 400 }),
  })
  const form = new FormData()
  form.set('name', 'Ada')
  form.set('file', new File([new Uint8Array(ordinaryBytes)], 'a.wav'))
  const times: [number[], number[]] = [[], []]
  const keys = Array.from({ length: ordinaryUploads / uploadsPerKey }, () => createKey())
  await untilQuiet()
  for (let i = 0; i < ordinaryUploads; i++)
    for (const [j, url] of [`${baseUrl}/api/v1/voices/clone`, String(bare.url)].entries()) {
      const startedAtMs = performance.now()
      const headers = { authorization: `Bearer ${keys[Math.floor(i / uploadsPerKey)]}` }
      const { status } = await fetch(url, { method: 'POST', headers, body: form })
      if (status !== 400) throw new Error(`The server answered ${status}.`)
      times[j]!.push(performance.now() - startedAtMs)
    }
  await bare.stop(true)
  const [value, reference] = [median(times[0]), median(times[1])]
  const name = 'an upload of 1 MB that is no recording, against reading it in a bare server'
  return { name, value, unit: 'ms', reference, ratio: value / reference, goal: null }
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000
}

if (import.meta.main) printTable(await benchUploads())
