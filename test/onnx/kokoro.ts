/**
 * Transparent graphs with Kokoro's signature (KittenTTS' too): their sound is what they were given. One run of the
 * plain kind gives cells, each held for `max(1, round(hop / speed))` samples:
 *
 *   1 | length % 1024 | length / 1024 | speed / 8 | style[0] | style[1] | id id id …
 *
 * A whole number v is sent as (v + 256) / 2048: exact in float32 and in 16-bit PCM, never above 1, never near silence.
 * The timed kind tells the length of each symbol as the real one does, and its sound is each id held for so long.
 */
import { createGraph, type GraphBuilder, type Type } from './graph'

export type StyleModelOptions = {
  /** Names of ids, style, speed and samples. */
  readonly names?: readonly [string, string, string, string]
  readonly tokenType?: Type
  readonly speedType?: Type
  readonly audioType?: Type
  readonly hop?: number
  readonly metadata?: Readonly<Record<string, string | number>>
}

const onnxCommunity = ['input_ids', 'style', 'speed', 'waveform'] as const
export const sherpaNames = ['tokens', 'style', 'speed', 'audio'] as const

function open({ names = onnxCommunity, tokenType = 'int64', speedType = 'float32' }: StyleModelOptions) {
  const graph = createGraph()
  const given = graph.input(names[0], tokenType, [1, 'tokens'])
  const style = graph.input(names[1], 'float32', [1, 256])
  const speed = graph.cast(graph.input(names[2], speedType, [1]), 'float32')
  return { graph, ids: graph.cast(given, 'int64'), style, speed }
}

/** A whole number as a sample. */
function code(graph: GraphBuilder, value: string): string {
  return graph.op('Mul', [
    graph.op('Add', [graph.cast(value, 'float32'), graph.floats([256])]),
    graph.floats([1 / 2048]),
  ])
}

export function styleModel(options: StyleModelOptions = {}): Uint8Array {
  const { names = onnxCommunity, audioType = 'float32', hop = 1, metadata } = options
  const { graph, ids, style, speed } = open(options)
  const column = (value: string) => graph.op('Reshape', [value, graph.ints([1, 1])])
  const length = graph.op('Gather', [graph.op('Shape', [ids]), graph.ints([1])])
  const k = graph.ints([1024])
  const cells = graph.op(
    'Concat',
    [
      graph.floats([1], [1, 1]),
      column(code(graph, graph.op('Mod', [length, k]))),
      column(code(graph, graph.op('Div', [length, k]))),
      column(graph.op('Mul', [speed, graph.floats([1 / 8])])),
      graph.op('Gather', [style, graph.ints([0, 1])], { axis: 1 }),
      code(graph, ids),
    ],
    { axis: 1 },
  )
  const held = graph.op('Round', [graph.op('Div', [graph.floats([hop]), speed])])
  const repeat = graph.cast(graph.op('Max', [held, graph.floats([1])]), 'int64')
  const sound = graph.op('Expand', [
    graph.op('Unsqueeze', [cells, graph.ints([2])]),
    graph.op('Concat', [graph.ints([1, 1]), repeat], { axis: 0 }),
  ])
  const flat = graph.op('Reshape', [sound, graph.ints([1, -1])])
  graph.output(names[3], audioType === 'float32' ? flat : graph.cast(flat, audioType), [1, 'time'], audioType)
  return graph.model(metadata)
}

/** `givesDurations`: whether the lengths are an output. */
type TimedModelOptions = StyleModelOptions & { readonly givesDurations?: boolean }

/** Samples in a unit of time, as in Kokoro. */
export const unitSamples = 600

/**
 * `waveform` and `duration` (int64, in units), as hexgrad's export and KittenTTS have them: at speed 1 an id lasts 4
 * units and its remainder by 5.
 */
