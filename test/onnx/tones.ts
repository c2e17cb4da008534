/**
 * Voices that whistle what they are given: each cell is a sine whose pitch is a number, so that ids, scales and speaker
 * can be read back from sound that was trimmed, levelled, limited and resampled, as customers get it. All cells of a run
 * are held equally long. The first says how long: 120 · length scale. Then come, for Piper's graphs,
 *
 *   speaker (0 where there is no such input) | 100 · noise scale | 100 · noise width | id id id …
 *
 * The number v is heard as 300 + 20 · v Hz.
 */
import type { Pcm } from '../../src/audio/pcm'
import { createGraph, type GraphBuilder } from './graph'
import { addToGraph, attribute, bytes, node, output, tensor, varint } from './raw'

export type TonesModel = {
  readonly speakers?: number
  /** Whether the graph tells the frames of each id, as Piper's do in their only `Ceil`. */
  readonly timesIds?: boolean
  /** A sentence with this id in it comes out as NaN. */
  readonly brokenBy?: number
  /** A sentence with this id in it divides the least of all int64 by −1: onnxruntime dies of SIGFPE. */
  readonly fatalBy?: number
  /** A sentence with this id in it never ends; 'always': none does. */
  readonly endlessBy?: number | 'always'
  /** Rounds of a loop for each id, a microsecond or two each: a voice that is slow on purpose. */
  readonly slowRounds?: number
  /** Whether what never ends keeps four megabytes more with every round. */
  readonly hungry?: boolean
  /** The cell of the speaker says how many sentences are in the run. */
  readonly countsBatch?: boolean
  /** Bytes of parameters that nothing is computed with. */
  readonly ballastBytes?: number
  /** Bytes of a constant that the graph makes, of all zeros. */
  readonly constantBytes?: number
  /** Amplitude of the sine; 0 is silence. */
  readonly level?: number
}

const piperSampleRate = 22_050
/** Samples of a cell at length scale 1. */
const hop = 900
const headerCells = 4
/** Value of the first cell at length scale 1. */
export const evenly = 120
const lowestHz = 300
const stepHz = 20
const rounds = 2 ** 40

/** `input` [B,T], `input_lengths` [B], `scales` [3], perhaps `sid` [1] → `output` [B,1,1,N] at 22 050 Hz. */
export function tonesModel(options: TonesModel = {}): Uint8Array {
  const {
    speakers = 1,
    timesIds = true,
    brokenBy,
    fatalBy,
    endlessBy,
    slowRounds,
    hungry = false,
    countsBatch = false,
    ballastBytes,
    constantBytes,
    level = 0.3,
  } = options
  const graph = createGraph()
  const { op, ints, floats, cast } = graph
  const input = graph.input('input', 'int64', ['batch', 'phonemes'])
  const length = op('Reshape', [graph.input('input_lengths', 'int64', ['batch']), ints([-1, 1])])
  const scales = graph.input('scales', 'float32', [3])
  const size = (axis: number) => op('Gather', [op('Shape', [input]), ints([axis], [])])
  let speaker = speakers > 1 ? graph.input('sid', 'int64', [1]) : ints([0])
  if (countsBatch) speaker = op('Reshape', [size(0), ints([1])])

  const range = op('Range', [ints([0], []), size(1), ints([1], [])])
  const mask = cast(op('Less', [range, length]), 'float32')
  const lengthScale = op('Gather', [scales, ints([1])])

  const inOrder = op('Gather', [op('Mul', [scales, floats([100, evenly, 100])]), ints([1, 0, 2])])
  const [first, rest] = [op('Slice', [inOrder, ints([0]), ints([1])]), op('Slice', [inOrder, ints([1]), ints([3])])]
  const header = op('Reshape', [op('Concat', [first, cast(speaker, 'float32'), rest], { axis: 0 }), ints([1, -1])])
  const batch = op('Reshape', [size(0), ints([1])])
  const headers = op('Expand', [header, op('Concat', [batch, ints([headerCells])], { axis: 0 })])
  const values = op('Round', [op('Concat', [headers, cast(input, 'float32')], { axis: 1 })])
  const audible = op('Concat', [op('Add', [op('Mul', [headers, floats([0])]), floats([1])]), mask], { axis: 1 })
  const cells = whistle(graph, { values, audible, lengthScale, sampleRate: piperSampleRate, level })
  let samples = op('Reshape', [cells, ints([0, 1, 1, -1])])

  const holds = (id: number) => op('ReduceMax', [cast(op('Equal', [input, ints([id])]), 'float32')], { keepdims: 0 })
  if (brokenBy !== undefined) {
    const isWhole = op('Sub', [floats([1], []), holds(brokenBy)])
    samples = op('Div', [op('Mul', [samples, isWhole]), isWhole])
  }
  if (fatalBy !== undefined) {
    const divisor = op('Sub', [ints([1], []), cast(op('Mul', [holds(fatalBy), floats([2], [])]), 'int64')])
    const nothing = cast(op('Mul', [op('Div', [ints([-(2 ** 63)], []), divisor]), ints([0], [])]), 'float32')
    samples = op('Add', [samples, nothing])
  }
  const loops = endlessBy !== undefined || slowRounds !== undefined
  if (loops) {
    const share = endlessBy === undefined || endlessBy === 'always' ? ints([1], []) : cast(holds(endlessBy), 'int64')
    if (slowRounds === undefined) op('Mul', [share, ints([rounds], [])], {}, 'rounds')
    else op('Mul', [size(1), ints([slowRounds], [])], {}, 'rounds')
    samples = op('Add', [samples, op('Mul', ['turned', floats([0])])])
  }
  if (ballastBytes !== undefined) {
    // The table is looked into, so that it is kept, but what is found counts for nothing.
    const table = floats(new Float32Array(ballastBytes / 4))
    samples = op('Add', [samples, op('Gather', [table, op('Mod', [size(1), ints([7], [])])])])
  }
  if (constantBytes !== undefined) {
    const zeros = op('ConstantOfShape', [ints([constantBytes / 4])])
    samples = op('Add', [samples, op('ReduceMax', [zeros], { keepdims: 0 })])
  }
  if (timesIds) {
    const isFirst = cast(op('Equal', [range, ints([0])]), 'float32')
    const cellsOfEach = op('Add', [mask, op('Mul', [isFirst, floats([headerCells])])])
    op('Ceil', [op('Mul', [op('Unsqueeze', [cellsOfEach, ints([1])]), heldSamples(graph, lengthScale)])], {}, 'w_ceil')
  }
  graph.output('output', samples, ['batch', 1, 1, 'time'])
  const model = graph.model()
  return loops ? addToGraph(model, ...loop(hungry)) : model
}

