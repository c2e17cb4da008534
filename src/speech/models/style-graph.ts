/**
 * The signature that Kokoro's and KittenTTS' graphs have in common, whoever exported them: ids of symbols, one row of a
 * style and a speed → samples, and where the exporter kept them the lengths of all symbols. Inputs are found by the
 * names of `StyleTextToSpeech2Model` (transformers.js) and of sherpa-onnx' exports, or else by their order.
 */
import type { TensorInfo } from '../onnx/runtime'
import { BadPack } from './pack'
import { styleSize } from './styles'

export type StyleSignature = {
  readonly tokens: { readonly name: string; readonly type: 'int64' | 'int32' }
  readonly style: string
  /** As a whole number it can only say "once as fast". */
  readonly speed: { readonly name: string; readonly type: 'float32' | 'int32' | 'int64' }
  readonly audio: string
  /** Of each id, in units of equal length. */
  readonly durations?: string
}

const names = {
  tokens: ['input_ids', 'tokens'],
  style: ['style'],
  speed: ['speed'],
  audio: ['waveform', 'audio'],
  durations: ['duration', 'durations', 'pred_dur'],
} as const

/** Throws `BadPack` when it is another one. `graph`: name of its file. */
export function readStyleSignature(
  graph: string,
  { inputs, outputs }: { readonly inputs: readonly TensorInfo[]; readonly outputs: readonly TensorInfo[] },
): StyleSignature {
  const bad = (what: string) => new BadPack(`${graph} does not speak like Kokoro: ${what}`)
  if (inputs.length !== 3) throw bad(`it has ${inputs.length} inputs, not ids, a style and a speed`)
  const byName = (wanted: readonly string[], all: readonly TensorInfo[]) =>
    all.find(({ name }) => wanted.includes(name))
  const tokens = byName(names.tokens, inputs) ?? inputs[0]!
  const style = byName(names.style, inputs) ?? inputs[1]!
  const speed = byName(names.speed, inputs) ?? inputs[2]!
  if (new Set([tokens, style, speed]).size < 3) throw bad('which input is which cannot be told')
  if (tokens.type !== 'int64' && tokens.type !== 'int32') throw bad(`its ids (${tokens.name}) are ${tokens.type}`)
  if (style.type !== 'float32') throw bad(`its style (${style.name}) is ${style.type}, not float32`)
  if (style.dims.at(-1) !== styleSize && style.dims.at(-1) !== -1)
    throw bad(`its style (${style.name}) has ${style.dims.join(' × ')} numbers, not ${styleSize}`)
  if (speed.type !== 'float32' && speed.type !== 'int32' && speed.type !== 'int64')
    throw bad(`its speed (${speed.name}) is ${speed.type}`)
  const audio = byName(names.audio, outputs) ?? outputs[0]
  if (audio?.type !== 'float32') throw bad(`its samples are ${audio?.type ?? 'missing'}, not float32`)
  const durations = byName(names.durations, outputs)?.name
  return {
    tokens: { name: tokens.name, type: tokens.type },
    style: style.name,
    speed: { name: speed.name, type: speed.type },
    audio: audio.name,
    ...(durations !== undefined && { durations }),
  }
}

/**
 * The graph to speak with, where a pack has it in several precisions: float32, then float16, then 8 bits, then 4. Who
 * wants another one leaves only that in the folder. `onnx/` is where onnx-community's repositories have them.
 */
export function chooseGraph(files: readonly string[]): string | undefined {
  const graphs = files.filter((file) => /^(onnx\/)?[^/]+\.onnx$/.test(file))
  return graphs.toSorted((a, b) => coarseness(a) - coarseness(b) || a.length - b.length || (a < b ? -1 : 1))[0]
}

function coarseness(file: string): number {
  if (/q4|int4|bnb4/i.test(file)) return 3
  if (/q8|int8|quant/i.test(file)) return 2
  return /fp16|f16/i.test(file) ? 1 : 0
}

const defaultSampleRate = 24_000

/** `text`: as the metadata has it. Throws `BadPack`. */
export function readSampleRate(text: string | undefined): number {
  const sampleRate = text === undefined ? defaultSampleRate : Number(text)
  if (!(Number.isInteger(sampleRate) && sampleRate >= 8000 && sampleRate <= 96_000))
    throw new BadPack(`its sample rate is ${text}`)
  return sampleRate
}
