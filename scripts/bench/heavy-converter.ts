/**
 * Graphs as large as those of the OpenVoice v2 tone converter, layer for layer (`openvoice/models.py` of
 * https://github.com/myshell-ai/OpenVoice with the sizes of its `converter/config.json`), with noise for weights: what
 * comes out is noise, but it takes the same time and memory. The published files have 127 891 564 and 3 257 992 bytes.
 */
import { createGraph, type GraphBuilder } from '../../test/onnx/graph'
import { noiseSource } from '../../test/audio/signals'

const bins = 513
const channels = 192
const toneSize = 256

type Layers = ReturnType<typeof layersOf>

/**
 * Convolutions with noise as weights, small enough that the values do not grow. Layers with the same `known` weights,
 * in the same order, share them.
 */
function layersOf(graph: GraphBuilder, known: string[] = []) {
  const noise = noiseSource(1)
  let count = 0
  const once = (make: () => string) => (known[count++] ??= make())
  const weights = (dims: readonly number[], inputs: number) =>
    once(() => {
      const values = new Float32Array(dims.reduce((product, size) => product * size, 1))
      for (let i = 0; i < values.length; i++) values[i] = noise() / Math.sqrt(inputs)
      return graph.floats(values, dims)
    })
  const bias = (size: number) => once(() => graph.floats(new Float32Array(size)))
  return {
    weights,
    bias,
    conv(value: string, from: number, to: number, kernel = 1, dilation = 1): string {
      const around = ((kernel - 1) / 2) * dilation
      const inputs = [value, weights([to, from, kernel], from * kernel), bias(to)]
      return graph.op('Conv', inputs, { kernel_shape: [kernel], dilations: [dilation], pads: [around, around] })
    },
    upsample(value: string, from: number, to: number, kernel: number, factor: number): string {
      const around = (kernel - factor) / 2
      const inputs = [value, weights([from, to, kernel], (from * kernel) / factor), bias(to)]
      return graph.op('ConvTranspose', inputs, { kernel_shape: [kernel], strides: [factor], pads: [around, around] })
    },
    part: (value: string, from: number, to: number) =>
      graph.op('Slice', [value, graph.ints([from]), graph.ints([to]), graph.ints([1])]),
    add: (a: string, b: string) => graph.op('Add', [a, b]),
  }
}

/** Gated convolutions conditioned on the tone (`WN`). */
function wavenet(
  graph: GraphBuilder,
  { conv, part, add }: Layers,
  value: string,
  tone: string,
  layers: number,
): string {
  const conditions = conv(tone, toneSize, 2 * channels * layers)
  let output: string | undefined
  for (let i = 0; i < layers; i++) {
    const condition = part(conditions, i * 2 * channels, (i + 1) * 2 * channels)
    const inner = add(conv(value, channels, 2 * channels, 5), condition)
    const gate = graph.op('Sigmoid', [part(inner, channels, 2 * channels)])
    const gated = graph.op('Mul', [graph.op('Tanh', [part(inner, 0, channels)]), gate])
    const isLast = i === layers - 1
    const both = conv(gated, channels, isLast ? channels : 2 * channels)
    const skipped = isLast ? both : part(both, channels, 2 * channels)
    if (!isLast) value = add(value, part(both, 0, channels))
    output = output ? add(output, skipped) : skipped
  }
  return output!
}

/** Four coupling layers, forward or inverse: each shifts one half by a function of the other half. */
function flow(graph: GraphBuilder, layers: Layers, value: string, tone: string, move: 'Add' | 'Sub'): string {
  const half = channels / 2
  for (let i = 0; i < 4; i++) {
    const [first, second] = [layers.part(value, 0, half), layers.part(value, half, channels)]
    const hidden = wavenet(graph, layers, layers.conv(first, half, channels), tone, 4)
    const moved = graph.op(move, [second, layers.conv(hidden, channels, half)])
    value = graph.op('Concat', [moved, first], { axis: 1 })
  }
  return value
}

