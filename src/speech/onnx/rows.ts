/**
 * Finds outputs that a graph makes by turning rows into columns: a value [1, rows, n] → Transpose [1, n, rows] → Split →
 * outputs [1, n / count, rows]. Where a program wants rows, the value itself saves two copies of all numbers.
 */
import type { GraphInfo } from './file'
import { readMainGraph } from './nodes'
import { walk, type Bytes } from './wire'

export type Rows = {
  /** The value with the rows; each has the numbers of all outputs, one output after the other. */
  readonly value: string
  /** Offsets of the two nodes and of the outputs, which are of no more use. */
  readonly starts: readonly number[]
}

/** `outputs`: names of outputs of equal height, in the order of the rows. Undefined where a graph makes them otherwise. */
export function findRows(bytes: Bytes, info: GraphInfo, outputs: readonly string[]): Rows | undefined {
  const heights = outputs.map((name) => info.outputs.find((output) => output.name === name)?.dims.at(-2))
  if (heights.some((height) => height === undefined || height < 0 || height !== heights[0])) return undefined
  const { nodes, hasBodies } = readMainGraph(bytes)
  if (hasBodies) return undefined
  const split = nodes.find(({ operator, integers }) => operator === 'Split' && integers['axis'] === 1)
  const transpose = nodes.find((node) => node.operator === 'Transpose' && node.outputs[0] === split?.inputs[0])
  const value = transpose?.inputs[0]
  if (!split || !transpose || value === undefined) return undefined
  if (split.outputs.join() !== outputs.join() || String(transpose.integers['perm']) !== '0,2,1') return undefined
  const columns = new Set([...split.outputs, ...transpose.outputs])
  if (nodes.some((node) => node !== split && node.inputs.some((input) => columns.has(input)))) return undefined
  return { value, starts: [split.start, transpose.start, ...startsOf(bytes, new Set(outputs))] }
}

/** Offsets of the fields that declare these outputs. */
function startsOf(bytes: Bytes, outputs: ReadonlySet<string>): number[] {
  const starts: number[] = []
  walk(bytes, (model) => {
    if (model.number !== 7) return
    model.message((field) => {
      if (field.number !== 12) return
      const { start } = field
      field.message((value) => {
        if (value.number === 1 && outputs.has(value.text())) starts.push(start)
      })
    })
  })
  return starts
}
