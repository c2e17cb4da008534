/**
 * A transposed convolution as an ordinary one. Each of its outputs is a sum over few inputs, with other weights in each
 * phase of the stride: an ordinary convolution computes all phases as channels, which are then put in turn. The numbers
 * are the same but for the order of the sums.
 */
import type { NewNode } from './encode'
import { prefix, type GraphEdits } from './graph-edits'
import type { Initializer, MainGraph, Node } from './nodes'
import type { Span } from './wire'

type Floats = Initializer & { readonly values: Span }

/** In one dimension, with constant weights, and as many of them in each phase. */
export type Transposed = {
  /** [inputs, outputs, size] */
  readonly weights: Floats
  readonly bias: Floats | undefined
  readonly stride: number
  readonly pads: readonly [number, number]
}

const bytesPerFloat = 4
/** The end of a Slice of everything. */
const toEnd = 2 ** 31 - 1

/** Undefined for any other node. */
export function transposedOf(node: Node, graph: MainGraph): Transposed | undefined {
  if (node.operator !== 'ConvTranspose') return undefined
  const { integers, texts, inputs } = node
  const weights = floatsOf(graph, inputs[1])
  const bias = inputs[2] ? floatsOf(graph, inputs[2]) : undefined
  if (weights?.dims.length !== 3 || (inputs[2] && bias?.dims[0] !== weights.dims[1])) return undefined
  const stride = onlyOf(integers['strides'], 1)
  const pads = integers['pads'] ?? [0, 0]
  const isUsual =
    (texts['auto_pad'] ?? 'NOTSET') === 'NOTSET' &&
    (integers['group'] ?? 1) === 1 &&
    integers['output_shape'] === undefined &&
    onlyOf(integers['output_padding'], 0) === 0 &&
    onlyOf(integers['dilations'], 1) === 1
  if (!isUsual || stride < 2 || weights.dims[2]! % stride !== 0 || typeof pads === 'number') return undefined
  const [before = -1, after = -1] = pads
  return before >= 0 && after >= 0 ? { weights, bias, stride, pads: [before, after] } : undefined
}

/** The number of a list of one; `otherwise` without a list, −1 for any other. */
function onlyOf(list: number | readonly number[] | undefined, otherwise: number): number {
  if (list === undefined) return otherwise
  return typeof list !== 'number' && list.length === 1 ? list[0]! : -1
}

function floatsOf({ initializers }: MainGraph, name: string | undefined): Floats | undefined {
  const found = name === undefined ? undefined : initializers.get(name)
  return found?.type === 'float32' && found.values ? { ...found, values: found.values } : undefined
}

/** Puts an ordinary convolution in place of `node`. */
export function convolve(node: Node, transposed: Transposed, edits: GraphEdits): void {
  const { weights, bias, stride, pads } = transposed
  const [, outputs, size] = weights.dims as [number, number, number]
  const taps = size / stride
  const name = (value: string | number) => `${prefix}.${node.outputs[0]}.${value}`
  const nodes: NewNode[] = []
  const add = (operator: string, inputs: readonly string[], integers?: NewNode['integers']): string => {
    const output = name(nodes.length)
    nodes.push({ operator, inputs, output, integers })
    return output
  }
  const phases = edits.add({ name: name('weights'), ...weightsOfPhases(transposed, edits) })
  const biases = bias ? [edits.add({ name: name('bias'), ...biasOfPhases(bias, stride, edits) })] : []
  const all = add('Conv', [node.inputs[0]!, phases, ...biases], { kernel_shape: [taps], pads: [taps - 1, taps - 1] })
  const apart = add('Reshape', [all, edits.integers(0, outputs, stride, -1)])
  const inTurn = add('Transpose', [apart], { perm: [0, 1, 3, 2] })
  const padded = add('Reshape', [inTurn, edits.integers(0, outputs, -1)])
  const [start, end] = [pads[0], pads[1] > 0 ? -pads[1] : toEnd].map((at) => edits.integers(at)) as [string, string]
  const inputs = [padded, start, end, edits.integers(2)]
  edits.replace(node, [...nodes, { operator: 'Slice', inputs, output: node.outputs[0]! }])
}

/** The weights [inputs, outputs, size] as [outputs · stride, inputs, size ÷ stride], the latest input last. */
function weightsOfPhases({ weights, stride }: Transposed, edits: GraphEdits) {
  const [inputs, outputs, size] = weights.dims as [number, number, number]
  const taps = size / stride
  const fill = (from: Float32Array, to: Float32Array): void => {
    let at = 0
    for (let output = 0; output < outputs; output++)
      for (let phase = 0; phase < stride; phase++)
        for (let input = 0; input < inputs; input++)
          for (let tap = taps - 1; tap >= 0; tap--)
            to[at++] = from[(input * outputs + output) * size + tap * stride + phase]!
  }
  return madeFloats([outputs * stride, inputs, taps], weights, fill, edits)
}

function biasOfPhases(bias: Floats, stride: number, edits: GraphEdits) {
  const fill = (from: Float32Array, to: Float32Array): void => {
    for (const [output, value] of from.entries()) to.fill(value, output * stride, (output + 1) * stride)
  }
  return madeFloats([bias.dims[0]! * stride], bias, fill, edits)
}

function madeFloats(
  dims: readonly number[],
  { values }: Floats,
  fill: (from: Float32Array, to: Float32Array) => void,
  edits: GraphEdits,
) {
  const count = dims.reduce((product, size) => product * size, 1)
  return {
    dims,
    type: 'float32' as const,
    values: {
      sizeBytes: count * bytesPerFloat,
      fill(into: Uint8Array): void {
        const to = new Float32Array(count)
        fill(new Float32Array(edits.read(values).buffer), to)
        into.set(new Uint8Array(to.buffer))
      },
    },
  }
}
