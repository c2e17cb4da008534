/** Opening graphs: repeatable noise, exposed durations, and no bad file passed to onnxruntime. */
import { afterAll, describe, expect, it } from 'bun:test'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { irVersionMax, opsetMax } from '../../../src/speech/onnx/check'
import { readGraphFile } from '../../../src/speech/onnx/file'
import { type DurationsPlace, openGraph, planGraph, type OpenOptions } from '../../../src/speech/onnx/graph'
import { tableLength } from '../../../src/speech/onnx/noise'
import { rewriteGraph } from '../../../src/speech/onnx/rewrite'
import { openRuntime, type Runtime } from '../../../src/speech/onnx/runtime'
import { bytesOf } from '../../../src/speech/onnx/wire'
import { createGraph, types, type GraphBuilder } from '../../onnx/graph'
import { addToGraph, attribute, node, output, tensor } from '../../onnx/raw'
import { describeWith } from '../../tools'

const directory = mkdtempSync(join(tmpdir(), 'sonant-graph-'))
afterAll(() => rmSync(directory, { recursive: true }))
const runtime = await openRuntime({ directory, provider: 'cpu', threads: 1 })

let files = 0
function write(model: Uint8Array): string {
  const path = join(directory, `${files++}.onnx`)
  writeFileSync(path, model)
  return path
}

const like = { dtype: types.float32 }

/** Input `x` [a, b]; one output per node that `add` makes. */
function noisy(add: (graph: GraphBuilder, x: string) => string[], opset = 15): Uint8Array {
  const graph = createGraph()
  const x = graph.input('x', 'float32', ['a', 'b'])
  for (const [i, value] of add(graph, x).entries()) graph.output(`y${i}`, value, ['a', 'b'])
  return graph.model({}, opset)
}

async function run(path: string, dims: readonly number[], options?: OpenOptions): Promise<Float32Array[]> {
  const opened = await openGraph(runtime, path, options)
  const x = runtime.float32(new Float32Array(dims.reduce((a, b) => a * b, 1)), dims)
  const outputs = await opened.session.run({ x })
  await opened.session.release()
  for (const tensor of Object.values(outputs)) expect(tensor.dims).toEqual([...dims])
  return Object.values(outputs).map(({ data }) => data as Float32Array)
}

const mean = (values: Float32Array) => values.reduce((sum, value) => sum + value, 0) / values.length
function correlation(a: Float32Array, b: Float32Array): number {
  const [meanA, meanB] = [mean(a), mean(b)]
  let [ab, aa, bb] = [0, 0, 0]
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [u, v] = [a[i]! - meanA, b[i]! - meanB]
    ab += u * v
    aa += u * u
    bb += v * v
  }
  return ab / Math.sqrt(aa * bb)
}
const variance = (values: Float32Array) => {
  const middle = mean(values)
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / values.length
}

