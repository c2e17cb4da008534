/**
 * Other forms of the convolutions of a graph, which onnxruntime computes faster on some processors:
 * - a quantized convolution (`ConvInteger`) as one product of matrices. The integers are the same, and so is the sound
 *   except for the rounding of biases. Its parameters may be signed or unsigned: signed ones are faster, but some
 *   processors saturate their sums;
 * - a narrow convolution in one dimension as one in two dimensions, for which onnxruntime has blocked kernels;
 * - in both of these forms, a transposed convolution as an ordinary one.
 */
import type { ConvolutionForm } from '../voice'
import type { NewNode } from './encode'
import type { GraphInfo } from './file'
import { GraphEdits, prefix, type Edits } from './graph-edits'
import { readMainGraph, type Initializer, type MainGraph, type Node } from './nodes'
import { convolve, transposedOf } from './transposed'
import type { Bytes, Span } from './wire'

/** First opset of Unsqueeze with its axes as an input. */
const opsetMin = 13
/** First version in which parameters are no inputs. */
const irVersionMin = 4
/** Channels of a block in onnxruntime's kernels for two dimensions. */
const blockChannels = 16
/** Wider convolutions are faster in one dimension (docs/models.md). */
const narrowChannelsMax = 64
const signBit = 0x80

/** The other forms that the convolutions of a graph may have. */
export function formsOf(bytes: Bytes, info: GraphInfo): readonly ConvolutionForm[] {
  const { irVersion, opset, externalFiles, operators } = info
  if (irVersion < irVersionMin || opset < opsetMin || externalFiles.length > 0) return []
  if (!['ConvInteger', 'Conv', 'ConvTranspose'].some((operator) => operators.has(operator))) return []
  const graph = readMainGraph(bytes)
  if (graph.hasBodies) return []
  if (findQuantized(graph).length > 0) return ['unsigned_products', 'signed_products']
  const has = (find: typeof narrowOf | typeof transposedOf) => graph.nodes.some((node) => find(node, graph))
  return has(narrowOf) || has(transposedOf) ? ['two_dimensional'] : []
}

/** Gives the convolutions of a graph a form of `formsOf`. `kept`: further values that must remain. */
export function editConvolutions(bytes: Bytes, form: ConvolutionForm, kept: readonly string[]): Edits {
  const whole = readMainGraph(bytes)
  const graph = { ...whole, ends: new Set([...whole.ends, ...kept]) }
  const edits = new GraphEdits(graph, bytes)
  if (form === 'two_dimensional') graph.nodes.forEach((node) => flatten(node, graph, edits))
  else findQuantized(graph).forEach((one, index) => multiply(one, `${prefix}.${index}`, form, edits))
  for (const node of graph.nodes) {
    const transposed = transposedOf(node, graph)
    if (transposed) convolve(node, transposed, edits)
  }
  return edits.finish()
}

/** A quantized convolution with stride 1: scale · (bias + Σ weights · input), rounded where the exporter does. */
type Quantized = {
  readonly weights: Initializer & { readonly values: Span }
  readonly weightsZero: number
  readonly input: string
  readonly inputZero: string
  /** Name of the bias in floats. */
  readonly bias: string | undefined
  /** Scale of the products. */
  readonly scale: string
  readonly dilation: number
  readonly pads: readonly [number, number]
  /** Nodes that take part; the last one gives the result. */
  readonly nodes: readonly Node[]
}

function findQuantized(graph: MainGraph): Quantized[] {
  const makers = new Map<string, Node>()
  const users = new Map<string, Node[]>()
  for (const node of graph.nodes) {
    for (const output of node.outputs) makers.set(output, node)
    for (const input of new Set(node.inputs)) users.set(input, [...(users.get(input) ?? []), node])
  }
  const onlyUser = (value: string, operator: string): Node | undefined => {
    const [user, ...others] = users.get(value) ?? []
    return others.length === 0 && !graph.ends.has(value) && user?.operator === operator ? user : undefined
  }
  const maker = (value: string | undefined, operator: string): Node | undefined => {
    const found = value === undefined ? undefined : makers.get(value)
    return found?.operator === operator ? found : undefined
  }
  return graph.nodes
    .filter(({ operator }) => operator === 'ConvInteger')
    .flatMap((node) => matchQuantized(node, graph, onlyUser, maker) ?? [])
}

/**
 * The nodes that `quantize_dynamic` of onnxruntime writes: DynamicQuantizeLinear → ConvInteger → Add of the bias, rounded
 * to the scale of the products → Cast → Mul.
 */
