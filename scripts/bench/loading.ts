/** The latency of a short request with another voice while a model of 60 MB is loaded. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createGraph } from '../../test/onnx/graph'
import { root } from '../run'
import { untilQuiet } from './quiet'
import { type BenchRow, printTable } from './report'
import { startServer } from './server'
import { sentence } from './texts'

const parameterBytes = 60e6
const requests = 300
const loads = 8

export async function benchLoading(): Promise<BenchRow[]> {
  const configuration = Bun.file(join(root, '../shared/models/piper-samples/en_US-lessac-medium.onnx.json'))
  if (!(await configuration.exists())) {
    console.error(`There is no ${configuration.name}: the models cannot be made.`)
    return []
  }
  const model = largeModel()
  const server = await startServer({
    async install(directory) {
      for (let i = 0; i < loads; i++) {
        await mkdir(join(directory, `large-${i}`), { recursive: true })
        await Bun.write(join(directory, `large-${i}/large-${i}.onnx`), model)
        await Bun.write(join(directory, `large-${i}/large-${i}.onnx.json`), configuration)
      }
    },
  })
  try {
    let voices = await server.installedVoices()
    while (voices.length < loads) {
      await Bun.sleep(500)
      voices = await server.installedVoices()
    }
    const text = sentence(60)
    for (let i = 0; i < 20; i++) await server.speak(text)
    const idle: number[] = []
    const loading: number[] = []
    await untilQuiet()
    for (let i = 0; i < requests; i++) idle.push((await server.speak(text)).seconds * 1000)
    await untilQuiet()
    // One after the other, so that a model is being loaded at every moment.
    let ended = false
    const loadAll = (async () => {
      for (const voiceId of voices) await server.speak('Yes.', { voiceId })
      ended = true
    })()
    while (!ended) loading.push((await server.speak(text)).seconds * 1000)
    await loadAll
    const [value, reference] = [percentile99(loading), percentile99(idle)]
    const name = `p99 of a request while ${loads} models of 60 MB load (${loading.length} requests)`
    return [{ name, value, unit: 'ms', reference, ratio: value / reference, goal: null, most: 1.5 }]
  } finally {
    await server.stop()
  }
}

function percentile99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1]!
}

/** A graph with Piper's signature, whose parameters onnxruntime reads, packs for the processor and uses. */
function largeModel(): Uint8Array {
  const g = createGraph()
  const ids = g.input('input', 'int64', ['batch', 'phonemes'])
  g.input('input_lengths', 'int64', ['batch'])
  const scales = g.input('scales', 'float32', [3])
  const width = 1024
  const layers = Math.round(parameterBytes / 4 / width ** 2)
  let value = g.op('Mul', [g.cast(ids, 'float32'), g.floats([0.01], [])])
  value = g.op('Expand', [g.op('Unsqueeze', [value, g.ints([2])]), g.ints([1, 1, width])])
  for (let layer = 0; layer < layers; layer++) {
    const weights = Float32Array.from({ length: width ** 2 }, (_, i) => Math.sin(i * 12.9898 + layer) * 0.05)
    value = g.op('Tanh', [g.op('MatMul', [value, g.floats(weights, [width, width])])])
  }
  const hum = Float32Array.from({ length: width }, (_, i) => 0.3 * Math.sin((2 * Math.PI * 8 * i) / width))
  const scale = g.op('Gather', [scales, g.ints([1], [])])
  const traces = g.op('Mul', [g.op('Mul', [value, scale]), g.floats([1e-4], [])])
  const sound = g.op('Reshape', [g.op('Add', [traces, g.floats(hum, [width])]), g.ints([0, 1, 1, -1])])
  g.output('output', sound, ['batch', 1, 1, 'time'])
  return g.model()
}

if (import.meta.main) printTable(await benchLoading())
