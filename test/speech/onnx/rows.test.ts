/** Rows in place of the outputs that are made of them. */
import { beforeAll, describe, expect, it } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readGraphFile } from '../../../src/speech/onnx/file'
import { openGraph } from '../../../src/speech/onnx/graph'
import { findRows } from '../../../src/speech/onnx/rows'
import { openRuntime, type Runtime } from '../../../src/speech/onnx/runtime'
import { bytesOf } from '../../../src/speech/onnx/wire'
import { createGraph } from '../../onnx/graph'

const directory = mkdtempSync(join(tmpdir(), 'sonant-rows-'))
let runtime: Runtime
beforeAll(async () => {
  runtime = await openRuntime({ directory, provider: 'cpu', threads: 1 })
})

type Options = { axis?: number; perm?: readonly number[]; names?: readonly string[]; isUsed?: boolean; height?: number }

/** Rows x + 1 of four numbers → a, b of two rows each, and their number as a further output. */
function columnsModel({ axis = 1, perm = [0, 2, 1], names = ['a', 'b'], isUsed = false, height = 2 }: Options = {}) {
  const graph = createGraph()
  const rows = graph.op('Add', [graph.input('x', 'float32', [1, 'rows', 4]), graph.floats([1])])
  graph.output('count', graph.cast(graph.op('Size', [rows]), 'float32'), [])
  const columns = graph.op('Transpose', [rows], { perm })
  if (isUsed) graph.output('columns', columns, [1, 4, 'rows'])
  const made = Object.fromEntries(names.map((name) => [name, [1, height, 'rows']]))
  graph.splitOutputs('Split', [columns], { axis }, made)
  return graph.model()
}

const find = (model: Uint8Array, outputs = ['a', 'b']) => findRows(bytesOf(model), readGraphFile(model), outputs)

async function run(rows: readonly string[] | undefined) {
  const path = join(directory, 'model.onnx')
  writeFileSync(path, columnsModel())
  const opened = await openGraph(runtime, path, rows ? { rows } : {})
  const x = runtime.float32(Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7), [1, 2, 4])
  const outputs = await opened.session.run({ x })
  const numbers = Object.entries(outputs).map(([name, { data }]) => [name, [...(data as Float32Array)]])
  return { rows: opened.rows, numbers: Object.fromEntries(numbers) }
}

describe('rows', () => {
  it('take the place of the columns that a graph makes of them, beside its other outputs', async () => {
    expect(await run(undefined)).toEqual({ rows: undefined, numbers: { count: [8], a: [1, 5, 2, 6], b: [3, 7, 4, 8] } })
    const { rows, numbers } = await run(['a', 'b'])
    expect(numbers).toEqual({ count: [8], [rows!]: [1, 2, 3, 4, 5, 6, 7, 8] })
  })

  it('are not found where the graph makes the columns otherwise, or needs them', async () => {
    expect(find(columnsModel())).toBeDefined()
    expect(find(columnsModel(), ['b', 'a'])).toBeUndefined()
    expect(find(columnsModel(), ['a'])).toBeUndefined()
    expect(find(columnsModel(), ['a', 'other'])).toBeUndefined()
    expect(find(columnsModel({ axis: 2 }))).toBeUndefined()
    expect(find(columnsModel({ perm: [0, 1, 2] }))).toBeUndefined()
    expect(find(columnsModel({ isUsed: true }))).toBeUndefined()
    expect(find(columnsModel({ height: -1 }))).toBeUndefined()
    expect(await run(['b', 'a'])).toMatchObject({ rows: undefined, numbers: { a: [1, 5, 2, 6] } })
  })
})
