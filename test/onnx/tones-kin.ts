/** Models of Kokoro, KittenTTS and VITS that whistle what they are given, as those of Piper do in tones.ts. */
import type { Pcm } from '../../src/audio/pcm'
import { createGraph, type GraphBuilder, type Type } from './graph'
import { decodeWhistle, evenly, whistle } from './tones'

const level = 0.3
export const styleRate = 24_000
export const vitsRate = 16_000

function flatWhistle(graph: GraphBuilder, values: string, lengthScale: string, sampleRate: number): string {
  const { op, floats, ints } = graph
  const audible = op('Add', [op('Mul', [values, floats([0])]), floats([1])])
  return op('Reshape', [whistle(graph, { values, audible, lengthScale, sampleRate, level }), ints([1, -1])])
}

/** Ids, style, speed → samples, under these names. Cells: length, the style's first two numbers as `styleRows` has them, ids. */
export function styleTonesModel({
  names = ['input_ids', 'style', 'speed', 'waveform'],
  speedType = 'float32',
  metadata = {},
}: {
  names?: readonly [ids: string, style: string, speed: string, samples: string]
  speedType?: Type
  metadata?: Readonly<Record<string, string | number>>
} = {}): Uint8Array {
  const graph = createGraph()
  const { op, ints, floats, cast } = graph
  const ids = cast(graph.input(names[0], 'int64', [1, 'tokens']), 'float32')
  const style = graph.input(names[1], 'float32', [1, 256])
  const speed = cast(graph.input(names[2], speedType, [1]), 'float32')
  const lengthScale = op('Div', [floats([1]), speed])
  const stretch = op('Reshape', [op('Mul', [lengthScale, floats([evenly])]), ints([1, 1])])
  const shown = op('Gather', [style, ints([0, 1])], { axis: 1 })
  const numbers = op('Sub', [op('Mul', [shown, floats([2048])]), floats([256])])
  const values = op('Concat', [stretch, numbers, ids], { axis: 1 })
  graph.output(names[3], flatWhistle(graph, values, lengthScale, styleRate), [1, 'time'])
  return graph.model(metadata)
}

/** Reads the inputs of `styleTonesModel` from its sound; rows up to 255. */
export function decodeStyleTones(pcm: Pcm) {
  const [stretch, row, speaker, ...ids] = decodeWhistle(pcm, styleRate)
  return { speed: evenly / stretch!, row: row!, speaker: speaker!, ids }
}

/** `x`, `x_length`, the three scales, `sid` → `y`. Cells: length, speaker, 100 · noise scale, 100 · noise width, ids. */
export function vitsTonesModel(metadata: Readonly<Record<string, string | number>>): Uint8Array {
  const graph = createGraph()
  const { op, ints, floats, cast } = graph
  const row = (value: string) => op('Reshape', [value, ints([1, -1])])
  const ids = cast(graph.input('x', 'int64', [1, 'length']), 'float32')
  const length = cast(graph.input('x_length', 'int64', [1]), 'float32')
  const [noise, lengthScale, width] = ['noise_scale', 'length_scale', 'noise_scale_w'].map((name) =>
    graph.input(name, 'float32', [1]),
  ) as [string, string, string]
  const speaker = cast(graph.input('sid', 'int64', [1]), 'float32')
  const times = (value: string, by: number) => op('Mul', [value, floats([by])])
  // The length must be taken, though it is heard without.
  const header = [
    op('Add', [times(lengthScale, evenly), times(length, 0)]),
    speaker,
    times(noise, 100),
    times(width, 100),
  ]
  const values = op('Concat', [...header.map(row), ids], { axis: 1 })
  graph.output('y', op('Reshape', [flatWhistle(graph, values, lengthScale, vitsRate), ints([1, 1, -1])]), [
    1,
    1,
    'time',
  ])
  return graph.model(metadata)
}

/** Reads the inputs of `vitsTonesModel` from its sound. */
export function decodeVitsTones(pcm: Pcm) {
  const [stretch, speaker, noise, width, ...ids] = decodeWhistle(pcm, vitsRate)
  return { ids, lengthScale: stretch! / evenly, speaker: speaker!, noiseScale: noise! / 100, noiseWidth: width! / 100 }
}
