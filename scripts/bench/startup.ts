/** The time from exec to ready and to the first finished mp3, each time on a new data directory. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startUntilReady } from './process'
import { untilQuiet } from './quiet'
import { type BenchRow, median, printTable } from './report'
import { executable, startServer } from './server'

const rounds = 9
const firstText = 'Hello! This is my first sentence.'
const bareFactorMax = 5
const firstMp3MsMax = 900

export async function benchStartup(): Promise<BenchRow[]> {
  await executable()
  const folder = await mkdtemp(join(tmpdir(), 'sonant-bench-'))
  const bareMs: number[] = []
  const readyMs: number[] = []
  const firstMp3Ms: number[] = []
  try {
    const barePath = await compileBareServer(join(folder, 'bare'))
    for (let round = -1; round < rounds; round++) {
      await untilQuiet()
      const bare = await startUntilReady([barePath])
      bare.child.kill()
      await bare.child.exited
      const server = await startServer({ settled: false })
      await server.speak(firstText)
      const finishedMs = performance.now() - server.startedAtMs
      await server.stop()
      // The first round only loads the executables into the page cache.
      if (round < 0) continue
      bareMs.push(bare.readyMs)
      readyMs.push(server.readyMs)
      firstMp3Ms.push(finishedMs)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
  const value = median(readyMs)
  const reference = median(bareMs)
  const ready = { name: 'exec to ready (aim 300 ms)', value, unit: 'ms', reference, ratio: value / reference }
  const first = { name: 'exec to first mp3', value: median(firstMp3Ms), unit: 'ms', reference: null, ratio: null }
  return [
    { ...ready, goal: null, most: bareFactorMax },
    { ...first, goal: null, most: firstMp3MsMax },
  ]
}

async function compileBareServer(outfile: string): Promise<string> {
  const result = await Bun.build({ entrypoints: [join(import.meta.dir, 'idle-server.ts')], compile: { outfile } })
  if (!result.success) throw new AggregateError(result.logs, 'the bare server could not be compiled')
  return outfile
}

if (import.meta.main) printTable(await benchStartup())
