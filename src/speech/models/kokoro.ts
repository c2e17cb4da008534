/**
 * Packs of Kokoro-82M (https://huggingface.co/hexgrad/Kokoro-82M) in three layouts:
 * - onnx-community/Kokoro-82M-v1.0-ONNX: `onnx/model*.onnx`, `voices/<name>.bin`, `tokenizer.json`;
 * - examples/export.py of hexgrad/kokoro: the graph, whose `speed` is an int32, with `duration` beside `waveform`;
 * `config.json`, and styles as in one of the others;
 * - sherpa-onnx (scripts/kokoro/): `model.onnx` with metadata, `voices.bin` of all voices, `tokens.txt`.
 * `voices-v1.0.bin` of kokoro-onnx is a NumPy archive. Its later graphs have the config in their metadata
 * (`kokoro_config`, read by src/kokoro_onnx/session.py); the earlier ones come with `config.json` of
 * hexgrad/Kokoro-82M.
 */
import { baseLanguage } from '../../language'
import { kokoroLanguage, readsMisaki } from '../phonemes/kokoro'
import type { Vocabulary } from '../phonemes/runs'
import type { PackContent, PackFolder } from './family'
import { isKitten } from './kitten'
import { BadPack, type PackVoice } from './pack'
import { chooseGraph, readSampleRate, readStyleSignature } from './style-graph'
import { findStyleFiles, openStyles, type Style } from './styles'
import { readVocabulary } from './vocabulary'

/**
 * Rows of a style: one per number of tokens, 1 to 510, the graph's maximum beside the outer two. v0.19 has an
 * additional first row for zero tokens (scripts/kokoro/v0.19 of sherpa-onnx); the files of onnx-community have 512.
 */
const rows = { min: 510, max: 512 }

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
  const { sampleRate, vocabulary, styles } = await readKokoroModel(folder, info.metadata)
  const voices = styles.map(({ name }) => name).filter((name) => kokoroLanguage(name).frontEnd !== null)
  if (voices.length === 0) throw new BadPack('all of its voices are Japanese, which has no phonemizer yet')
  const described = voices.map(describeVoice)
  const hasEnglish = described.some(({ language }) => baseLanguage(language) === 'en')
  return {
    family: 'kokoro',
    graph,
    sampleRate,
    voices: described,
    license: null,
    ...(hasEnglish && { english: readsMisaki(vocabulary) ? 'misaki' : 'espeak' }),
  }
}

/** VITS models have a `model.onnx` and `tokens.txt` too, but no styles. */
function looksLikeKokoro(files: readonly string[], graph: string): boolean {
  if (findStyleFiles(files).length > 0) return true
  if (files.some((file) => /^voices\/[^/]+\.pt$/.test(file)))
    throw new BadPack(
      'voices/*.pt are PyTorch files; onnx-community/Kokoro-82M-v1.0-ONNX has the same styles as voices/*.bin',
    )
  if (/kokoro/i.test(graph)) throw new BadPack('there are no styles: voices/*.bin, voices.bin or voices.npz')
  return false
}

/** Reads the engine's inputs beside the graph. `metadata`: of the graph. Throws `BadPack`. */
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

/** `af_heart` → "Heart", female. A style without a name, as `af` and `zf_001`, keeps its id. */
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
