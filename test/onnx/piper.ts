/**
 * Transparent Piper voices: graphs with Piper's inputs and outputs whose audio *is* the inputs, so that a test can read
 * back from the samples which ids, scales and speaker a front end gave. The audio of one run is a row of cells, all held
 * equally long:
 *
 *   1 | length % 1024 | length / 1024 | noise_scale / 8 | length_scale / 8 | noise_w / 8 | speaker (−1: no such input) | id id id …
 *
 * A whole number v is sent as (v + 256) / 2048: exact in float32 and in 16-bit PCM, never above 1. The 1 that opens each
 * run keeps peak normalization from changing anything, and no id is quiet enough to be taken for silence.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelFiles } from '../../src/speech/voice'
import { headerCells, type HeardRun, readRuns } from './cells'
import { createGraph } from './graph'
import map from '../speech/sherpa/map.json'

export type PiperModel = {
  /** Several: the graph has `sid`. */
  readonly speakers?: number
  /** Name of an input for the language, which is added to the speaker. */
  readonly languageInput?: string
  /** Samples per frame. */
  readonly hop?: number
  /** Frames that each cell is held at length scale 1. */
  readonly frames?: number
  /** Frames of each id: an output of that name, or the inner value of the only `Ceil`, as Piper's exporter leaves it. */
  readonly durations?: 'output' | 'inner' | 'none'
  /** Random numbers of this size in each sample, far too small to change what is read back. */
  readonly noise?: number
  /** The value of every sample. */
  readonly constant?: number
  readonly metadata?: Readonly<Record<string, string | number>>
}

/** `input` [B,T], `input_lengths` [B], `scales` [3], perhaps `sid` [1] → `output` [B,1,1,N], perhaps `durations` [B,1,T]. */
export function piperModel(options: PiperModel = {}): Uint8Array {
  const {
    speakers = 1,
    languageInput,
    hop = 1,
    frames = 1,
    durations = 'inner',
    noise,
    constant,
    metadata = {},
  } = options
  const graph = createGraph()
  const { op, ints, floats, cast } = graph
  const column = (value: string) => op('Reshape', [value, ints([-1, 1])])
  const encode = (value: string) => op('Mul', [op('Add', [cast(value, 'float32'), floats([256])]), floats([1 / 2048])])

  const input = graph.input('input', 'int64', ['batch', 'phonemes'])
  const length = column(graph.input('input_lengths', 'int64', ['batch']))
  const scales = graph.input('scales', 'float32', [3])
  let speaker = speakers > 1 ? graph.input('sid', 'int64', [1]) : ints([-1])
  if (languageInput) speaker = op('Add', [speaker, graph.input(languageInput, 'int64', [1])])

  const size = (axis: number) => op('Gather', [op('Shape', [input]), ints([axis], [])])
  const range = op('Range', [ints([0], []), size(1), ints([1], [])])
  const mask = cast(op('Less', [range, length]), 'float32')
  // Each id lasts as long as every cell; the header belongs to the first.
  const lengthScale = op('Gather', [scales, ints([1])])
  const cellsOfFirst = cast(op('Equal', [range, ints([0])]), 'float32')
  const cellsOfEach = op('Add', [mask, op('Mul', [cellsOfFirst, floats([headerCells])])])
  // Rounded up without the operator, of which there is one in Piper's graphs.
  const heldFrames = op('Neg', [op('Floor', [op('Neg', [op('Mul', [lengthScale, floats([frames])])])])])
  const lasting = op('Mul', [op('Unsqueeze', [cellsOfEach, ints([1])]), heldFrames])
  const frameCounts = durations === 'none' ? lasting : op('Ceil', [lasting], {}, 'w_ceil')
  const heldSamples = cast(op('Mul', [heldFrames, floats([hop])]), 'int64')

  const header = [
    floats([1], [1, 1]),
    encode(op('Mod', [length, ints([1024])])),
    encode(op('Div', [length, ints([1024])])),
    op('Reshape', [op('Mul', [scales, floats([1 / 8])]), ints([1, 3])]),
    encode(column(speaker)),
  ]
  const batch = op('Gather', [op('Shape', [input]), ints([0])])
  const perItem = header.map((part) => op('Expand', [part, op('Concat', [batch, ints([1])], { axis: 0 })]))
  const cells = op('Concat', [...perItem, op('Mul', [encode(input), mask])], { axis: 1 })
  const held = op('Expand', [
    op('Unsqueeze', [cells, ints([2])]),
    op('Concat', [ints([1, 1]), heldSamples], { axis: 0 }),
  ])
  let samples = op('Reshape', [held, ints([0, 1, 1, -1])])
  if (noise !== undefined)
    samples = op('Add', [samples, op('RandomNormalLike', [samples], { scale: { float: noise } })])
  if (constant !== undefined) samples = op('Add', [op('Mul', [samples, floats([0])]), floats([constant])])
  graph.output('output', samples, ['batch', 1, 1, 'time'])
  if (durations === 'output') graph.output('durations', frameCounts, ['batch', 1, 'phonemes'])
  return graph.model(metadata)
}

/** A configuration as Piper's are, with the phonemes of `en_US-lessac-medium`; `changes` replace whole fields. */
export function piperConfig(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    audio: { sample_rate: 22_050, quality: 'medium' },
    espeak: { voice: 'en-us' },
    inference: { noise_scale: 0.667, length_scale: 1, noise_w: 0.8 },
    phoneme_type: 'espeak',
    phoneme_map: {},
    phoneme_id_map: map.phoneme_id_map,
    num_symbols: 256,
    num_speakers: 1,
    speaker_id_map: {},
    language: { code: 'en_US' },
    dataset: 'test',
    hop_length: 1,
    ...changes,
  }
}

/** Writes a pack as it lies in the folder of voices. */
export async function writePiperPack(
  directory: string,
  { name = 'en_US-test-medium', model = piperModel(), config = piperConfig() as unknown } = {},
): Promise<ModelFiles> {
  await mkdir(directory, { recursive: true })
  await Bun.write(join(directory, `${name}.onnx`), model)
  await Bun.write(join(directory, `${name}.onnx.json`), typeof config === 'string' ? config : JSON.stringify(config))
  return { directory, graph: `${name}.onnx`, version: '1', memoryBytes: 1e8 }
}

/** One run of the model, read back. */
export type PiperRun = HeardRun & { readonly ids: readonly number[] }

/** Reads the runs in audio that was not resampled; silence between them is skipped. */
export function decodePiper(samples: Float32Array): PiperRun[] {
  return readRuns(samples).map(({ header, rows }) => ({ ...header, ids: rows[0]! }))
}