/** HiFi-GAN's generator, of the large size. */
function generator(graph: GraphBuilder, layers: Layers, value: string, tone: string): string {
  const { conv, upsample, add } = layers
  const leaky = (from: string) => graph.op('LeakyRelu', [from], { alpha: { float: 0.1 } })
  let width = 512
  value = add(conv(value, channels, width, 7), conv(tone, toneSize, width))
  for (const [factor, kernel] of [
    [8, 16],
    [8, 16],
    [2, 4],
    [2, 4],
  ] as const) {
    value = upsample(leaky(value), width, width / 2, kernel, factor)
    width /= 2
    const sums = [3, 7, 11].map((size) => {
      let inner = value
      for (const dilation of [1, 3, 5])
        inner = add(inner, conv(leaky(conv(leaky(inner), width, width, size, dilation)), width, width, size))
      return inner
    })
    value = graph.op('Mul', [sums.reduce(add), graph.floats([1 / 3])])
  }
  return graph.op('Tanh', [conv(leaky(value), width, 1, 7)])
}

export function heavyConverter(): Uint8Array {
  const graph = createGraph()
  const layers = layersOf(graph)
  const audio = graph.input('audio', 'float32', [1, bins, 'frames'])
  const length = graph.input('audio_length', 'int64', [1])
  const source = graph.input('src_tone', 'float32', [1, toneSize, 1])
  const target = graph.input('dest_tone', 'float32', [1, toneSize, 1])
  const tau = graph.input('tau', 'float32', [1])
  const frames = graph.op('Range', [
    graph.ints([0], []),
    graph.op('Squeeze', [graph.op('Slice', [graph.op('Shape', [audio]), graph.ints([2]), graph.ints([3])])]),
    graph.ints([1], []),
  ])
  const mask = graph.op('Reshape', [graph.cast(graph.op('Less', [frames, length]), 'float32'), graph.ints([1, 1, -1])])
  const masked = (value: string) => graph.op('Mul', [value, mask])
  const noTone = graph.floats(new Float32Array(toneSize), [1, toneSize, 1])
  const encoded = wavenet(graph, layers, masked(layers.conv(audio, bins, channels)), noTone, 16)
  const both = layers.conv(encoded, channels, 2 * channels)
  const mean = layers.part(both, 0, channels)
  const noise = graph.op('Mul', [graph.op('RandomNormalLike', [mean]), tau])
  const spread = graph.op('Exp', [layers.part(both, channels, 2 * channels)])
  const latent = masked(layers.add(mean, graph.op('Mul', [noise, spread])))
  const shared: string[] = []
  const plain = flow(graph, layersOf(graph, shared), latent, source, 'Add')
  const moved = flow(graph, layersOf(graph, shared), plain, target, 'Sub')
  graph.output('output', generator(graph, layers, masked(moved), noTone), [1, 1, 'samples'])
  return graph.model()
}

/** Six convolutions that halve both axes, and a recurrent layer over the result. */
export function heavyExtractor(): Uint8Array {
  const graph = createGraph()
  const { weights, bias } = layersOf(graph)
  const input = graph.input('input', 'float32', [1, 'frames', bins])
  let value = graph.op('Unsqueeze', [input, graph.ints([1])])
  let width = 1
  for (const to of [32, 32, 64, 64, 128, 128]) {
    const inputs = [value, weights([to, width, 3, 3], width * 9), bias(to)]
    value = graph.op('Relu', [graph.op('Conv', inputs, { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] })])
    width = to
  }
  const hidden = 128
  const steps = graph.op('Reshape', [graph.op('Transpose', [value], { perm: [2, 0, 1, 3] }), graph.ints([0, 1, -1])])
  const inputs = width * 9
  const recurrent = graph.op(
    'GRU',
    [steps, weights([1, 3 * hidden, inputs], inputs), weights([1, 3 * hidden, hidden], hidden)],
    { hidden_size: hidden },
  )
  const last = graph.op('Reshape', [graph.op('Gather', [recurrent, graph.ints([-1])]), graph.ints([1, hidden])])
  graph.output('tone', graph.op('MatMul', [last, weights([hidden, toneSize], hidden)]), [1, toneSize])
  return graph.model()
}
