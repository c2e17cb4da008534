/**
 * The cost of tone conversion on one core, in time and memory, with graphs as large as OpenVoice's. Each length is
 * measured in a separate process, as fresh as a new worker.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConverter } from '../../src/cloning/convert/converter'
import type { ModelFiles } from '../../src/speech/voice'
import { openRuntime } from '../../src/speech/onnx/runtime'
import { speechLike } from '../../test/audio/signals'
import { writeConverterPack } from '../../test/onnx/converter'
import { residentBytes } from './answering'
import { heavyConverter, heavyExtractor } from './heavy-converter'
import { untilQuiet } from './quiet'
import { type BenchRow, median, printTable } from './report'

/** A short sentence, the longest one that is converted whole, and two that are converted in chunks. */
const lengthsSeconds = [3, 8.5, 15, 25]
const rounds = 3

type Cost = { loadMs: number; extractMs: number; realTimeFactor: number; loadedMib: number; peakMib: number }

export async function benchConvert(): Promise<BenchRow[]> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-bench-'))
  try {
    const model = await writeConverterPack(directory, { converter: heavyConverter(), extractor: heavyExtractor() })
    const rows: BenchRow[] = []
    for (const seconds of lengthsSeconds) {
      await untilQuiet()
      const child = Bun.spawn([process.execPath, import.meta.path, JSON.stringify(model), String(seconds)], {
        stdout: 'pipe',
        stderr: 'inherit',
      })
      const cost = JSON.parse(await new Response(child.stdout).text()) as Cost
      if (rows.length === 0)
        rows.push(row('converter: loading', cost.loadMs, 'ms'), row('converter: memory, loaded', cost.loadedMib, 'MiB'))
      rows.push(
        row(`converter: real-time factor, ${seconds} s`, cost.realTimeFactor, 's/s'),
        row(`converter: most memory, ${seconds} s`, cost.peakMib, 'MiB'),
        row(`converter: tone of ${seconds} s`, cost.extractMs, 'ms'),
      )
    }
    return rows
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function measure(model: ModelFiles, seconds: number): Promise<Cost> {
  const startedAtMs = performance.now()
  const runtime = await openRuntime({ directory: model.directory, provider: 'cpu', threads: 1 })
  const converter = await loadConverter(model, runtime)
  const loadMs = performance.now() - startedAtMs
  const loadedMib = residentBytes('VmRSS') / 2 ** 20
  const speech = speechLike({ seconds, sampleRate: converter.sampleRate })
  const tone = await converter.extract(speech)
  const extractStartedAtMs = performance.now()
  await converter.extract(speech)
  const extractMs = performance.now() - extractStartedAtMs
  const factors: number[] = []
  for (let round = 0; round < rounds; round++) {
    const roundStartedAtMs = performance.now()
    await converter.convert(speech, tone, tone)
    factors.push((performance.now() - roundStartedAtMs) / 1000 / seconds)
  }
  return { loadMs, extractMs, realTimeFactor: median(factors), loadedMib, peakMib: residentBytes('VmHWM') / 2 ** 20 }
}

function row(name: string, value: number, unit: string): BenchRow {
  return { name, value, unit, reference: null, ratio: null, goal: null }
}

if (import.meta.main) {
  const [model, seconds] = process.argv.slice(2)
  if (model) console.log(JSON.stringify(await measure(JSON.parse(model) as ModelFiles, Number(seconds))))
  else printTable(await benchConvert())
}
