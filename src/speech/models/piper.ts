/**
 * Packs of Piper (https://github.com/OHF-Voice/piper1-gpl; voices at https://huggingface.co/rhasspy/piper-voices): one
 * graph `X.onnx` with its configuration `X.onnx.json`. Each of its speakers is a voice.
 */
import type { GraphInfo } from '../onnx/file'
import type { TensorInfo } from '../onnx/runtime'
import type { PackReader } from './family'
import { BadPack, type PackVoice } from './pack'
import { parsePiperConfig, type PiperConfig } from './piper-config'

const configEnding = '.onnx.json'
/** Every configuration of Piper has one of these fields, and no other has one. */
const piperFields = ['phoneme_id_map', 'phoneme_type', 'espeak']
/** Names of the language input in multilingual graphs. */
export const languageInputs = ['langid', 'lid']

export const readPiperPack: PackReader = async (folder) => {
  const configs = folder.files.filter((file) => file.endsWith(configEnding))
  const [config] = configs
  if (config === undefined) return undefined
  const json = await folder.readJson(config)
  if (!piperFields.some((field) => field in json)) return undefined
  if (configs.length > 1)
    throw new BadPack(`there are several voices (${configs[0]}, ${configs[1]}): each needs its own folder`)
  const graph = config.slice(0, -'.json'.length)
  if (!folder.files.includes(graph)) throw new BadPack(`${graph} is missing, which ${config} describes`)
  const parsed = parsePiperConfig(json, config)
  checkGraph(await folder.readGraph(graph), parsed, graph)
  return { family: 'piper', graph, sampleRate: parsed.sampleRate, voices: voicesOf(parsed, graph), license: null }
}

/** Throws `BadPack` when the graph does not have Piper's inputs. */
function checkGraph(
  { inputs, outputs }: Pick<GraphInfo, 'inputs' | 'outputs'>,
  config: PiperConfig,
  file: string,
): void {
  const wanted = [
    { name: 'input', type: 'int64', rank: 2 },
    { name: 'input_lengths', type: 'int64', rank: 1 },
    { name: 'scales', type: 'float32', rank: 1 },
    ...(config.speakerCount > 1 ? [{ name: 'sid', type: 'int64', rank: 1 }] : []),
  ]
  for (const { name, type, rank } of wanted) {
    const input = inputs.find((one) => one.name === name)
    if (!input) throw new BadPack(`${file} lacks the input ${name} of Piper's graphs`)
    if (input.type !== type || input.dims.length !== rank)
      throw new BadPack(`${file}: its input ${name} is ${describe(input)}; it must be ${type} of ${rank} dimensions`)
  }
  const known = new Set([...wanted.map(({ name }) => name), 'sid', ...languageInputs])
  const other = inputs.find(({ name }) => !known.has(name))
  if (other) throw new BadPack(`${file} has an input ${other.name}, which Piper's graphs do not have`)
  const [output] = outputs
  if (output?.type !== 'float32') throw new BadPack(`${file} returns no samples: its first output must be float32`)
}

const describe = ({ type, dims }: TensorInfo) => `${type} of ${dims.length} dimensions`

function voicesOf(config: PiperConfig, graph: string): PackVoice[] {
  const base = graph.slice(graph.lastIndexOf('/') + 1, -'.onnx'.length)
  const { name, quality, locale } = readName(base, config)
  const common = {
    description: quality ? `Piper, ${quality.replaceAll('_', ' ')} quality` : null,
    language: config.language,
    gender: null,
  }
  if (config.speakerCount === 1)
    return [{ ...common, id: asSlug(base), displayName: asTitle(name), settings: { voice: base } }]
  const names = new Map([...config.speakers].map(([speaker, number]) => [number, speaker]))
  const used = new Set<string>()
  return Array.from({ length: config.speakerCount }, (_, number) => {
    const speaker = names.get(number) ?? String(number)
    const slug = asSlug([locale, name, speaker].filter(Boolean).join('-'))
    const id = used.has(slug) ? `${slug}-speaker-${number}` : slug
    used.add(id)
    return { ...common, id, displayName: `${asTitle(name)} ${speaker}`, settings: { voice: speaker, speaker: number } }
  })
}

/** Files are named `en_US-lessac-medium.onnx`. */
function readName(base: string, { dataset, quality }: PiperConfig) {
  const match = /^([a-z]{2,3}(?:_[A-Z0-9]{2,4})?)-(.+)-(x_low|low|medium|high)$/.exec(base)
  return { locale: match?.[1] ?? '', name: match?.[2] ?? dataset ?? base, quality: match?.[3] ?? quality }
}

/** Makes a part of an id: `[a-z0-9][a-z0-9.-]*`. */
function asSlug(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.replace(/[^a-z0-9.]+/g, '-').replace(/^[.-]+|[.-]+$/g, '') || 'piper'
}

/** `hfc_female` → `Hfc female`. */
function asTitle(name: string): string {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
