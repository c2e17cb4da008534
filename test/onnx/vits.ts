/**
 * Transparent VITS models: graphs with the inputs and the output of those that sherpa-onnx reads, whose audio *is* the
 * inputs. One run is a row of cells, all held equally long:
 *
 *   1 | length % 1024 | length / 1024 | noise / 8 | length scale / 8 | noise width / 8 | speaker | id id id … | tone tone …
 *
 * Without an input for the speaker it is −1; tones only where there is an input for them. A whole number v is sent as
 * (v + 256) / 2048: exact in float32, never above 1. The 1 that opens a run keeps normalization from changing anything.
 */
import { type HeardRun, readRuns } from './cells'
import { createGraph } from './graph'

export type VitsShape = {
  /** `plain`: three scales of their own; `coqui`: one tensor of three; `toned`: MeloTTS. */
  readonly layout?: 'plain' | 'coqui' | 'toned'
  readonly speakers?: number
  /** Samples per cell at length scale 1. */
  readonly hop?: number
  /** Factor on all samples; below 1 the runs cannot be read back, and the sound does not clip. */
  readonly level?: number
  readonly audioType?: 'float32' | 'float16' | 'int64'
  readonly metadata?: Readonly<Record<string, string | number>>
}

/** As exporters name them. */
export function vitsModel({
  layout = 'plain',
  speakers = 1,
  hop = 1,
  level = 1,
  audioType = 'float32',
  metadata = {},
}: VitsShape = {}): Uint8Array {
  const graph = createGraph()
  const { op, ints, floats, cast } = graph
  const flat = (value: string) => op('Reshape', [value, ints([-1])])
  const encode = (value: string) =>
    op('Mul', [op('Add', [cast(flat(value), 'float32'), floats([256])]), floats([1 / 2048])])

  const ids = graph.input(layout === 'coqui' ? 'input' : 'x', 'int64', [1, 'length'])
  const length = graph.input(layout === 'coqui' ? 'input_lengths' : 'x_length', 'int64', [1])
  const tones = layout === 'toned' ? graph.input('tones', 'int64', [1, 'length']) : undefined
  let speaker = layout === 'toned' ? graph.input('sid', 'int64', [1]) : undefined
  const scales =
    layout === 'coqui'
      ? graph.input('scales', 'float32', [3])
      : op(
          'Concat',
          ['noise_scale', 'length_scale', 'noise_scale_w'].map((name) => graph.input(name, 'float32', [1])),
          { axis: 0 },
        )
  if (layout !== 'toned' && speakers > 1) speaker = graph.input('sid', 'int64', [1])

  const cells = op(
    'Concat',
    [
      floats([1]),
      encode(op('Mod', [length, ints([1024])])),
      encode(op('Div', [length, ints([1024])])),
      op('Mul', [scales, floats([1 / 8])]),
      encode(speaker ?? ints([-1])),
      encode(ids),
      ...(tones ? [encode(tones)] : []),
    ],
    { axis: 0 },
  )
  const lengthScale = op('Gather', [scales, ints([1])])
  const held = cast(op('Max', [op('Round', [op('Mul', [lengthScale, floats([hop])])]), floats([1])]), 'int64')
  const samples = op('Expand', [op('Unsqueeze', [cells, ints([1])]), op('Concat', [ints([1]), held], { axis: 0 })])
  const levelled = op('Mul', [samples, floats([level])])
  const sound = op('Reshape', [levelled, ints([1, 1, -1])])
  graph.output('y', audioType === 'float32' ? sound : cast(sound, audioType), [1, 1, 'time'], audioType)
  return graph.model(metadata)
}

/** One run of the model, read back. */
export type VitsHeard = HeardRun & { readonly ids: readonly number[]; readonly tones: readonly number[] }

/** Reads the runs in audio that was not resampled; silence between them is skipped. */
export function decodeVits(samples: Float32Array, toned = false): VitsHeard[] {
  return readRuns(samples, toned ? 2 : 1).map(({ header, rows: [ids, tones = []] }) => ({
    ...header,
    ids: ids!,
    tones,
  }))
}