function matchQuantized(
  node: Node,
  graph: MainGraph,
  onlyUser: (value: string, operator: string) => Node | undefined,
  maker: (value: string | undefined, operator: string) => Node | undefined,
): Quantized | undefined {
  const [input, weightsName, inputZero, weightsZeroName] = node.inputs
  const source = maker(input, 'DynamicQuantizeLinear')
  const weights = weightsOf(graph, weightsName)
  const weightsZero = weightsZeroName ? zeroOf(graph, weightsZeroName) : 0
  if (!source || source.outputs[2] !== inputZero || weights?.dims.length !== 3) return undefined
  if (weightsZero === undefined) return undefined
  const place = placeOf(node, weights.dims)
  if (!place) return undefined

  const sum = onlyUser(node.outputs[0]!, 'Add')
  const cast = onlyUser((sum ?? node).outputs[0]!, 'Cast')
  const product = cast?.integers['to'] === 1 ? onlyUser(cast.outputs[0]!, 'Mul') : undefined
  const scale = product?.inputs.find((name) => name !== cast!.outputs[0])
  const factors = maker(scale, 'Mul')?.inputs ?? []
  const weightsScale = factors.find((name) => name !== source.outputs[1])
  if (!factors.includes(source.outputs[1]!) || !isFloatScalar(graph, weightsScale)) return undefined
  const bias = sum && biasOf(sum, node.outputs[0]!, scale!, maker)
  if (sum && !isFloats(graph, bias, weights.dims[0]!)) return undefined
  const nodes = [node, sum, cast, product].filter((one) => one !== undefined)
  return { weights, weightsZero, input: input!, inputZero: inputZero!, bias, scale: scale!, ...place, nodes }
}

/** Name of the bias that `sum` adds as Reshape(Cast(Floor(bias / scale))). */
function biasOf(
  sum: Node,
  products: string,
  scale: string,
  maker: (value: string | undefined, operator: string) => Node | undefined,
): string | undefined {
  const shaped = maker(
    sum.inputs.find((name) => name !== products),
    'Reshape',
  )
  const whole = maker(maker(shaped?.inputs[0], 'Cast')?.inputs[0], 'Floor')
  const quotient = maker(whole?.inputs[0], 'Div')
  return quotient?.inputs[1] === scale ? quotient.inputs[0] : undefined
}

/** Undefined for a stride, groups, or automatic padding. */
function placeOf({ integers, texts }: Node, dims: readonly number[]): Pick<Quantized, 'dilation' | 'pads'> | undefined {
  const [dilation, stride] = [oneOf(integers['dilations'], 1), oneOf(integers['strides'], 1)]
  const pads = integers['pads'] ?? [0, 0]
  const isUsual = (texts['auto_pad'] ?? 'NOTSET') === 'NOTSET' && (integers['group'] ?? 1) === 1
  const hasSize = integers['kernel_shape'] === undefined || oneOf(integers['kernel_shape'], 0) === dims[2]
  if (!isUsual || !hasSize || stride !== 1 || dilation < 1 || typeof pads === 'number') return undefined
  const [before = -1, after = -1] = pads
  return pads.length === 2 && before >= 0 && after >= 0 ? { dilation, pads: [before, after] } : undefined
}

/** The number of a list of one; `otherwise` without a list, 0 for any other. */
function oneOf(list: number | readonly number[] | undefined, otherwise: number): number {
  if (list === undefined) return otherwise
  return typeof list !== 'number' && list.length === 1 ? list[0]! : 0
}

function weightsOf({ initializers }: MainGraph, name: string | undefined): Quantized['weights'] | undefined {
  const found = name === undefined ? undefined : initializers.get(name)
  if (!found?.values || (found.type !== 'uint8' && found.type !== 'int8')) return undefined
  return { ...found, values: found.values }
}

/** A single integer, which the exporter does not write as bytes. */
function zeroOf({ initializers }: MainGraph, name: string): number | undefined {
  return initializers.get(name)?.integer
}

function isFloatScalar({ initializers }: MainGraph, name: string | undefined): boolean {
  const found = name === undefined ? undefined : initializers.get(name)
  return found?.type === 'float32' && found.dims.every((size) => size === 1)
}

function isFloats({ initializers }: MainGraph, name: string | undefined, count: number): boolean {
  const found = name === undefined ? undefined : initializers.get(name)
  return found?.type === 'float32' && found.dims.length === 1 && found.dims[0] === count
}

