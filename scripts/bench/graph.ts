/** Processes that only run a graph, as a reference for the product, and the heavy graph itself. */
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { heavyPiperModel } from '../../test/onnx/heavy'
import { root } from '../run'
import type { Spent } from './answering'
import type { GraphTask } from './graph-process'
import { startAnswering } from './process'

export type GraphProcess = ReturnType<typeof startGraphProcess>

export const startGraphProcess = () => startAnswering<GraphTask, Spent>('graph-process.ts')

/** HiFi-GAN V2 of LJSpeech: mel [B,80,F] → audio [B,1,256·F]. */
export const vocoder = join(root, '../shared/models/hifigan-v2-ljspeech/hifigan_v2_lj.onnx')

/** A real configuration, for its phonemes. */
export const heavyConfiguration = join(root, '../shared/models/piper-samples/en_US-lessac-medium.onnx.json')
/** Metadata that sherpa-onnx requires in the file. */
const metadata = {
  ...{ model_type: 'vits', comment: 'piper', language: 'English', voice: 'en-us', n_speakers: 1, has_espeak: 1 },
  sample_rate: 22_050,
}

/**
 * Writes the heavy graph and its configuration as a pack in a new directory. Prints a line and returns undefined
 * without the files that they are made of.
 */
export async function writeHeavyPack(): Promise<{ directory: string; graph: string } | undefined> {
  const missing = [vocoder, heavyConfiguration].find((path) => !existsSync(path))
  if (missing) {
    console.error(`There is no ${missing}: the heavy graph cannot be made.`)
    return undefined
  }
  const directory = join(await mkdtemp(join(tmpdir(), 'sonant-bench-graph-')), 'heavy')
  const graph = join(directory, 'heavy.onnx')
  await Bun.write(graph, heavyPiperModel(await Bun.file(vocoder).bytes(), metadata))
  await Bun.write(`${graph}.json`, await Bun.file(heavyConfiguration).text())
  return { directory, graph }
}

/** The number of ids of a sentence of 100 characters. */
export function idsOfSentence(count = 210): number[] {
  return Array.from({ length: count }, (_, i) => (i % 2 === 0 ? 0 : 3 + ((i * 7) % 120)))
}
