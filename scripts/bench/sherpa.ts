/**
 * Texts to samples against `sherpa-onnx-node`, with the same heavy file and the same number of threads, each in a
 * separate process.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runtimeSettings } from '../../src/workers/worker-process'
import { unpackEspeakData } from '../sherpa/espeak-data'
import type { FrontResult, FrontTask } from './front-process'
import { heavyConfiguration, writeHeavyPack } from './graph'
import { startAnswering } from './process'
import { untilQuiet } from './quiet'
import { type BenchRow, median, printTable } from './report'
import { sentence } from './texts'

const rounds = 7
const texts = Array.from({ length: 6 }, (_, i) => sentence(100, i))
const warmUpRounds = 6
const idsRounds = 60

export async function benchSherpa(): Promise<BenchRow[]> {
  const pack = await writeHeavyPack()
  if (!pack) return []
  const dataDirectory = await mkdtemp(join(tmpdir(), 'sonant-bench-espeak-'))
  await unpackEspeakData(dataDirectory)
  await Bun.write(`${pack.graph}.tokens.txt`, await tokens())
  const start = (kind: 'ours' | 'sherpa', environment?: Record<string, string>) => {
    const args = [kind, pack.graph, '1', dataDirectory]
    return startAnswering<FrontTask, FrontResult>('front-process.ts', { args, environment })
  }
  const [ours, sherpa] = [start('ours', runtimeSettings), start('sherpa')]

  try {
    const task: FrontTask = { texts, step: 'samples' }
    for (let i = 0; i < warmUpRounds; i++) await ours.run(task)
    await sherpa.run(task)
    const [mine, theirs]: [FrontResult[], FrontResult[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      await untilQuiet()
      mine.push(await ours.run(task))
      theirs.push(await sherpa.run(task))
    }
    const ids: number[] = []
    for (let round = 0; round < idsRounds; round++)
      ids.push(((await ours.run({ texts, step: 'ids' })).seconds * 1000) / texts.length)
    const perFrame = (results: FrontResult[]) =>
      median(results.map(({ seconds, frames }) => (seconds * 22_050) / frames))
    const [value, reference] = [perFrame(mine) * 1000, perFrame(theirs) * 1000]
    const grown = { ours: mine.at(-1)!.grownBytes / 1e6, sherpa: theirs.at(-1)!.grownBytes / 1e6 }
    return [
      {
        ...{ name: 'text to samples, one thread / sherpa-onnx-node', value, unit: 'ms/s', reference },
        ...{ ratio: value / reference, goal: null, most: 1.05 },
      },
      {
        ...{ name: 'text to ids, 100 characters', value: median(ids.slice(-20)), unit: 'ms', reference: null },
        ...{ ratio: null, goal: null, most: 1 },
      },
      {
        ...{ name: 'growth of the process at its peak / sherpa-onnx-node', value: grown.ours, unit: 'MB' },
        ...{ reference: grown.sherpa, ratio: grown.ours / grown.sherpa, goal: null, most: 1.2 },
      },
    ]
  } finally {
    await Promise.all([ours.stop(), sherpa.stop()])
    await rm(dirname(pack.directory), { recursive: true })
    await rm(dataDirectory, { recursive: true })
  }
}

/** The configuration's phonemes in the form of sherpa-onnx: one code point each. */
async function tokens(): Promise<string> {
  const { phoneme_id_map: map } = (await Bun.file(heavyConfiguration).json()) as {
    phoneme_id_map: Record<string, number[]>
  }
  const symbols = Object.entries(map).filter(([symbol]) => [...symbol].length === 1 && symbol !== '\n')
  return symbols.map(([symbol, [id]]) => `${symbol} ${id}\n`).join('')
}

if (import.meta.main) printTable(await benchSherpa())
