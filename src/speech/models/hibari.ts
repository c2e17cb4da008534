/**
 * Packs of Hibari (https://huggingface.co/maureesewilliams/hibari, Apache-2.0): English voices of 8 MB each, distilled
 * from voices of Kokoro. A pack is one graph, whose outputs are spectra, and perhaps `vocab.json`; without it the built-in
 * vocabulary of Kokoro is used.
 */
import { basename } from 'node:path'
import { findBuiltIn } from '../../assets/built-in'
import type { EnglishFiles } from '../../assets/embedded'
import { parseJson } from '../../json'
import type { GraphInfo } from '../onnx/file'
import type { DurationsPlace } from '../onnx/graph'
import type { TensorInfo } from '../onnx/runtime'
import type { Vocabulary } from '../phonemes/runs'
import { bins, vocoderRate } from '../vocoder/format'
import type { PackContent, PackFolder } from './family'
import { BadPack, type PackVoice } from './pack'
import { readSymbols } from './vocabulary'

export const hibariInputs = { ids: 'ids', speed: 'speed' } as const
/** The graph's outputs for the parts of the vocoder's rows, in their order. */
export const spectraOutputs = ['lh', 'theta', 'ln', 'lr', 'phi'] as const
/** The output with the fundamental frequency. */
export const f0Output = 'f0'
const hibariOutputs = [...spectraOutputs, f0Output]

/** Durations in units, before they are rounded. */
export const durationsPlace: DurationsPlace = {
  usualOutputs: hibariOutputs.length,
  operator: 'Round',
  side: 'input',
}

const vocabularyFile = 'vocab.json'
/** Graphs that have more of `spectraOutputs` than they lack were made for this family. */
const unusualOutputsMax = 3

/** `english`: the built-in data for English, null in a build without it; replaced in tests. */
export async function readHibariPack(
  folder: PackFolder,
  english: EnglishFiles | null = findEnglish(),
): Promise<PackContent | undefined> {
  const graph = await findGraph(folder)
  if (graph === undefined) return undefined
  checkSignature(graph, await folder.readGraph(graph))
  if (english === null)
    throw new BadPack(
      'this build of Sonant has no data for reading English, which this family needs; build it where the data can be fetched',
    )
  await readHibariVocabulary(folder, english)
  return { family: 'hibari', graph, sampleRate: vocoderRate, voices: [describeVoice(graph)], license: null }
}

function findEnglish(): EnglishFiles | null {
  return findBuiltIn()?.english ?? null
}

/** Throws `BadPack` for a folder with several graphs of this family. */
async function findGraph(folder: PackFolder): Promise<string | undefined> {
  const found: string[] = []
  // The networks for unknown words lie beside the graph in Hibari's own package.
  const graphs = folder.files.filter((file) => /^(voices\/)?[^/]+\.onnx$/.test(file) && !/^oov/.test(file))
  if (!folder.files.includes(vocabularyFile) && !graphs.some(isNamedLikeVoice)) return undefined
  for (const file of graphs) {
    const { outputs } = await folder.readGraph(file)
    const missing = spectraOutputs.filter((name) => !outputs.some((output) => output.name === name)).length
    if (missing < unusualOutputsMax || /hibari/i.test(basename(file))) found.push(file)
  }
  if (found.length > 1)
    throw new BadPack(`${found.join(', ')} are ${found.length} voices; put each into its own folder`)
  return found[0]
}

function isNamedLikeVoice(graph: string): boolean {
  return /hibari/i.test(graph) || kokoroName.test(styleOf(graph))
}

/** Throws `BadPack` when inputs or outputs differ from Hibari's. */
export function checkSignature(graph: string, { inputs, outputs }: Pick<GraphInfo, 'inputs' | 'outputs'>): void {
  const bad = (what: string) => new BadPack(`${graph} does not have Hibari's signature: ${what}`)
  const require = (all: readonly TensorInfo[], kind: string, name: string, type: string, dims: readonly number[]) => {
    const tensor = all.find((one) => one.name === name)
    if (!tensor) throw bad(`it has no ${kind} ${name}`)
    const found = `${tensor.type} [${tensor.dims.map((size) => (size < 0 ? '?' : size)).join(', ')}]`
    const wanted = `${type} [${dims.map((size) => (size < 0 ? '?' : size)).join(', ')}]`
    const fits = (size: number, at: number) => size < 0 || dims[at]! < 0 || size === dims[at]
    if (tensor.type !== type || tensor.dims.length !== dims.length || !tensor.dims.every(fits))
      throw bad(`its ${kind} ${name} is ${found}, not ${wanted}`)
  }
  require(inputs, 'input', hibariInputs.ids, 'int64', [1, -1])
  require(inputs, 'input', hibariInputs.speed, 'float32', [1])
  const other = inputs.find(({ name }) => name !== hibariInputs.ids && name !== hibariInputs.speed)
  if (other) throw bad(`it has a further input, ${other.name}`)
  for (const name of hibariOutputs)
    require(outputs, 'output', name, 'float32', name === f0Output ? [1, -1] : [1, bins, -1])
}

/** Reads the folder's vocabulary, else the built-in one. Throws `BadPack`; also throws in a build without one. */
export async function readHibariVocabulary(folder: PackFolder, english = findEnglish()): Promise<Vocabulary> {
  if (folder.files.includes(vocabularyFile)) return readSymbols(folder, vocabularyFile)
  if (english === null) throw new Error('this build has no vocabulary')
  return readBuiltInVocabulary(english)
}

export async function readBuiltInVocabulary({ vocabulary }: EnglishFiles): Promise<Vocabulary> {
  return new Map(Object.entries(parseJson(await Bun.file(vocabulary).text()) as Record<string, number>))
}

/** The voice inside of Hibari's package, whose file has no name. */
const packageVoice = 'af_heart'
/** Accent, gender and name: `bf_emma`. */
const kokoroName = /^([ab])([fm])_(\p{L}.*)$/u

/** The name of the graph's file without its format and version. */
function styleOf(graph: string): string {
  const stem = basename(graph, '.onnx').replace(/[._-](int8|fp16|fp32|v\d+)(?=[._-]|$)/gi, '')
  return stem.toLowerCase() === 'hibari' ? packageVoice : stem
}

/** Files have the names of Kokoro's voices: `bf_emma.int8.onnx` is British, female, "Emma". */
export function describeVoice(graph: string): PackVoice {
  const style = styleOf(graph)
  const [, accent, gender, named] = kokoroName.exec(style) ?? []
  const name = (named ?? style).replace(/^hibari[._-]/i, '')
  return {
    id: ['hibari', ...(name.toLowerCase().match(/[a-z0-9]+/g) ?? [])].join('-'),
    displayName: name.replace(/[_-]+/g, ' ').replace(/(^| )\p{L}/gu, (first) => first.toUpperCase()),
    description: null,
    language: accent === 'b' ? 'en-GB' : 'en-US',
    gender: gender === 'f' ? 'female' : gender === 'm' ? 'male' : null,
    settings: { voice: style },
  }
}
