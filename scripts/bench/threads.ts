/**
 * The number of threads per worker: throughput of all workers and latency of a single sentence, for the rule of
 * `workers/compute.ts` (cores divided by workers) and for onnxruntime's default (a thread per core in every process).
 */
import { availableParallelism } from 'node:os'
import { rm } from 'node:fs/promises'
import { idsOfSentence, startGraphProcess, writeHeavyPack, type GraphProcess } from './graph'
import { untilQuiet } from './quiet'
import { type BenchRow, median, printTable } from './report'

const rounds = 5
const sentencesEach = 4

export async function benchThreads(): Promise<BenchRow[]> {
  const pack = await writeHeavyPack()
  if (!pack) return []
  const path = pack.graph
  const cores = availableParallelism()
  const rows: BenchRow[] = []
  try {
    for (const workers of [...new Set([1, cores])]) {
      const threads = Math.max(1, Math.floor(cores / workers))
      const processes = Array.from({ length: workers }, startGraphProcess)
      const together = (count: number | null) => deliver(processes, path, count)
      await together(threads)
      await together(null)
      const [ours, naive]: [number[], number[]] = [[], []]
      for (let round = 0; round < rounds; round++) {
        await untilQuiet()
        ours.push(await together(threads))
        await untilQuiet()
        naive.push(await together(null))
      }
      await Promise.all(processes.map((process) => process.stop()))
      const [value, reference] = [median(ours), median(naive)]
      rows.push({
        name: `${workers} worker${workers > 1 ? 's' : ''} × ${threads} thread${threads > 1 ? 's' : ''} / × ${cores}, onnxruntime's choice`,
        value,
        unit: 's/s',
        reference,
        ratio: value / reference,
        goal: workers > 1 ? 1 : null,
      })
    }
    return rows
  } finally {
    await rm(pack.directory, { recursive: true })
  }
}

/** Returns the seconds of audio per second of all processes together. */
async function deliver(processes: readonly GraphProcess[], path: string, threads: number | null): Promise<number> {
  const sentences = Array.from({ length: sentencesEach }, () => idsOfSentence())
  const startedAtMs = performance.now()
  const results = await Promise.all(processes.map((process) => process.run({ path, threads, sentences, mp3: false })))
  const audioSeconds = results.reduce((sum, result) => sum + result.audioSeconds, 0)
  return audioSeconds / ((performance.now() - startedAtMs) / 1000)
}

if (import.meta.main) printTable(await benchThreads())
