/** Other forms of the convolutions of a graph, against those of the file. */
import { afterAll, describe, expect, it } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formsOf } from '../../../src/speech/onnx/convolutions'
import { readGraphFile } from '../../../src/speech/onnx/file'
import { openGraph } from '../../../src/speech/onnx/graph'
import { rewriteGraph } from '../../../src/speech/onnx/rewrite'
import { openRuntime } from '../../../src/speech/onnx/runtime'
import { bytesOf } from '../../../src/speech/onnx/wire'
import type { ConvolutionForm } from '../../../src/speech/voice'
import { createGraph, type GraphBuilder } from '../../onnx/graph'
import { addToGraph, attribute, node, output } from '../../onnx/raw'
import { createRandom } from '../../random'

const directory = mkdtempSync(join(tmpdir(), 'sonant-convolutions-'))
afterAll(() => rmSync(directory, { recursive: true }))
const runtime = await openRuntime({ directory, provider: 'cpu', threads: 1 })

const random = createRandom(7)
const floats = (count: number, scale: number) => Array.from({ length: count }, () => scale * (2 * random.next() - 1))
const frames = 200

type Quantized = {
  readonly outputs: number
  readonly inputs: number
  readonly size: number
  readonly dilation?: number
  readonly stride?: number
  readonly hasBias?: boolean
  readonly signed?: boolean
  /** Zero of the weights; −5 when left out. */
  readonly zero?: number
}

const weightsScale = 0.01

/** Adds a convolution as `quantize_dynamic` of onnxruntime writes it. `quantized`: outputs of DynamicQuantizeLinear. */
function addQuantized(graph: GraphBuilder, quantized: readonly string[], shape: Quantized): string {
  const { outputs, inputs, size, dilation = 1, stride = 1, hasBias = true, signed = false, zero = -5 } = shape
  const [values, scale, valuesZero] = quantized as [string, string, string]
  const pad = ((size - 1) * dilation) / 2
  const count = outputs * inputs * size
  const numbers = Array.from({ length: count }, () => random.below(256))
  const weights = signed ? Int8Array.from(numbers) : Uint8Array.from(numbers)
  const weightsZero = signed ? Int8Array.of(zero) : Uint8Array.of(zero + 128)
  const products = graph.op(
    'ConvInteger',
    [values, graph.bytes(weights, [outputs, inputs, size]), valuesZero, graph.bytes(weightsZero, [])],
    {
      ...{ auto_pad: 'NOTSET', dilations: [dilation], group: 1, kernel_shape: [size] },
      ...{ pads: [pad, pad], strides: [stride] },
    },
  )
  const productScale = graph.op('Mul', [scale, graph.floats([weightsScale], [])])
  let sum = products
  if (hasBias) {
    const quotient = graph.op('Div', [graph.floats(floats(outputs, 0.5)), productScale])
    const whole = graph.op('Cast', [graph.op('Floor', [quotient])], { to: 6 })
    sum = graph.op('Add', [products, graph.op('Reshape', [whole, graph.ints([1, -1, 1])])])
  }
  return graph.op('Mul', [graph.cast(sum, 'float32'), productScale])
}

function quantizedModel(shapes: readonly Quantized[], opset = 15): Uint8Array {
  const graph = createGraph()
  const quantized = graph.split('DynamicQuantizeLinear', [graph.input('x', 'float32', [1, shapes[0]!.inputs, 'n'])], 3)
  for (const [i, shape] of shapes.entries())
    graph.output(`y${i}`, addQuantized(graph, quantized, shape), [1, shape.outputs, 'm'])
  return graph.model({}, opset)
}

function narrowModel(channels: number, opset = 15): Uint8Array {
  const graph = createGraph()
  const x = graph.input('x', 'float32', [1, channels, 'n'])
  const weights = graph.floats(floats(channels * channels * 3, 0.1), [channels, channels, 3])
  const bias = graph.floats(floats(channels, 0.1))
  const attributes = { dilations: [2], kernel_shape: [3], pads: [2, 2], strides: [1], group: 1 }
  graph.output('y', graph.op('Conv', [x, weights, bias], attributes), [1, channels, 'n'])
  return graph.model({}, opset)
}

type Transposed = {
  readonly size: number
  readonly stride: number
  readonly pads?: readonly number[]
  readonly hasBias?: boolean
  readonly others?: Readonly<Record<string, number | readonly number[]>>
}