describe('noise', () => {
  const twoNormals = write(
    noisy((graph, x) => [graph.op('RandomNormalLike', [x], like), graph.op('RandomNormalLike', [x], like)]),
  )

  it('is the same on every run, in every session and in every process', async () => {
    const [first] = await run(twoNormals, [192, 100])
    const [second] = await run(twoNormals, [192, 100])
    expect(second).toEqual(first!)
    const script = `
      import { openGraph } from ${JSON.stringify(join(import.meta.dir, '../../../src/speech/onnx/graph.ts'))}
      import { openRuntime } from ${JSON.stringify(join(import.meta.dir, '../../../src/speech/onnx/runtime.ts'))}
      const runtime = await openRuntime({ directory: '/', provider: 'cpu', threads: 2 })
      const { session } = await openGraph(runtime, ${JSON.stringify(twoNormals)})
      const { y0 } = await session.run({ x: runtime.float32(new Float32Array(19200), [192, 100]) })
      console.log(String(Bun.hash(y0.data)))`
    const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
    expect((await new Response(child.stdout).text()).trim()).toBe(String(Bun.hash(first!)))
  })

  it('would differ without the rewrite', async () => {
    const draws: Float32Array[] = []
    const session = await runtime.openSession(twoNormals)
    for (let i = 0; i < 2; i++) {
      const { y0 } = await session.run({ x: runtime.float32(new Float32Array(100), [10, 10]) })
      draws.push(y0!.data as Float32Array)
    }
    await session.release()
    expect(draws[0]).not.toEqual(draws[1]!)
  })

  it('has mean 0, variance 1, the tails of a normal distribution, and no correlation with itself or its neighbour', async () => {
    // One and a half times the table.
    const [one, other] = (await run(twoNormals, [192, 512])) as [Float32Array, Float32Array]
    for (const values of [one, other]) {
      expect(Math.abs(mean(values))).toBeLessThan(0.015)
      expect(Math.abs(variance(values) - 1)).toBeLessThan(0.025)
      const beyond = (limit: number) => values.filter((value) => Math.abs(value) > limit).length / values.length
      expect(beyond(1)).toBeWithin(0.31, 0.325)
      expect(beyond(2)).toBeWithin(0.042, 0.049)
      expect(beyond(3)).toBeWithin(0.0015, 0.0045)
      for (const lag of [1, 2, 3, 5, 10, 100, 192, 511, 512, 513, 1024, 5120])
        expect([lag, Math.abs(correlation(values.subarray(lag), values)) < 0.015]).toEqual([lag, true])
    }
    for (let lag = -600; lag <= 600; lag += 7) {
      const found = correlation(one.subarray(Math.max(0, lag)), other.subarray(Math.max(0, -lag)))
      expect([lag, Math.abs(found) < 0.02]).toEqual([lag, true])
    }
  })

  it('is uncorrelated in every pair of twenty nodes', async () => {
    const path = write(noisy((graph, x) => Array.from({ length: 20 }, () => graph.op('RandomNormalLike', [x], like))))
    const draws = await run(path, [64, 500])
    for (const [i, a] of draws.entries())
      for (const b of draws.slice(i + 1)) expect(Math.abs(correlation(a, b))).toBeLessThan(0.03)
  })

  it('repeats only after the whole table', async () => {
    const [values] = await run(twoNormals, [1, tableLength + 50])
    expect(values!.subarray(tableLength)).toEqual(values!.subarray(0, 50))
    expect(new Set(values!.subarray(0, tableLength)).size).toBeGreaterThan(65_000)
  })

  it('keeps mean, scale and range, also for nodes with their own shape', async () => {
    const path = write(
      noisy((graph, x) => [
        graph.op('RandomNormalLike', [x], { ...like, mean: { float: 3 }, scale: { float: 0.5 } }),
        graph.op('RandomUniformLike', [x], { ...like, low: { float: -2 }, high: { float: 6 } }),
        graph.op('RandomNormal', [], { shape: [100, 200], scale: { float: 2 } }),
        graph.op('RandomUniform', [], { shape: [100, 200] }),
      ]),
    )
    const [normal, range, own, unit] = (await run(path, [100, 200])) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ]
    expect(mean(normal)).toBeCloseTo(3, 1)
    expect(variance(normal)).toBeCloseTo(0.25, 1)
    expect(mean(range)).toBeCloseTo(2, 1)
    expect(variance(range)).toBeCloseTo(64 / 12, 0)
    expect(range.every((value) => value >= -2 && value < 6)).toBe(true)
    expect(variance(own)).toBeCloseTo(4, 0)
    expect(mean(unit)).toBeCloseTo(0.5, 1)
    expect(unit.every((value) => value >= 0 && value < 1)).toBe(true)
  })

  it('has the requested type, or that of its input', async () => {
    const graph = createGraph()
    const x = graph.input('x', 'float16', ['n'])
    graph.output('same', graph.op('RandomNormalLike', [x]), ['n'], 'float16')
    graph.output('half', graph.op('RandomNormal', [], { shape: [4], dtype: types.float16 }), ['n'], 'float16')
    const path = write(graph.model())
    const opened = await openGraph(runtime, path)
    expect(opened.deterministic).toBe(true)
    expect(opened.session.outputs.map(({ type }) => type)).toEqual(['float16', 'float16'])
    await opened.session.release()
  })

  it('may be empty, or a single number', async () => {
    const path = write(noisy((graph, x) => [graph.op('RandomNormalLike', [x], like)]))
    const [none] = await run(path, [3, 0])
    expect(none).toHaveLength(0)
    const graph = createGraph()
    const x = graph.input('x', 'float32', [])
    graph.output('y', graph.op('RandomNormalLike', [x], like), [])
    const { session } = await openGraph(runtime, write(graph.model()))
    const { y } = await session.run({ x: runtime.float32(Float32Array.of(1), []) })
    expect(y!.dims).toEqual([])
    await session.release()
  })

  it('is rewritten in every opset from 11 on', async () => {
    for (const opset of [11, 12, 13, 14, 15, 18, 20, opsetMax]) {
      const path = write(noisy((graph, x) => [graph.op('RandomNormalLike', [x], like)], opset))
      expect(await run(path, [2, 3])).toEqual(await run(path, [2, 3]))
      expect(planGraph(readGraphFile(path)).deterministic).toBe(true)
    }
    const old = write(noisy((graph, x) => [graph.op('RandomNormalLike', [x], like)], 10))
    const opened = await openGraph(runtime, old)
    expect(opened.deterministic).toBe(false)
    await opened.session.release()
  })

  it('is unchanged in bodies and for unsupported draws, and reported as not repeatable', async () => {
    const graph = createGraph()
    const x = graph.input('x', 'float32', ['n'])
    const condition = graph.op('Cast', [graph.ints([1], [])], { to: 9 })
    const drawn = (value: string) => [
      node('RandomNormalLike', ['x'], value, attribute.int('dtype', 1)),
      output(value, 'n'),
    ]
    const model = addToGraph(
      graph.model(),
      node(
        'If',
        [condition],
        'y',
        attribute.body('then_branch', ...drawn('a')),
        attribute.body('else_branch', ...drawn('b')),
      ),
      output('y', 'n'),
    )
    expect(x).toBe('x')
    const branch = await openGraph(runtime, write(model))
    expect(branch.deterministic).toBe(false)
    expect((await branch.session.run({ x: runtime.float32(new Float32Array(3), [3]) }))['y']!.dims).toEqual([3])
    await branch.session.release()

    const bernoulli = await openGraph(runtime, write(noisy((inner, value) => [inner.op('Bernoulli', [value])])))
    expect(bernoulli.deterministic).toBe(false)
    await bernoulli.session.release()
  })
})