/** Puts one product of matrices in place of the nodes. `name`: of its values. */
function multiply(convolution: Quantized, name: string, form: ConvolutionForm, edits: GraphEdits): void {
  const { weights, weightsZero, input, inputZero, bias, scale, dilation, pads, nodes: matched } = convolution
  const [, , size] = weights.dims as [number, number, number]
  const type = form === 'signed_products' ? 'int8' : 'uint8'
  const mask = weights.type === type ? 0 : signBit
  const zero = { sizeBytes: 1, fill: (into: Uint8Array) => void into.fill(weightsZero ^ mask) }

  const nodes: NewNode[] = []
  const add = (operator: string, inputs: readonly string[], integers?: NewNode['integers']): string => {
    const output = `${name}.${nodes.length}`
    nodes.push({ operator, inputs, output, integers })
    return output
  }
  let columns = add('Transpose', [input], { perm: [0, 2, 1] })
  if (size > 1) {
    const padded = add('Pad', [columns, edits.integers(0, pads[0], 0, 0, pads[1], 0), inputZero])
    const taps = Array.from({ length: size }, (_, tap) => {
      // Counted from the end, because the length is unknown.
      const end = tap === size - 1 ? 2 ** 31 - 1 : -(size - 1 - tap) * dilation
      return add('Slice', [padded, edits.integers(tap * dilation), edits.integers(end), edits.integers(1)])
    })
    columns = add('Concat', taps, { axis: 2 })
  }
  const products = add('MatMulInteger', [
    columns,
    edits.add({ name: `${name}.weights`, type, ...columnsOf(weights, mask, edits) }),
    inputZero,
    edits.add({ name: `${name}.zero`, type, dims: [], values: zero }),
  ])
  let result = add('Mul', [add('Cast', [products], { to: 1 }), scale])
  if (bias !== undefined) result = add('Add', [result, bias])
  const last = matched.at(-1)!
  nodes.push({ operator: 'Transpose', inputs: [result], output: last.outputs[0]!, integers: { perm: [0, 2, 1] } })
  for (const node of matched) edits.remove(node)
  edits.replace(last, nodes)
}

/** The weights [outputs, inputs, size] as a matrix [size · inputs, outputs], each XOR `mask`. */
function columnsOf({ dims, values }: Quantized['weights'], mask: number, edits: GraphEdits) {
  const [outputs, inputs, size] = dims as [number, number, number]
  return {
    dims: [size * inputs, outputs],
    values: {
      sizeBytes: outputs * inputs * size,
      fill(into: Uint8Array): void {
        const from = edits.read(values)
        for (let output = 0, at = 0; output < outputs; output++)
          for (let channel = 0; channel < inputs; channel++)
            for (let tap = 0; tap < size; tap++) into[(tap * inputs + channel) * outputs + output] = from[at++]! ^ mask
      },
    },
  }
}

/** Place of a narrow convolution in one dimension with constant weights; undefined for any other node. */
function narrowOf(node: Node, { initializers }: MainGraph) {
  const weights = node.operator === 'Conv' ? initializers.get(node.inputs[1]!) : undefined
  if (weights?.type !== 'float32' || weights.dims.length !== 3) return undefined
  const [outputs, inputs, size] = weights.dims as [number, number, number]
  const isNarrow = [outputs, inputs].every((count) => count <= narrowChannelsMax && count % blockChannels === 0)
  const place = size > 1 && isNarrow ? placeOf(node, weights.dims) : undefined
  return place && { ...place, size }
}

function flatten(node: Node, graph: MainGraph, edits: GraphEdits): void {
  const place = narrowOf(node, graph)
  if (!place) return
  const { size, dilation, pads } = place
  const [input, weights, ...bias] = node.inputs as [string, string, ...string[]]
  const axes = edits.integers(2)
  const name = (value: string) => `${prefix}.${node.outputs[0]}.${value}`
  edits.replace(node, [
    { operator: 'Unsqueeze', inputs: [input, axes], output: name('input') },
    { operator: 'Unsqueeze', inputs: [weights, axes], output: name('weights') },
    {
      operator: 'Conv',
      inputs: [name('input'), name('weights'), ...bias],
      output: name('output'),
      integers: { kernel_shape: [1, size], dilations: [1, dilation], pads: [0, pads[0], 0, pads[1]] },
    },
    { operator: 'Squeeze', inputs: [name('output'), axes], output: node.outputs[0]! },
  ])
}