function transposedModel({ size, stride, pads = [0, 0], hasBias = true, others = {} }: Transposed, opset = 15) {
  const graph = createGraph()
  const [inputs, outputs] = [6, 5]
  const x = graph.input('x', 'float32', ['b', inputs, 'n'])
  const weights = graph.floats(floats(inputs * outputs * size, 0.1), [inputs, outputs, size])
  const bias = hasBias ? [graph.floats(floats(outputs, 0.1))] : []
  const attributes = { dilations: [1], group: 1, kernel_shape: [size], pads: [...pads], strides: [stride], ...others }
  graph.output('y', graph.op('ConvTranspose', [x, weights, ...bias], attributes), ['b', outputs, 'm'])
  return graph.model({}, opset)
}

const forms = (model: Uint8Array) => formsOf(bytesOf(model), readGraphFile(model))
let files = 0

async function run(model: Uint8Array, inputs: number, convolutions: ConvolutionForm, batch = 1) {
  const path = join(directory, `${files++}.onnx`)
  writeFileSync(path, model)
  const { session } = await openGraph(runtime, path, { convolutions })
  const samples = Float32Array.from({ length: batch * inputs * frames }, (_, i) => Math.sin(i * 0.37) + 0.3)
  const outputs = await session.run({ x: runtime.float32(samples, [batch, inputs, frames]) })
  await session.release()
  return Object.values(outputs).map(({ data, dims }) => ({ data: data as Float32Array, dims: [...dims] }))
}

const greatest = (a: Float32Array, b: Float32Array) =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0)

describe('a quantized convolution as a product of matrices', () => {
  const shapes: Record<string, Quantized> = {
    'with a bias': { outputs: 20, inputs: 17, size: 3 },
    'with a dilation': { outputs: 16, inputs: 16, size: 7, dilation: 5 },
    'of size 1 without a bias': { outputs: 24, inputs: 30, size: 1, hasBias: false },
    'with signed weights': { outputs: 16, inputs: 16, size: 5, signed: true },
    'with one output': { outputs: 1, inputs: 40, size: 3, zero: 0 },
  }

  it.each(Object.keys(shapes))('%s gives the same numbers, but for the rounding of the bias', async (name) => {
    const shape = shapes[name]!
    const model = quantizedModel([shape])
    expect(forms(model)).toEqual(['unsigned_products', 'signed_products'])
    const [exported] = await run(model, shape.inputs, 'as_exported')
    const [unsigned] = await run(model, shape.inputs, 'unsigned_products')
    const [signed] = await run(model, shape.inputs, 'signed_products')
    expect(unsigned!.dims).toEqual(exported!.dims)
    // A quantization step of the products: 2.2 / 255 (the range of the input) times the scale of the weights.
    const step = (2.2 / 255) * weightsScale
    const loudest = exported!.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    expect(loudest).toBeGreaterThan(1000 * step)
    expect(greatest(exported!.data, unsigned!.data)).toBeLessThan((shape.hasBias === false ? 0 : step) + 1e-6 * loudest)
    // Every processor with instructions for it computes signed products exactly.
    if (await hasExactProducts()) expect(signed!.data).toEqual(unsigned!.data)
  })

  it('keeps what it cannot replace: a stride, another use of the products, a shared input', async () => {
    const shape = { outputs: 16, inputs: 16, size: 4, dilation: 1 }
    const model = quantizedModel([
      { ...shape, size: 3 },
      { ...shape, size: 3, stride: 2 },
      { ...shape, size: 5 },
    ])
    const exported = await run(model, 16, 'as_exported')
    const changed = await run(model, 16, 'unsigned_products')
    for (const [i, { data, dims }] of changed.entries()) {
      expect(dims).toEqual(exported[i]!.dims)
      expect(greatest(exported[i]!.data, data)).toBeLessThan(1e-3)
    }
    const rewritten = readGraphFile(rewrite(model, 'unsigned_products'))
    expect(rewritten.operators.get('ConvInteger')).toBe(1)
    expect(rewritten.operators.get('MatMulInteger')).toBe(2)
    expect(rewritten.operators.get('DynamicQuantizeLinear')).toBe(1)
  })

  it('drops the nodes and parameters of the file that it replaces', () => {
    const model = quantizedModel([{ outputs: 64, inputs: 64, size: 7 }])
    const rewritten = readGraphFile(rewrite(model, 'signed_products'))
    for (const operator of ['ConvInteger', 'Floor', 'Div']) expect(rewritten.operators.get(operator)).toBeUndefined()
    expect(rewritten.parameterBytes).toBeLessThan(1.1 * readGraphFile(model).parameterBytes)
  })

  it('is not offered for other quantizations', () => {
    const shape = { outputs: 16, inputs: 16, size: 3 }
    expect(forms(quantizedModel([{ ...shape, stride: 2 }]))).toEqual([])
    expect(forms(quantizedModel([shape], 12))).toEqual([])
    const body = node('If', ['c'], 'b', attribute.body('then_branch'))
    expect(forms(addToGraph(quantizedModel([shape]), body, output('b')))).toEqual([])
  })
})