describe('a rewritten file', () => {
  const model = noisy((graph, x) => {
    const ceiled = graph.op('Ceil', [graph.op('RandomNormalLike', [x], like)], {}, 'frames')
    return [graph.op('Mul', [ceiled, graph.floats([1, 2, 3])])]
  })
  const info = readGraphFile(model)

  it('keeps every byte except the replaced nodes', () => {
    const rewritten = rewriteGraph(bytesOf(model), info, { expose: ['frames'], repeatNoise: true })
    const { start } = info.noise[0]!
    // Skips a tag, a length of one byte, and the node.
    const end = start! + 2 + model[start! + 1]!
    // Starts behind the graph's own length, which changes.
    const bodyStart = 20
    const text = (part: Uint8Array) => Buffer.from(part).toString('latin1')
    expect(text(model.subarray(start!, end))).toContain('RandomNormalLike')
    const [all, before, after] = [text(rewritten), text(model.subarray(bodyStart, start!)), text(model.subarray(end))]
    expect(all).not.toContain('RandomNormalLike')
    expect(all).toContain(before)
    expect(all).toContain(after)
    const again = readGraphFile(rewritten)
    expect(again.noise).toEqual([])
    expect(again.inputs).toEqual(info.inputs)
    expect(again.outputs.map(({ name }) => name)).toEqual(['y0', 'frames'])
  })

  it('is the same file without changes', () => {
    const rewritten = rewriteGraph(bytesOf(model), info, { expose: [], repeatNoise: false })
    expect(Buffer.compare(rewritten, model)).toBe(0)
  })
})

