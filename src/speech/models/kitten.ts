/**
 * Packs of KittenTTS (https://github.com/KittenML/KittenTTS) in three layouts: Hugging Face
 * (KittenML/kitten-tts-nano-0.1, -0.2, -0.8, micro, mini: `kitten_tts_*.onnx`, `voices.npz`, `config.json` with `type`,
 * `model_file`, `voices`, `voice_aliases` and `speed_priors`; read by kittentts/get_model.py), sherpa-onnx
 * (scripts/kitten-tts/: `model.onnx` with metadata, `voices.bin`, `tokens.txt`) and onnx-community
 * (`voices/expr-voice-*.bin`). The graph has Kokoro's signature. A style has one row, or since 0.8 one per text length.
 */
import { isFields } from '../../fields'
import type { Vocabulary } from '../phonemes/runs'
import { kittenVocabulary } from '../phonemes/kitten'
import type { PackContent, PackFolder } from './family'
import { BadPack, type PackVoice } from './pack'
import { chooseGraph, readSampleRate, readStyleSignature } from './style-graph'
import { findStyleFiles, openStyles, type Style } from './styles'
import { readTokens, tokensFile } from './vocabulary'

/** Known models have 1 and 400. */
const rowsMax = 1024
const speedPriors = { min: 0.25, max: 4 }

export type KittenModel = {
  readonly sampleRate: number
  readonly vocabulary: Vocabulary
  readonly styles: readonly Style[]
  /** Natural speed of each style; 1 for styles that are missing here. */
  readonly speeds: ReadonlyMap<string, number>
  /** Display names by style. */
  readonly aliases: ReadonlyMap<string, string>
}

/** Precedes Kokoro's reader, whose packs look similar. */
export async function isKitten(folder: PackFolder, graph: string): Promise<boolean> {
  if (/kitten/i.test(graph) || folder.files.some((file) => file.startsWith('voices/expr-voice-'))) return true
  if (folder.files.includes('config.json') && /^ONNX\d$/.test(String((await folder.readJson('config.json'))['type'])))
    return true
  return (await folder.readGraph(graph)).metadata['model_type'] === 'kitten-tts'
}

export async function readKittenPack(folder: PackFolder): Promise<PackContent | undefined> {
  const graph = chooseGraph(folder.files)
  if (graph === undefined || findStyleFiles(folder.files).length === 0) return undefined
  if (!(await isKitten(folder, graph))) return undefined
  const info = await folder.readGraph(graph)
  if (readStyleSignature(graph, info).speed.type !== 'float32') throw new BadPack(`${graph} takes no speed as float32`)
  const model = await readKittenModel(folder, info.metadata)
  const voices = model.styles.map(({ name }) => describeVoice(name, model.aliases.get(name)))
  return { family: 'kitten', graph, sampleRate: model.sampleRate, voices, license: null }
}

/** Reads the engine's inputs beside the graph. `metadata`: of the graph. Throws `BadPack`. */
export async function readKittenModel(
  folder: PackFolder,
  metadata: Readonly<Record<string, string>>,
): Promise<KittenModel> {
  const config = folder.files.includes('config.json') ? await folder.readJson('config.json') : {}
  const names = metadata['speaker_names']?.split(',').filter(Boolean) ?? []
  const dims = metadata['style_dim']
  const rowsSaid = dims === undefined ? undefined : Number(/^(\d+),256$/.exec(dims)?.[1] ?? 0)
  if (rowsSaid !== undefined && (rowsSaid < 1 || rowsSaid > rowsMax)) throw new BadPack(`its styles are ${dims}`)
  const styles = await openStyles(folder, { names, rowsMin: rowsSaid ?? 1, rowsMax: rowsSaid ?? rowsMax })
  const priors = metadata['speaker_speed_priors']
    ?.split(',')
    .map((prior, at) => [names[at] ?? '', Number(prior)] as const)
  const speeds = new Map(priors ?? numbersOf(config['speed_priors']))
  for (const [name, speed] of speeds)
    if (!(speed >= speedPriors.min && speed <= speedPriors.max)) throw new BadPack(`the speed of ${name} is ${speed}`)
  return {
    sampleRate: readSampleRate(metadata['sample_rate']),
    vocabulary: folder.files.includes(tokensFile) ? await readTokens(folder.read) : kittenVocabulary,
    styles,
    speeds,
    aliases: new Map(textsOf(config['voice_aliases']).map(([alias, style]) => [style, alias])),
  }
}

function numbersOf(value: unknown): [string, number][] {
  return entriesOf(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number')
}

function textsOf(value: unknown): [string, string][] {
  return entriesOf(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
}

function entriesOf(value: unknown): [string, unknown][] {
  return isFields(value) ? Object.entries(value) : []
}

/** `expr-voice-2-f`: the second female voice; later versions also have a name for it. */
function describeVoice(style: string, alias: string | undefined): PackVoice {
  const parts = /^expr-voice-(\d+)-([fm])$/.exec(style)
  const gender = parts?.[2]
  const name = alias && /^[\p{L}\p{N} ]{1,30}$/u.test(alias) ? alias : undefined
  const slug = (name ?? (parts ? `voice-${parts[1]}-${gender}` : style)).toLowerCase()
  return {
    id: `kitten-${slug.replace(/[^a-z0-9.]+/g, '-')}`,
    displayName: name ?? (parts ? `Kitten ${parts[1]}${gender!.toUpperCase()}` : style),
    description: null,
    language: 'en-US',
    gender: gender === 'f' ? 'female' : gender === 'm' ? 'male' : null,
    settings: { voice: style },
  }
}