describe('a narrow convolution in two dimensions', () => {
  it('gives the same numbers', async () => {
    const model = narrowModel(32)
    expect(forms(model)).toEqual(['two_dimensional'])
    const [exported] = await run(model, 32, 'as_exported')
    const [flat] = await run(model, 32, 'two_dimensional')
    expect(flat!.dims).toEqual(exported!.dims)
    expect(greatest(exported!.data, flat!.data)).toBeLessThan(1e-5)
  })

  it('is not offered for wide ones, odd numbers of channels and old opsets', () => {
    expect([128, 24, 80].map((channels) => forms(narrowModel(channels)))).toEqual([[], [], []])
    expect(forms(narrowModel(32, 11))).toEqual([])
  })
})

describe('a transposed convolution as an ordinary one', () => {
  const shapes: Record<string, Transposed> = {
    'as in vocoders': { size: 16, stride: 8, pads: [4, 4] },
    'without pads and bias': { size: 6, stride: 3, hasBias: false },
    'with other pads at its end': { size: 12, stride: 4, pads: [3, 0] },
    'of one phase each': { size: 2, stride: 2 },
  }

  it.each(Object.keys(shapes))('%s gives the same numbers', async (name) => {
    const model = transposedModel(shapes[name]!)
    expect(forms(model)).toEqual(['two_dimensional'])
    const [exported] = await run(model, 6, 'as_exported', 2)
    const [changed] = await run(model, 6, 'two_dimensional', 2)
    expect(changed!.dims).toEqual(exported!.dims)
    expect(greatest(exported!.data, changed!.data)).toBeLessThan(1e-6)
    const rewritten = readGraphFile(rewrite(model, 'two_dimensional'))
    expect(rewritten.operators.get('ConvTranspose')).toBeUndefined()
    expect(rewritten.parameterBytes).toBeLessThan(readGraphFile(model).parameterBytes + 500)
  })

  it('also beside products of matrices', () => {
    const graph = createGraph()
    const x = graph.input('x', 'float32', [1, 16, 'n'])
    const sound = addQuantized(graph, graph.split('DynamicQuantizeLinear', [x], 3), { outputs: 6, inputs: 16, size: 3 })
    const weights = graph.floats(floats(6 * 4, 0.1), [6, 1, 4])
    graph.output('y', graph.op('ConvTranspose', [sound, weights], { strides: [2] }), [1, 1, 'm'])
    const { operators } = readGraphFile(rewrite(graph.model({}, 15), 'unsigned_products'))
    expect([operators.get('ConvTranspose'), operators.get('Conv')]).toEqual([undefined, 1])
  })

  it('is not offered for what it cannot replace', () => {
    const usual = { size: 8, stride: 4 }
    const unusual: Transposed[] = [
      { ...usual, stride: 3 },
      { ...usual, stride: 1 },
      { ...usual, others: { output_padding: [1] } },
      { ...usual, others: { dilations: [2] } },
      { ...usual, others: { output_shape: [800] } },
      { ...usual, others: { group: 2 } },
    ]
    expect(unusual.map((shape) => forms(transposedModel(shape)))).toEqual(unusual.map(() => []))
    expect(forms(transposedModel(usual, 12))).toEqual([])
  })
})

function rewrite(model: Uint8Array, convolutions: ConvolutionForm): Uint8Array {
  return rewriteGraph(bytesOf(model), readGraphFile(model), { expose: [], repeatNoise: false, convolutions })
}

/** Whether this processor adds the largest signed products without saturation. */
async function hasExactProducts(): Promise<boolean> {
  const graph = createGraph()
  const a = graph.bytes(new Uint8Array(64).fill(255), [1, 64])
  const b = graph.bytes(new Int8Array(64).fill(127), [64, 1])
  graph.output('y', graph.cast(graph.op('MatMulInteger', [a, b]), 'float32'), [1, 1])
  graph.input('x', 'float32', [1])
  const session = await runtime.openSession(graph.model())
  const { y } = await session.run({ x: runtime.float32(Float32Array.of(0), [1]) })
  await session.release()
  return y!.data[0] === 64 * 255 * 127
}