describe('durations', () => {
  const ceiled: DurationsPlace = { usualOutputs: 1, operator: 'Ceil', side: 'output' }
  const piper = (add: (graph: GraphBuilder, x: string) => void) => {
    const graph = createGraph()
    const x = graph.input('x', 'float32', ['n'])
    add(graph, x)
    return write(graph.model({ sample_rate: 22_050 }))
  }

  it('are the output of the only Ceil node on request', async () => {
    const path = piper((graph, x) => graph.output('y', graph.op('Mul', [graph.op('Ceil', [x]), x]), ['n']))
    const opened = await openGraph(runtime, path, { durations: ceiled })
    expect(opened.session.outputs.map(({ name }) => name)).toEqual(['y', opened.durations!])
    const outputs = await opened.session.run({ x: runtime.float32(Float32Array.of(0.5, 1.5, 3), [3]) })
    expect(outputs[opened.durations!]!.data).toEqual(Float32Array.of(1, 2, 3))
    expect(opened.metadata).toEqual({ sample_rate: '22050' })
    await opened.session.release()
    const plain = await openGraph(runtime, path)
    expect(plain.durations).toBeUndefined()
    expect(plain.session.outputs).toHaveLength(1)
    await plain.session.release()
  })

  it('are the second output if there is one, and unknown with two Ceil nodes or none', async () => {
    const second = piper((graph, x) => {
      graph.output('y', graph.op('Ceil', [x]), ['n'])
      graph.output('frames', x, ['n'])
    })
    expect(planGraph(readGraphFile(second), { durations: ceiled })).toMatchObject({
      durations: 'frames',
      expose: [],
    })
    const two = piper((graph, x) => graph.output('y', graph.op('Ceil', [graph.op('Ceil', [x])]), ['n']))
    expect(planGraph(readGraphFile(two), { durations: ceiled }).durations).toBeUndefined()
    const none = piper((graph, x) => graph.output('y', x, ['n']))
    expect(planGraph(readGraphFile(none), { durations: ceiled }).durations).toBeUndefined()
  })

  it('can be the input of a node, too', async () => {
    const path = piper((graph, x) =>
      graph.output('y', graph.op('Round', [graph.op('Mul', [x, x], {}, 'exact')]), ['n']),
    )
    const opened = await openGraph(runtime, path, {
      durations: { usualOutputs: 1, operator: 'Round', side: 'input' },
    })
    expect(opened.durations).toBe('exact')
    const outputs = await opened.session.run({ x: runtime.float32(Float32Array.of(0.5, 1.5), [2]) })
    expect(outputs['exact']!.data).toEqual(Float32Array.of(0.25, 2.25))
    await opened.session.release()
  })
})