/** Piper's inputs → a hum of that pitch with the harmonics of a voice, as long as its ids. */
export function hummingModel(hz: number): Uint8Array {
  const graph = createGraph()
  const { op, ints, floats, cast } = graph
  const input = graph.input('input', 'int64', ['batch', 'phonemes'])
  const lengths = graph.input('input_lengths', 'int64', ['batch'])
  const scales = graph.input('scales', 'float32', [3])
  const held = op('Squeeze', [cast(heldSamples(graph, op('Gather', [scales, ints([1])])), 'int64')])
  const count = op('Mul', [op('Squeeze', [lengths]), held])
  const range = op('Range', [ints([0], []), count, ints([1], [])])
  // One period again and again, so that its phases stay small enough to be exact.
  const period = Math.round(piperSampleRate / hz)
  const time = op('Reshape', [cast(op('Mod', [range, ints([period])]), 'float32'), ints([1, -1])])
  const harmonics = Array.from({ length: 20 }, (_, index) => index + 1)
  const turns = harmonics.map((harmonic) => (2 * Math.PI * harmonic) / period)
  const phases = harmonics.map((harmonic) => harmonic * harmonic)
  const waves = op('Sin', [op('Add', [op('Mul', [time, floats(turns, [20, 1])]), floats(phases, [20, 1])])])
  const weighted = op('Mul', [
    waves,
    floats(
      harmonics.map((harmonic) => 0.15 / harmonic),
      [20, 1],
    ),
  ])
  const hum = op('ReduceSum', [weighted, ints([0])], { keepdims: 0 })
  const taken = cast(op('Mul', [op('Gather', [op('Shape', [input]), ints([0])]), ints([0])]), 'float32')
  graph.output('output', op('Reshape', [op('Add', [hum, taken]), ints([1, 1, 1, -1])]), ['batch', 1, 1, 'time'])
  return graph.model()
}

