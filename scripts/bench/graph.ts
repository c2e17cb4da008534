/** Processes that only run a graph, which the product is compared with, and the heavy graph itself. */
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { heavyPiperModel } from '../../test/onnx/heavy'
import { root } from '../run'
import type { GraphResult, GraphTask } from './graph-process'

export type { GraphResult, GraphTask } from './graph-process'
export type GraphProcess = ReturnType<typeof startGraphProcess>

export function startGraphProcess() {
  let answer: PromiseWithResolvers<GraphResult> | undefined
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'graph-process.ts')], {
    stdio: ['ignore', 'inherit', 'inherit'],
    serialization: 'advanced',
    ipc: (result: GraphResult) => answer?.resolve(result),
    onExit: () => answer?.reject(new Error('The process that runs the graph ended.')),
  })
  return {
    async run(task: GraphTask): Promise<GraphResult> {
      answer = Promise.withResolvers()
      child.send(task)
      return answer.promise
    },
    async stop(): Promise<void> {
      answer = undefined
      child.kill()
      await child.exited
    },
  }
}

const vocoder = join(root, '../shared/models/hifigan-v2-ljspeech/hifigan_v2_lj.onnx')

/** Path of the heavy graph in a new directory; undefined, and a line that says so, without the vocoder it is made of. */
export async function writeHeavyGraph(): Promise<string | undefined> {
  if (!existsSync(vocoder)) {
    console.error(`There is no ${vocoder}: the heavy graph cannot be made.`)
    return undefined
  }
  const path = join(await mkdtemp(join(tmpdir(), 'sonant-bench-graph-')), 'heavy.onnx')
  await Bun.write(path, heavyPiperModel(await Bun.file(vocoder).bytes()))
  return path
}

/** As many as a sentence of 100 characters has. */
export function idsOfSentence(count = 210): number[] {
  return Array.from({ length: count }, (_, i) => (i % 2 === 0 ? 0 : 3 + ((i * 7) % 120)))
}
