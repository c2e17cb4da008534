/**
 * Packs of Kokoro-82M (https://huggingface.co/hexgrad/Kokoro-82M). Three layouts are known:
 *
 * - onnx-community/Kokoro-82M-v1.0-ONNX: `onnx/model*.onnx`, `voices/<name>.bin`, `tokenizer.json`;
 * - what examples/export.py of hexgrad/kokoro writes: the graph, whose `speed` is an int32, with `duration` beside
 *   `waveform`; `config.json` and styles as in one of the others;
 * - sherpa-onnx (scripts/kokoro/): `model.onnx` with metadata, `voices.bin` of all voices, `tokens.txt`. kokoro-onnx'
 *   `voices-v1.0.bin` is NumPy's archive; its later graphs have the config in their metadata (`kokoro_config`, read by
 *   src/kokoro_onnx/session.py), beside the earlier ones goes `config.json` of hexgrad/Kokoro-82M.
 */
import { kokoroLanguage } from '../phonemes/kokoro'
import { parseTokens } from '../phonemes/lexicon'
import type { Vocabulary } from '../phonemes/runs'
import type { PackContent, PackFolder } from './family'
import { isKitten } from './kitten'
import { BadPack, type PackVoice } from './pack'
import { chooseGraph, readStyleSignature } from './style-graph'
import { findStyleFiles, openStyles, requireDistinct, type Style } from './styles'

/**
 * Rows of a style: one for each number of symbols, 1 to 510, which is what the graph takes beside the outer two. v0.19
 * has one before them, for none (scripts/kokoro/v0.19 of sherpa-onnx), and as onnx-community has it one after them.
 */
const rows = { min: 510, max: 512 }
const defaultSampleRate = 24_000
const tokensBytesMax = 1 << 20

export type KokoroModel = {
  readonly sampleRate: number
  readonly vocabulary: Vocabulary
  readonly styles: readonly Style[]
}

export async function readKokoroPack(folder: PackFolder): Promise<PackContent | undefined> {
  const graph = chooseGraph(folder.files)
  if (graph === undefined || !looksLikeKokoro(folder.files, graph) || (await isKitten(folder, graph))) return undefined
  const info = await folder.readGraph(graph)
  readStyleSignature(graph, info)
  const { sampleRate, styles } = await readKokoroModel(folder, info.metadata)
  const voices = styles.map(({ name }) => name).filter((name) => kokoroLanguage(name).frontEnd !== null)
  if (voices.length === 0)
    throw new BadPack('all of its voices are Japanese, which cannot be put into its phonemes yet')
  return { family: 'kokoro', graph, sampleRate, voices: requireDistinct(voices.map(describeVoice)), license: null }
}

/** VITS models have a `model.onnx` and `tokens.txt` too, but no styles. */
function looksLikeKokoro(files: readonly string[], graph: string): boolean {
  if (findStyleFiles(files).length > 0) return true
  if (files.some((file) => /^voices\/[^/]+\.pt$/.test(file)))
    throw new BadPack(
      'voices/*.pt are of PyTorch; the same styles as voices/*.bin are in onnx-community/Kokoro-82M-v1.0-ONNX',
    )
  if (/kokoro/i.test(graph)) throw new BadPack('there are no styles: voices/*.bin, voices.bin or voices.npz')
  return false
}

/** What the engine needs beside the graph. `metadata`: of the graph. Throws `BadPack`. */
export async function readKokoroModel(
  folder: PackFolder,
  metadata: Readonly<Record<string, string>>,
): Promise<KokoroModel> {
  const { style_dim: dims, speaker_names: names, sample_rate: sampleRate } = metadata
  const rowsSaid = dims === undefined ? undefined : Number(/^(\d+),1,256$/.exec(dims)?.[1] ?? 0)
  if (rowsSaid !== undefined && (rowsSaid < rows.min || rowsSaid > rows.max))
    throw new BadPack(`its styles are ${dims}, not ${rows.min},1,256`)
  const styles = await openStyles(folder, {
    names: names?.split(',').filter(Boolean) ?? [],
    rowsMin: rowsSaid ?? rows.min,
    rowsMax: rowsSaid ?? rows.max,
  })
  return { sampleRate: readSampleRate(sampleRate), vocabulary: await readVocabulary(folder, metadata), styles }
}

export function readSampleRate(text: string | undefined): number {
  const sampleRate = text === undefined ? defaultSampleRate : Number(text)
  if (!(Number.isInteger(sampleRate) && sampleRate >= 8000 && sampleRate <= 96_000))
    throw new BadPack(`its sample rate is ${text}`)
  return sampleRate
}

async function readVocabulary(folder: PackFolder, metadata: Readonly<Record<string, string>>): Promise<Vocabulary> {
  for (const [file, read] of vocabularyReaders) {
    if (!folder.files.includes(file)) continue
    const vocabulary = await read(folder, file)
    if (vocabulary !== undefined) return requirePhonemes(vocabulary, file)
  }
  const config = metadata['kokoro_config']
  if (config !== undefined) {
    const vocabulary = fromObject(fieldOf(parseJson(config), 'vocab'))
    return requirePhonemes(vocabulary ?? new Map(), 'kokoro_config in the metadata of the graph')
  }
  throw new BadPack('there is no vocabulary: tokens.txt, tokenizer.json, or config.json of hexgrad/Kokoro-82M')
}

function requirePhonemes(vocabulary: Vocabulary, file: string): Vocabulary {
  if (!vocabulary.has('ə') || !vocabulary.has(' ')) throw new BadPack(`${file} has no vocabulary of phonemes`)
  return vocabulary
}

/** undefined where it is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

type ReadVocabulary = (folder: PackFolder, file: string) => Promise<Vocabulary | undefined>

const vocabularyReaders: readonly (readonly [string, ReadVocabulary])[] = [
  ['tokens.txt', async (folder, file) => readTokens(await folder.read(file, tokensBytesMax), file)],
  ['config.json', async (folder, file) => fromObject((await folder.readJson(file))['vocab'])],
  ['tokenizer.json', async (folder, file) => fromObject(fieldOf((await folder.readJson(file))['model'], 'vocab'))],
]

/** Throws `BadPack`. */
export function readTokens(bytes: Uint8Array, file: string): Vocabulary {
  const vocabulary = parseTokens(new TextDecoder().decode(bytes))
  if (!vocabulary) throw new BadPack(`${file} is not one symbol and its id per line`)
  return vocabulary
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function fromObject(value: unknown): Vocabulary | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const entries = Object.entries(value as Record<string, unknown>)
  const ids = entries.filter(
    (entry): entry is [string, number] => Number.isInteger(entry[1]) && (entry[1] as number) >= 0,
  )
  return ids.length === entries.length ? new Map(ids) : undefined
}

/** `af_heart` → "Heart", a woman; where there is no name, as in `af` and `zf_001`, the whole is it. */
function describeVoice(style: string): PackVoice {
  const { language } = kokoroLanguage(style)
  const gender = /^[a-z]([fm])(_|$)/.exec(style)?.[1]
  const name = /^[a-z][fm]_(\p{L}.*)$/u.exec(style)?.[1]
  return {
    id: `kokoro-${style.toLowerCase().replace(/[^a-z0-9.]+/g, '-')}`,
    displayName: name
      ? name.replace(/_/g, ' ').replace(/(^| )\p{L}/gu, (first) => first.toUpperCase())
      : style.toUpperCase().replace('_', ' '),
    description: null,
    language,
    gender: gender === 'f' ? 'female' : gender === 'm' ? 'male' : null,
    settings: { voice: style },
  }
}
