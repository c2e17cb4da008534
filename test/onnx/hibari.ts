/**
 * Transparent graphs with Hibari's signature: their spectra are one line each, whose frequency is the id, held for 3.3
 * units of two frames at speed 1, rounded. The number v is heard as 400 + 60 · v Hz.
 */
import { realFft } from '../../src/audio/analysis/fft'
import { createGraph } from './graph'

export type HibariModel = {
  /** Whether the graph rounds its durations in a node `Round`, as the real one does. */
  readonly timesIds?: boolean
  /** Instead of [1, 601, F]. */
  readonly bins?: number
  /** Names of the outputs to leave out. */
  readonly without?: readonly string[]
  readonly speedType?: 'float32' | 'int64'
  /** Name of an input that the graph does not use. */
  readonly further?: string
  /** The magnitude of every line, as a logarithm. */
  readonly level?: number
  /** Whether the spectra come out of one transposed value, as in the real one. */
  readonly isSplit?: boolean
}

const unitsPerId = 3.3
const lowestBin = 20
const binsPerId = 3
/** Amplitude 0.3. */
const usualLevel = Math.log(135)

export function hibariModel(options: HibariModel = {}): Uint8Array {
  const { timesIds = true, bins = 601, without = [], speedType = 'float32', level = usualLevel } = options
  const graph = createGraph()
  if (options.further !== undefined) graph.input(options.further, 'float32', [1])
  const { op, ints, floats, cast } = graph
  const ids = op('Reshape', [graph.input('ids', 'int64', [1, 'ids']), ints([-1])])
  const speed = cast(graph.input('speed', speedType, [1]), 'float32')
  const none = op('Mul', [cast(ids, 'float32'), floats([0])])
  const exact = op('Add', [none, op('Div', [floats([unitsPerId]), speed])])
  const whole = timesIds ? op('Round', [exact]) : op('Floor', [op('Add', [exact, floats([0.5])])])
  const frames = cast(op('Mul', [op('Clip', [whole, floats([1], [])]), floats([2])]), 'int64')
  const ends = op('CumSum', [frames, ints([0], [])])
  const total = op('ReduceSum', [frames, ints([0])], { keepdims: 0 })
  const range = op('Range', [ints([0], []), total, ints([1], [])])
  const past = op('LessOrEqual', [op('Reshape', [ends, ints([1, -1])]), op('Reshape', [range, ints([-1, 1])])])
  const index = op('ReduceSum', [cast(past, 'int64'), ints([1])], { keepdims: 0 })
  const line = op('Add', [op('Mul', [op('Gather', [ids, index]), ints([binsPerId])]), ints([lowestBin])])
  const rows = op('Range', [ints([0], []), ints([bins], []), ints([1], [])])
  const column = op('Reshape', [rows, ints([-1, 1])])
  const isLine = cast(op('Equal', [column, op('Reshape', [line, ints([1, -1])])]), 'float32')
  const quiet = op('Sub', [op('Mul', [isLine, floats([level + 100])]), floats([100])])
  const zeros = op('Mul', [isLine, floats([0])])
  // From frame to frame the phase of bin k grows by k quarters of a turn.
  const quarters = op('Mod', [op('Mul', [column, op('Reshape', [range, ints([1, -1])])]), ints([4])])
  const phases = op('Mul', [cast(quarters, 'float32'), floats([Math.PI / 2])])
  const rowsOf: Readonly<Record<string, string>> = {
    lh: op('Sub', [zeros, floats([100])]),
    theta: zeros,
    ln: op('Sub', [zeros, floats([100])]),
    lr: quiet,
    phi: phases,
  }
  if (options.isSplit) {
    const value = op('Unsqueeze', [op('Concat', Object.values(rowsOf), { axis: 0 }), ints([0])])
    const rows = op('Transpose', [value], { perm: [0, 2, 1] })
    const columns = op('Transpose', [rows], { perm: [0, 2, 1] })
    const made = Object.fromEntries(Object.keys(rowsOf).map((name) => [name, [1, bins, 'frames']]))
    graph.splitOutputs('Split', [columns], { axis: 1 }, made)
  } else
    for (const [name, value] of Object.entries(rowsOf))
      if (!without.includes(name)) graph.output(name, op('Unsqueeze', [value, ints([0])]), [1, bins, 'frames'])
  const unvoiced = cast(op('Mul', [range, ints([0])]), 'float32')
  if (!without.includes('f0')) graph.output('f0', op('Unsqueeze', [unvoiced, ints([0])]), [1, 'frames'])
  return graph.model({}, 17)
}

/** The ids in the sound of the model at speed 1, resampled or not. */
export function decodeHibari(samples: Float32Array): number[] {
  const length = 2 * Math.round(unitsPerId) * 300
  const size = 1200
  const [re, im] = [new Float64Array(size / 2 + 1), new Float64Array(size / 2 + 1)]
  return Array.from({ length: Math.round(samples.length / length) }, (_, id) => {
    const start = id * length + (length - size) / 2
    realFft(size).forward(samples.subarray(start, start + size), re, im)
    const levels = re.map((value, bin) => value ** 2 + im[bin]! ** 2)
    return (levels.indexOf(Math.max(...levels)) - lowestBin) / binsPerId
  })
}

/** Like the networks for unknown words; gives the ids of the letters. */
export function networkModel(type: 'int64' | 'float32' = 'int64'): Uint8Array {
  const graph = createGraph()
  graph.output('ids', graph.input('chars', type, [1, 'letters']), [1, 'letters'], type)
  return graph.model({}, 17)
}
