/** Tiny graphs with the signatures of the OpenVoice v2 tone converter, whose outputs are known functions of the inputs. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelFiles } from '../../src/speech/voice'
import { takeSnapshot } from '../../src/speech/models/snapshot'
import { createGraph, type GraphBuilder } from './graph'

export const bins = 513
export const hop = 256

export const configuration = {
  _version_: 'v2',
  data: { sampling_rate: 22_050, filter_length: 1024, hop_length: hop, win_length: 1024, n_speakers: 0 },
}

/** Tone number k is the mean magnitude of the bins 2k and 2k + 1 over all frames, times `scale`. */
export function extractorGraph(scale = 1): Uint8Array {
  const graph = createGraph()
  const input = graph.input('input', 'float32', [1, 'frames', bins])
  const mean = graph.op('ReduceMean', [input], { axes: [1], keepdims: 0 })
  const first = graph.op('Slice', [mean, graph.ints([0]), graph.ints([512]), graph.ints([1])])
  const scaled = graph.op('Mul', [first, graph.floats([scale])])
  const pairs = graph.op('Reshape', [scaled, graph.ints([1, 256, 2])])
  graph.output('tone', graph.op('ReduceMean', [pairs], { axes: [2], keepdims: 0 }), [1, 256])
  return graph.model()
}

type Inputs = { audio: string; length: string; source: string; target: string; tau: string; frames: string }

/** The graph of a converter; `body` makes its samples, `[1, frames, 256]`. */
function converterOf(body: (graph: GraphBuilder, inputs: Inputs) => string): Uint8Array {
  const graph = createGraph()
  const audio = graph.input('audio', 'float32', [1, bins, 'frames'])
  const inputs: Inputs = {
    audio,
    length: graph.input('audio_length', 'int64', [1]),
    source: graph.input('src_tone', 'float32', [1, 256, 1]),
    target: graph.input('dest_tone', 'float32', [1, 256, 1]),
    tau: graph.input('tau', 'float32', [1]),
    frames: graph.op('Slice', [graph.op('Shape', [audio]), graph.ints([2]), graph.ints([3])]),
  }
  const samples = graph.op('Reshape', [body(graph, inputs), graph.ints([1, 1, -1])])
  graph.output('output', samples, [1, 1, 'samples'])
  return graph.model()
}

/** How many bins and numbers of either tone a frame of `mirrorGraph` shows. */
export const shownBins = 100
export const shownTones = 77

/**
 * Each frame of 256 samples: its first 100 bins, the first 77 numbers of the source tone, as many of the target tone,
 * tau, and the length that was given.
 */
export function mirrorGraph(): Uint8Array {
  return converterOf((graph, { audio, length, source, target, tau, frames }) => {
    const first = (value: string, count: number) =>
      graph.op('Slice', [value, graph.ints([0]), graph.ints([count]), graph.ints([1])])
    const everywhere = (value: string, count: number) =>
      graph.op('Expand', [value, graph.op('Concat', [graph.ints([1, count]), frames], { axis: 0 })])
    const single = (value: string) => everywhere(graph.op('Reshape', [value, graph.ints([1, 1, 1])]), 1)
    const rows = [
      first(audio, shownBins),
      everywhere(first(source, shownTones), shownTones),
      everywhere(first(target, shownTones), shownTones),
      single(tau),
      single(graph.cast(length, 'float32')),
    ]
    return graph.op('Transpose', [graph.op('Concat', rows, { axis: 1 })], { perm: [0, 2, 1] })
  })
}

/** Pitch of a singing converter, in Hz, when both embeddings have the same sum. */
export const evenPitchHz = 150

/**
 * A sine as loud as the sound is in each frame, whose pitch is 150 Hz times the root of the ratio of the tones' sums,
 * target to source.
 */
function singingGraph(): Uint8Array {
  return converterOf((graph, { audio, source, target, frames }) => {
    const sum = (tone: string) => graph.op('ReduceSum', [tone, graph.ints([0, 1, 2])], { keepdims: 0 })
    const ratio = graph.op('Sqrt', [graph.op('Div', [sum(target), sum(source)])])
    const count = graph.op('Squeeze', [graph.op('Mul', [frames, graph.ints([hop])])])
    const time = graph.cast(graph.op('Range', [graph.ints([0], []), count, graph.ints([1], [])]), 'float32')
    const turn = graph.op('Mul', [time, graph.floats([(2 * Math.PI * evenPitchHz) / 22_050])])
    const sine = graph.op('Reshape', [graph.op('Sin', [graph.op('Mul', [turn, ratio])]), graph.ints([1, -1, hop])])
    const level = graph.op('ReduceMean', [audio], { axes: [1], keepdims: 0 })
    const loudness = graph.op('Mul', [graph.op('Unsqueeze', [level, graph.ints([2])]), graph.floats([0.1])])
    return graph.op('Mul', [sine, loudness])
  })
}

/** Gives `value` for every sample. */
export function constantGraph(value: number): Uint8Array {
  return converterOf((graph, { frames }) => {
    const shape = graph.op('Concat', [graph.ints([1]), frames, graph.ints([hop])], { axis: 0 })
    return graph.op('Expand', [graph.floats([value]), shape])
  })
}

export type ConverterFiles = { extractor?: Uint8Array; converter?: Uint8Array; configuration?: unknown }

/** Writes a pack into `directory`, which it makes. */
export async function writeConverterPack(directory: string, files: ConverterFiles = {}): Promise<ModelFiles> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'tone_color_extract_model.onnx'), files.extractor ?? extractorGraph())
  await writeFile(join(directory, 'tone_clone_model.onnx'), files.converter ?? singingGraph())
  await writeFile(join(directory, 'configuration.json'), JSON.stringify(files.configuration ?? configuration))
  const { version } = (await takeSnapshot(directory))!
  return { directory, graph: 'tone_clone_model.onnx', version, memoryBytes: 1 << 20 }
}
