/**
 * A Piper-shaped voice that is as heavy as a real one: a generated front turns ids into frames, and HiFi-GAN V2, a real
 * neural vocoder, turns frames into sound. What it says is no speech, but it takes the time that speech would.
 */
import { createGraph } from './graph'

const melBands = 80
const symbols = 256

/**
 * input [B,T], input_lengths [B], scales [3] → output [B,1,1,N], 22 050 Hz. An id lasts `ceil(length_scale · (2 + id mod 3))`
 * frames; \`/dp/Ceil_output_0\` [B,1,T] has them, inside, as in Piper's own graphs. \`vocoder\`: mel [B,80,F] → audio [B,1,256·F].
 */
export function heavyPiperModel(
  vocoder: Uint8Array,
  metadata: Readonly<Record<string, string | number>> = {},
): Uint8Array {
  const g = createGraph('front.')
  const ids = g.input('input', 'int64', ['batch', 'phonemes'])
  const lengths = g.input('input_lengths', 'int64', ['batch'])
  const scales = g.input('scales', 'float32', [3])
  const scale = (index: number) => g.op('Gather', [scales, g.ints([index], [])])
  const column = (value: string) => g.op('Unsqueeze', [value, g.ints([1])])

  const positions = g.op('Range', [
    g.ints([0], []),
    g.op('Gather', [g.op('Shape', [ids]), g.ints([1], [])]),
    g.ints([1], []),
  ])
  const mask = g.cast(g.op('Less', [positions, column(lengths)]), 'float32')
  const kind = g.cast(g.op('Add', [g.op('Mod', [ids, g.ints([3], [])]), g.ints([2], [])]), 'float32')
  const wanted = g.op('Mul', [g.op('Mul', [kind, scale(1)]), mask])
  const durations = g.op('Ceil', [g.op('Unsqueeze', [wanted, g.ints([1])])], {}, '/dp/Ceil_output_0')

  const ends = g.op('CumSum', [g.op('Squeeze', [durations, g.ints([1])]), g.ints([1], [])])
  const frameCount = g.cast(g.op('ReduceMax', [ends], { keepdims: 0 }), 'int64')
  const frames = g.cast(g.op('Range', [g.ints([0], []), frameCount, g.ints([1], [])]), 'float32')
  const isPast = g.op('LessOrEqual', [g.op('Unsqueeze', [ends, g.ints([2])]), frames])
  const last = g.op('Sub', [g.op('Gather', [g.op('Shape', [ids]), g.ints([1], [])]), g.ints([1], [])])
  const which = g.op('Min', [g.op('ReduceSum', [g.cast(isPast, 'int64'), g.ints([1])], { keepdims: 0 }), last])

  const perFrame = g.op('GatherElements', [ids, which], { axis: 1 })
  const table = g.floats(melTable(), [symbols, melBands])
  const mel = g.op('Transpose', [g.op('Gather', [table, perFrame], { axis: 0 })], { perm: [0, 2, 1] })
  const noise = g.op('Mul', [g.op('RandomNormalLike', [mel]), g.op('Mul', [scale(0), g.floats([0.1], [])])])
  g.op('Add', [mel, noise], {}, 'mel')
  g.embed(vocoder)
  g.output('output', g.op('Unsqueeze', ['audio', g.ints([1])]), ['batch', 1, 1, 'time'])
  return g.model(metadata, 17)
}

/** Log-mel frames about as loud as speech; every id has its own hills. */
function melTable(): Float32Array {
  const table = new Float32Array(symbols * melBands)
  for (let id = 0; id < symbols; id++)
    for (let band = 0; band < melBands; band++)
      table[id * melBands + band] = -4.5 + 2 * Math.sin(band * 0.21 + id) - band * 0.03
  return table
}