export function timedStyleModel({ givesDurations = true, ...options }: TimedModelOptions = {}): Uint8Array {
  const { names = onnxCommunity, metadata } = options
  const { graph, ids, speed, style } = open(options)
  const line = graph.op('Reshape', [ids, graph.ints([-1])])
  const base = graph.op('Add', [graph.op('Mod', [line, graph.ints([5])]), graph.ints([4])])
  const scaled = graph.op('Round', [graph.op('Div', [graph.cast(base, 'float32'), speed])])
  const duration = graph.cast(graph.op('Max', [scaled, graph.floats([1])]), 'int64')
  const ends = graph.op('CumSum', [duration, graph.ints([0], [])])
  const total = graph.op('ReduceSum', [duration, graph.ints([0])], { keepdims: 0 })
  const frames = graph.op('Range', [graph.ints([0], []), total, graph.ints([1], [])])
  const past = graph.op('LessOrEqual', [
    graph.op('Reshape', [ends, graph.ints([1, -1])]),
    graph.op('Reshape', [frames, graph.ints([-1, 1])]),
  ])
  const index = graph.op('ReduceSum', [graph.cast(past, 'int64'), graph.ints([1])], { keepdims: 0 })
  // Nothing of the style is heard, but the graph must take it.
  const silent = graph.op('Mul', [graph.op('Gather', [style, graph.ints([0])], { axis: 1 }), graph.floats([0])])
  const cells = graph.op('Add', [
    code(graph, graph.op('Gather', [line, index])),
    graph.op('Reshape', [silent, graph.ints([1])]),
  ])
  const sound = graph.op('Expand', [graph.op('Reshape', [cells, graph.ints([-1, 1])]), graph.ints([1, unitSamples])])
  graph.output(names[3], graph.op('Reshape', [sound, graph.ints([-1])]), ['time'])
  if (givesDurations) graph.output('duration', duration, ['tokens'], 'int64')
  return graph.model(metadata)
}

/** Samples that are no numbers. */
export function brokenStyleModel(): Uint8Array {
  const { graph, ids, style, speed } = open({})
  const nothing = graph.op('Sub', [speed, speed])
  const shape = graph.op('Shape', [ids])
  const taken = graph.op('Mul', [graph.op('Gather', [style, graph.ints([0])], { axis: 1 }), nothing])
  graph.output('waveform', graph.op('Expand', [graph.op('Div', [taken, nothing]), shape]), [1, 'time'])
  return graph.model()
}

/** `speaker`, row by row: the row is heard as style[0], the speaker as style[1]. */
export function styleRows(speaker: number, rows = 510): Float32Array<ArrayBuffer> {
  const values = new Float32Array(rows * 256)
  for (let row = 0; row < rows; row++) values.set([(row + 256) / 2048, (speaker + 256) / 2048], row * 256)
  return values
}

export type StyleRun = {
  readonly ids: number[]
  readonly speed: number
  readonly row: number
  readonly speaker: number
}

const headerCells = 6

/** The inputs of each run of the plain kind, read from its sound. */
export function decodeRuns(samples: Float32Array): StyleRun[] {
  const whole = (value: number) => Math.round(value * 2048 - 256)
  const runs: StyleRun[] = []
  for (let at = 0; at < samples.length;) {
    if (samples[at] !== 1) throw new Error(`no run begins at sample ${at}`)
    let held = 1
    while (samples[at + held] === 1) held++
    const cell = (index: number) => samples[at + index * held]!
    const length = whole(cell(1)) + 1024 * whole(cell(2))
    runs.push({
      ids: Array.from({ length }, (_, index) => whole(cell(headerCells + index))),
      speed: Math.round(cell(3) * 8000) / 1000,
      row: whole(cell(4)),
      speaker: whole(cell(5)),
    })
    at += (headerCells + length) * held
  }
  return runs
}

/** The id that a sample of the timed kind stands for. */
export const idOf = (sample: number) => Math.round(sample * 2048 - 256)
