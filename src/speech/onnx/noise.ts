/**
 * Makes random nodes repeatable: each is replaced by nodes that look up a fixed table of white noise by the position in
 * the output. The noise then depends only on the shape. Each node reads the table in a different order.
 */
import { createRandom } from '../random'
import type { NewConstant, NewNode } from './encode'
import type { GraphInfo, NoiseNode } from './file'

/** A prime, so that any stride visits the whole table, and rows of an output rarely share numbers. */
export const tableLength = 65_537
/** First opset with the Range operator; Mod came one before. */
const opsetMin = 11
/** First opset whose Reshape can make shapes with a size of 0. */
const opsetWithEmptyShapes = 14
/** First opset with CastLike. */
const opsetWithCastLike = 15
/** TensorProto.DataType values that the table can be cast to: float16, float64, bfloat16. */
const castableTypes = [10, 11, 16]
const float32Type = 1
/** Stride and offset steps between nodes: golden-ratio fractions of the table length, so no two nodes are close. */
const strideStep = 40_505
const offsetStep = 25_033
const prefix = 'sonant.noise'

/** Whether all noise of a graph can be made repeatable. */
export function isRepeatable({ noise, opset }: Pick<GraphInfo, 'noise' | 'opset'>): boolean {
  return noise.every((node) => isReplaceable(node, opset))
}

function isReplaceable({ operator, start, attributes }: NoiseNode, opset: number): boolean {
  if (start === null || opset < opsetMin) return false
  const { dtype } = attributes
  const castable = typeof dtype === 'number' && (dtype === float32Type || castableTypes.includes(dtype))
  switch (operator) {
    case 'RandomNormal':
    case 'RandomUniform':
      return dtype === undefined || castable
    case 'RandomNormalLike':
    case 'RandomUniformLike':
      return castable || (dtype === undefined && opset >= opsetWithCastLike)
    default:
      return false
  }
}

/** Replacements of all noise nodes, in order. All must be replaceable. */
export function noiseReplacements({ noise, opset }: Pick<GraphInfo, 'noise' | 'opset'>): NewNode[][] {
  const distributions = noise.map(distributionOf)
  return noise.map((node, index) => {
    const distribution = distributions[index]!
    return [
      ...(index === 0 ? [integer(`${prefix}.length`, tableLength), integer(`${prefix}.one`, 1)] : []),
      ...(distributions.indexOf(distribution) === index ? [tableNode(distribution)] : []),
      ...replacement(node, index, opset),
    ]
  })
}

type Distribution = 'normal' | 'uniform'

function distributionOf({ operator }: NoiseNode): Distribution {
  return operator.startsWith('RandomNormal') ? 'normal' : 'uniform'
}

function replacement(node: NoiseNode, index: number, opset: number): NewNode[] {
  const nodes: NewNode[] = []
  const name = (value: string) => `${prefix}.${index}.${value}`
  function add(operator: string, inputs: readonly string[], integers?: NewNode['integers']): string {
    const output = name(String(nodes.length))
    nodes.push({ operator, inputs, output, integers })
    return output
  }
  function constant(value: NewConstant): string {
    const output = name(String(nodes.length))
    nodes.push({ operator: 'Constant', inputs: [], output, value })
    return output
  }
  const long = (value: number) => constant({ type: 'int64', dims: [], values: BigInt64Array.of(BigInt(value)) })

  let shape: string
  let count: string
  if (node.operator.endsWith('Like')) {
    shape = add('Shape', [node.inputs[0]!])
    count = add('Size', [node.inputs[0]!])
  } else {
    const dims = listOf(node.attributes['shape'])
    shape = constant({ type: 'int64', dims: [dims.length], values: BigInt64Array.from(dims, BigInt) })
    count = long(dims.reduce((product, size) => product * size, 1))
  }
  const stride = long(1 + ((index * strideStep) % (tableLength - 1)))
  const offset = long((index * offsetStep) % tableLength)
  const limit = add('Add', [add('Mul', [count, stride]), offset])
  const places = add('Mod', [add('Range', [offset, limit, stride]), `${prefix}.length`])
  const drawn = add('Gather', [`${prefix}.${distributionOf(node)}`, places])
  const shaped = add('Reshape', [drawn, shape], opset >= opsetWithEmptyShapes ? { allowzero: 1 } : undefined)

  const { factor, summand } = scaleOf(node)
  let value = shaped
  const scalar = (number: number) => constant({ type: 'float32', dims: [], values: Float32Array.of(number) })
  if (factor !== 1) value = add('Mul', [value, scalar(factor)])
  if (summand !== 0) value = add('Add', [value, scalar(summand)])
  const { dtype } = node.attributes
  const last =
    dtype === undefined && node.operator.endsWith('Like')
      ? { operator: 'CastLike', inputs: [value, node.inputs[0]!] }
      : { operator: 'Cast', inputs: [value], integers: { to: typeof dtype === 'number' ? dtype : float32Type } }
  return [...nodes, { ...last, output: node.output }]
}

/** Maps N(0, 1) or U(0, 1) to the distribution of the node. */
function scaleOf(node: NoiseNode): { factor: number; summand: number } {
  const { mean = 0, scale = 1, low = 0, high = 1 } = node.attributes as Record<string, number>
  return distributionOf(node) === 'normal' ? { factor: scale, summand: mean } : { factor: high - low, summand: low }
}

function listOf(attribute: number | readonly number[] | undefined): readonly number[] {
  return typeof attribute === 'object' ? attribute : []
}

function integer(output: string, value: number): NewNode {
  return {
    operator: 'Constant',
    inputs: [],
    output,
    value: { type: 'int64', dims: [], values: BigInt64Array.of(BigInt(value)) },
  }
}

function tableNode(distribution: Distribution): NewNode {
  const values = distribution === 'normal' ? normalTable() : uniformTable()
  return {
    operator: 'Constant',
    inputs: [],
    output: `${prefix}.${distribution}`,
    value: { type: 'float32', dims: [values.length], values },
  }
}

/** A fixed sequence, uniform in [0, 1). */
function uniformTable(): Float32Array {
  const next = createUniform()
  return Float32Array.from({ length: tableLength }, next)
}

/**
 * A fixed normal sequence with mean 0 and variance 1, by Box and Muller, "A note on the generation of random normal
 * deviates" (1958).
 */
function normalTable(): Float32Array {
  const next = createUniform()
  const table = new Float32Array(tableLength)
  for (let i = 0; i < tableLength; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - next()))
    const angle = 2 * Math.PI * next()
    table[i] = radius * Math.cos(angle)
    if (i + 1 < tableLength) table[i + 1] = radius * Math.sin(angle)
  }
  return table
}

/** Random numbers in [0, 1), of 24 bits. */
function createUniform(): () => number {
  const random = createRandom()
  return () => (random() >>> 8) * 2 ** -24
}