/** `values` and `audible` (0 or 1): [B, cells]; `lengthScale` [1]; level: of the sines. Returns [B, cells, samples]. */
export function whistle(
  graph: GraphBuilder,
  {
    values,
    audible,
    lengthScale,
    sampleRate,
    level,
  }: { values: string; audible: string; lengthScale: string; sampleRate: number; level: number },
): string {
  const { op, ints, floats, cast } = graph
  const hz = op('Add', [op('Mul', [op('Round', [values]), floats([stepHz])]), floats([lowestHz])])
  const count = op('Squeeze', [cast(heldSamples(graph, lengthScale), 'int64')])
  const time = cast(op('Range', [ints([0], []), count, ints([1], [])]), 'float32')
  const radians = op('Mul', [time, floats([(2 * Math.PI) / sampleRate])])
  const sines = op('Sin', [op('Mul', [op('Unsqueeze', [hz, ints([2])]), radians])])
  return op('Mul', [sines, op('Unsqueeze', [op('Mul', [audible, floats([level])]), ints([2])])])
}

function heldSamples({ op, floats }: GraphBuilder, lengthScale: string): string {
  return op('Round', [op('Mul', [lengthScale, floats([hop])])])
}

/** `turned` is 0 after so many `rounds`. */
function loop(hungry: boolean): readonly Uint8Array[] {
  const scalar = (field: number, name: string, type: number) =>
    bytes(field, bytes(1, name), bytes(2, bytes(1, varint(1, type), bytes(2))))
  const zero = { type: 1, dims: [], raw: new Uint8Array(new Float32Array([0]).buffer) }
  return [
    tensor({ name: 'still', ...zero }),
    tensor({ name: 'width', type: 7, dims: [1], raw: new Uint8Array(BigInt64Array.of(1_000_000n).buffer) }),
    node(
      'Loop',
      ['rounds', '', 'still'],
      'turned',
      ...(hungry ? [bytes(2, 'kept')] : []),
      attribute.body(
        'body',
        node('Identity', ['goes'], 'goesOn'),
        node('Sin', ['before'], 'after'),
        ...(hungry ? [node('Expand', ['before', 'width'], 'wide')] : []),
        scalar(11, 'round', 7),
        scalar(11, 'goes', 9),
        scalar(11, 'before', 1),
        scalar(12, 'goesOn', 9),
        scalar(12, 'after', 1),
        ...(hungry ? [output('wide', 'width')] : []),
      ),
    ),
  ]
}

/** The inputs of a run. */
export type TonesRun = {
  readonly ids: readonly number[]
  readonly lengthScale: number
  readonly speaker: number
  readonly noiseScale: number
  readonly noiseWidth: number
}

/** Reads the inputs of Piper's graphs from the sound of one sentence, at any sample rate. */
export function decodeTones(pcm: Pcm): TonesRun {
  const [lengthScale, speaker, noise, width, ...ids] = decodeWhistle(pcm, piperSampleRate)
  return {
    ids,
    lengthScale: lengthScale! / evenly,
    speaker: speaker!,
    noiseScale: noise! / 100,
    noiseWidth: width! / 100,
  }
}

/** The number of each cell. `modelRate`: of the graph, in Hz. */
export function decodeWhistle(pcm: Pcm, modelRate: number): number[] {
  const ratio = pcm.sampleRate / modelRate
  const first = numberAt(pcm, { start: 0, length: (hop / 2) * ratio })
  const length = ((hop * first) / evenly) * ratio
  const count = Math.round(pcm.samples.length / length)
  return Array.from({ length: count }, (_, index) => numberAt(pcm, { start: index * length, length }))
}

/** The number whose pitch is strongest in the middle of a cell, under a Hann window. */
function numberAt({ samples, sampleRate: rate }: Pcm, { start, length }: { start: number; length: number }): number {
  const middle = samples.subarray(Math.round(start + length * 0.2), Math.round(start + length * 0.8))
  const window = middle.map((value, i) => value * (1 - Math.cos((2 * Math.PI * (i + 0.5)) / middle.length)))
  const powers = Array.from({ length: 256 }, (_, value) => powerAt(window, (lowestHz + stepHz * value) / rate))
  return powers.indexOf(Math.max(...powers))
}

/** By Goertzel's filter; `turns` per sample. */
function powerAt(samples: Float32Array, turns: number): number {
  const coefficient = 2 * Math.cos(2 * Math.PI * turns)
  let last = 0
  let before = 0
  // An index is seven times as fast as an iterator here.
  for (let i = 0; i < samples.length; i++) {
    const now = samples[i]! + coefficient * last - before
    before = last
    last = now
  }
  return last * last + before * before - coefficient * last * before
}
