/**
 * Runs one graph in a separate process, because a GPU's driver may crash it, and writes the output to a file. Started by
 * `gpu-check.ts`.
 */
import { openGraph } from '../src/speech/onnx/graph'
import { openRuntime, type Feeds, type Runtime } from '../src/speech/onnx/runtime'
import type { Provider } from '../src/speech/onnx/runtime-options'
import { idsOfSentence } from './bench/graph'
import { median } from './bench/report'

export type GpuTask = {
  readonly graph: 'hifigan' | 'piper'
  readonly path: string
  readonly provider: Provider
  readonly libraryPath: string | undefined
  readonly batch: number
  /** File for the samples: float32 in the byte order of the machine. */
  readonly outputPath: string
}
/** `seconds`: median time of a run. `audioSeconds`: total sound of all items. */
export type GpuResult = { readonly seconds: number; readonly audioSeconds: number }

const sampleRate = 22_050
const melBands = 80
/** Frames of 256 samples, 4.6 s in all. */
const melFrames = 400
/** The scales of Piper's `medium` voices: noise, length, noise of the lengths. */
const scales = [0.667, 1, 0.8]
const runs = 5
/** Slow runs are repeated less often. */
const budgetMs = 10_000

function feedsOf(runtime: Runtime, { graph, batch }: GpuTask): Feeds {
  if (graph === 'hifigan') {
    const mel = Float32Array.from({ length: batch * melBands * melFrames }, (_, i) => Math.sin(i * 0.37) * 2 - 5)
    return { mel: runtime.float32(mel, [batch, melBands, melFrames]) }
  }
  const ids = idsOfSentence()
  const input = Array.from({ length: batch }, () => ids).flat()
  return {
    input: runtime.int64(input, [batch, ids.length]),
    input_lengths: runtime.int64(Array<number>(batch).fill(ids.length), [batch]),
    scales: runtime.float32(Float32Array.from(scales), [3]),
  }
}

async function measure(task: GpuTask): Promise<GpuResult> {
  const { provider, libraryPath, outputPath } = task
  const runtime = await openRuntime({ directory: '', libraryPath, provider, threads: 1 })
  const { session } = await openGraph(runtime, task.path)
  const feeds = feedsOf(runtime, task)
  const name = session.outputs[0]!.name
  const run = async () => (await session.run(feeds, [name]))[name]!.data as Float32Array
  const samples = await run()
  await Bun.write(outputPath, samples)
  const seconds: number[] = []
  const endAtMs = performance.now() + budgetMs
  do {
    const startedAtMs = performance.now()
    await run()
    seconds.push((performance.now() - startedAtMs) / 1000)
  } while (seconds.length < runs && performance.now() < endAtMs)
  return { seconds: median(seconds), audioSeconds: samples.length / sampleRate }
}

console.log(JSON.stringify(await measure(JSON.parse(Bun.argv[2]!) as GpuTask)))
