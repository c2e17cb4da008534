/**
 * The common signature of Kokoro's and KittenTTS' graphs from any exporter: token ids, one row of a style and a speed →
 * samples, and in some exports the lengths of all tokens. Inputs are found by the names of `StyleTextToSpeech2Model`
 * (transformers.js) and of sherpa-onnx' exports, else by their order.
 */
import type { TensorInfo } from '../onnx/runtime'
import { BadPack } from './pack'
import { styleSize } from './styles'

export type StyleSignature = {
  readonly tokens: { readonly name: string; readonly type: 'int64' | 'int32' }
  readonly style: string
  /** An integer speed can only be 1. */
  readonly speed: { readonly name: string; readonly type: 'float32' | 'int32' | 'int64' }
  readonly audio: string
  /** Name of the output with the length of each id, in equal units. */
  readonly durations?: string
}

const names = {
  tokens: ['input_ids', 'tokens'],
  style: ['style'],
  speed: ['speed'],
  audio: ['waveform', 'audio'],
  durations: ['duration', 'durations', 'pred_dur'],
} as const

/** Throws `BadPack` for another signature. `graph`: name of its file. */
export function readStyleSignature(
  graph: string,
  { inputs, outputs }: { readonly inputs: readonly TensorInfo[]; readonly outputs: readonly TensorInfo[] },
): StyleSignature {
  const bad = (what: string) => new BadPack(`${graph} does not have Kokoro's signature: ${what}`)
  if (inputs.length !== 3) throw bad(`it has ${inputs.length} inputs, not ids, a style and a speed`)
  const byName = (wanted: readonly string[], all: readonly TensorInfo[]) =>
    all.find(({ name }) => wanted.includes(name))
  const tokens = byName(names.tokens, inputs) ?? inputs[0]!
  const style = byName(names.style, inputs) ?? inputs[1]!
  const speed = byName(names.speed, inputs) ?? inputs[2]!
  if (new Set([tokens, style, speed]).size < 3) throw bad('its inputs cannot be told apart')
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
 * Chooses the graph of a pack with several precisions: float32, then float16, then 8 bits, then 4. To use another one,
 * keep only that file. onnx-community's repositories have them in `onnx/`.
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

/** `text`: from the metadata. Throws `BadPack`. */
export function readSampleRate(text: string | undefined): number {
  const sampleRate = text === undefined ? defaultSampleRate : Number(text)
  if (!(Number.isInteger(sampleRate) && sampleRate >= 8000 && sampleRate <= 96_000))
    throw new BadPack(`its sample rate is ${text}`)
  return sampleRate
}