describe('openGraph', () => {
  /** Fails on any use. */
  const untouched = new Proxy({} as Runtime, {
    get: (_, key) => {
      throw new Error(`onnxruntime was asked for ${String(key)}`)
    },
  })
  const plain = () => noisy((graph, x) => [graph.op('Abs', [x])])

  it('passes no file to onnxruntime that failed the checks', async () => {
    const bad: [Uint8Array, string][] = [
      [new Uint8Array(0), 'is empty'],
      [plain().subarray(0, 50), 'cut off'],
      [noisy((graph, x) => [graph.op('Abs', [x])], 99), 'has opset 99; opsets up to 26 are supported'],
      [Uint8Array.from(plain(), (value, i) => (i === 1 ? 99 : value)), 'has IR version 99'],
      [addToGraph(plain(), tensor({ dims: [1], external: { location: 'gone.data' } })), 'gone.data, which is missing'],
      [addToGraph(plain(), tensor({ dims: [1], external: { location: '../../etc/passwd' } })), 'outside of its folder'],
    ]
    for (const [model, message] of bad) await expect(openGraph(untouched, write(model))).rejects.toThrow(message)
  })

  it('refuses parameters in files that are too short, links that lead out, and folders', async () => {
    const wanting = (location: string) =>
      write(addToGraph(plain(), tensor({ dims: [2], external: { location, offset: 8 } })))
    writeFileSync(join(directory, 'short.data'), new Uint8Array(15))
    await expect(openGraph(untouched, wanting('short.data'))).rejects.toThrow(
      'needs 16 bytes of parameters from short.data, which has only 15',
    )
    symlinkSync('/etc/passwd', join(directory, 'link.data'))
    await expect(openGraph(untouched, wanting('link.data'))).rejects.toThrow('leads out of the folder')
    await expect(openGraph(untouched, wanting('.'))).rejects.toThrow('folder')
  })

  it('opens graphs with external parameters', async () => {
    const graph = createGraph()
    const x = graph.input('x', 'float32', ['n'])
    graph.output('y', graph.op('Mul', [x, 'w']), ['n'])
    const external = { location: 'w.data', offset: 4, length: 8 }
    writeFileSync(join(directory, 'w.data'), new Uint8Array(Float32Array.of(9, 2, 3).buffer))
    const path = write(addToGraph(graph.model(), tensor({ dims: [2], external })))
    const { session } = await openGraph(runtime, path)
    const { y } = await session.run({ x: runtime.float32(Float32Array.of(1, 1), [2]) })
    expect(y!.data).toEqual(Float32Array.of(2, 3))
    await session.release()
  })

  it('frees the file that it rewrote', async () => {
    const graph = createGraph()
    const x = graph.input('x', 'float32', ['n'])
    const megabytes = 40
    const large = graph.floats(new Float32Array(megabytes << 18))
    graph.output('y', graph.op('Mul', [graph.op('RandomNormalLike', [x], like), graph.op('ReduceSum', [large])]), ['n'])
    const path = write(graph.model())
    Bun.gc(true)
    const before = process.memoryUsage().arrayBuffers
    const { session, deterministic } = await openGraph(runtime, path)
    expect(deterministic).toBe(true)
    Bun.gc(true)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20)
    await session.release()
  })

  it('accepts exactly the opsets and IR versions of onnxruntime', async () => {
    const opens = async (model: Uint8Array) => {
      const session = await runtime.openSession(model).catch(() => undefined)
      await session?.release()
      return session !== undefined
    }
    const ofOpset = (opset: number) => noisy((graph, x) => [graph.op('Abs', [x])], opset)
    const ofVersion = (version: number) => Uint8Array.from(plain(), (value, i) => (i === 1 ? version : value))
    expect([await opens(ofOpset(opsetMax)), await opens(ofOpset(opsetMax + 1))]).toEqual([true, false])
    expect([await opens(ofVersion(irVersionMax)), await opens(ofVersion(irVersionMax + 1))]).toEqual([true, false])
  })
})

const piperSample = join(import.meta.dir, '../../../../shared/models/piper-samples/zero-shot-test.onnx')

describeWith([piperSample], 'openGraph on a graph of a Piper exporter', () => {
  it('exposes its inner durations, whose sum is the length of the sound', async () => {
    const model = new Uint8Array(await Bun.file(piperSample).arrayBuffer())
    const info = readGraphFile(model)
    const rewritten = rewriteGraph(bytesOf(model), info, { expose: ['/Ceil_output_0'], repeatNoise: false })
    const session = await runtime.openSession(rewritten)
    expect(session.outputs.map(({ name }) => name)).toEqual(['output', 'durations', '/Ceil_output_0'])
    const ids = [1, 0, 20, 0, 24, 0, 30, 0, 2]
    const feeds = {
      input: runtime.int64(ids, [1, ids.length]),
      input_lengths: runtime.int64([ids.length], [1]),
      scales: runtime.float32(Float32Array.of(0.667, 1, 0.8), [3]),
    }
    const others = Object.fromEntries(
      session.inputs
        .filter(({ name }) => !(name in feeds))
        .map(({ name, type, dims }) => {
          const sizes = dims.map((size, i) => (size >= 0 ? size : i === 0 ? 1 : ids.length))
          const length = sizes.reduce((a, b) => a * b, 1)
          const zeros =
            type === 'int64'
              ? runtime.int64(Array<number>(length).fill(0), sizes)
              : runtime.float32(new Float32Array(length), sizes)
          return [name, zeros]
        }),
    )
    const outputs = await session.run({ ...feeds, ...others })
    const frames = [...(outputs['/Ceil_output_0']!.data as Float32Array)].reduce((sum, value) => sum + value, 0)
    expect(outputs['output']!.data.length).toBe(frames * 256)
    await session.release()
  })
})
