/**
 * Packs of VITS models in the format of sherpa-onnx
 * (https://k2-fsa.github.io/sherpa/onnx/tts/pretrained_models/vits.html): `model.onnx` with metadata, `tokens.txt`, and
 * `lexicon.txt` unless the tokens are characters. Piper's models, and models that need eSpeak NG's phonemes, are
 * excluded.
 */
import { basename } from 'node:path'
import type { GraphInfo } from '../onnx/file'
import type { TensorInfo } from '../onnx/runtime'
import { parseLexicon } from '../phonemes/lexicon'
import type { Vocabulary } from '../phonemes/runs'
import type { VitsFrontend } from '../phonemes/vits'
import type { PackFolder, PackReader } from './family'
import { BadPack, type PackVoice } from './pack'
import { readTokens, tokensFile } from './vocabulary'

const lexiconFile = 'lexicon.txt'
const lexiconBytesMax = 32 << 20
/** The largest known model has 804. */
const speakersMax = 1_000

type Metadata = Readonly<Record<string, string>>

/** Names of the graph's inputs. Further inputs are not fed, as in sherpa-onnx. */
export type VitsInputs = {
  readonly ids: string
  readonly lengths: string
  readonly tones?: string
  readonly speaker?: string
  /** One tensor of noise scale, length scale and noise width, or one tensor each. */
  readonly scales: string | { readonly noise: string; readonly length: string; readonly noiseWidth: string }
}

export type VitsModel = {
  readonly frontend: VitsFrontend
  readonly inputs: VitsInputs
  /** Hz. */
  readonly sampleRate: number
  readonly speakers: number
  /** The speaker to feed when the pack has only one. */
  readonly speaker: number
}

export const readVitsPack: PackReader = async (folder) => {
  const graph = chooseGraph(folder.files)
  if (graph === undefined || !folder.files.includes(tokensFile)) return undefined
  // Excludes Piper's config, Kokoro's styles, and other models that sherpa-onnx packs as model.onnx.
  if (folder.files.includes(`${graph}.json`) || folder.files.some((file) => /^voices[.-]/.test(file))) return undefined
  const info = await folder.readGraph(graph)
  const { metadata, outputs } = info
  if (!isVits(metadata)) return undefined
  if (outputs[0]?.type !== 'float32')
    throw new BadPack(`${graph}: its samples are ${outputs[0]?.type ?? 'missing'}, not float32`)
  const model = await readVitsModel(info, folder.read)
  const { sampleRate } = model
  return {
    family: 'vits',
    graph,
    sampleRate,
    voices: describeVoices(folder, graph, model, metadata),
    license: metadata.license ?? null,
  }
}

function chooseGraph(files: readonly string[]): string | undefined {
  const graphs = files.filter((file) => /^[^/]+\.onnx$/.test(file))
  return graphs.find((file) => file === 'model.onnx') ?? graphs.find((file) => !/int8|fp16/.test(file)) ?? graphs[0]
}

function isVits({ model_type: type, comment, sample_rate: sampleRate, n_speakers: speakers }: Metadata): boolean {
  if (type === undefined && !(comment && sampleRate && speakers)) return false
  return (type ?? 'vits').includes('vits') && !comment?.includes('piper')
}

/** `read`: reads a file of the pack. Throws `BadPack`. */
export async function readVitsModel(
  { metadata, inputs }: Pick<GraphInfo, 'metadata' | 'inputs'>,
  read: PackFolder['read'],
): Promise<VitsModel> {
  const tokens = await readTokens(read)
  const kind = frontendKind(metadata)
  const named = nameInputs(inputs, kind === 'toned')
  const speakers = wholeNumber(metadata, 'n_speakers')
  if (speakers > 1 && !named.speaker)
    throw new BadPack(`its metadata has ${speakers} speakers, but the graph has no speaker input`)
  const sampleRate = wholeNumber(metadata, 'sample_rate')
  const model = {
    inputs: named,
    sampleRate,
    speakers: Math.max(1, speakers),
    speaker: speakers > 1 ? 0 : wholeNumber(metadata, 'speaker_id', 0),
  }
  if (kind === 'characters') return { ...model, frontend: { kind, tokens, frame: readFrame(metadata) } }
  const text = new TextDecoder().decode(await read(lexiconFile, lexiconBytesMax))
  return { ...model, frontend: readLexiconFrontend(kind, text, tokens, metadata) }
}

/** Selected by the metadata, in the order of sherpa-onnx. */
function frontendKind(metadata: Metadata): VitsFrontend['kind'] {
  const { frontend, comment = '', language = '' } = metadata
  if (frontend === 'characters') return 'characters'
  const segmented = wholeNumber(metadata, 'jieba', 0) !== 0
  if (comment.includes('melo') && (segmented || language === 'English')) return 'toned'
  if (segmented) return 'segmented'
  if (/coqui|icefall/.test(comment))
    throw new BadPack(
      `its metadata (comment: ${comment}) asks for eSpeak NG's phonemes, which only Piper's models support`,
    )
  return language.toLowerCase() === 'chinese' ? 'chinese' : 'spaced'
}

function readFrame(metadata: Metadata) {
  return {
    addBlank: wholeNumber(metadata, 'add_blank', 0) !== 0,
    blankId: wholeNumber(metadata, 'blank_id', 0),
    ends:
      wholeNumber(metadata, 'use_eos_bos', 1) === 0
        ? null
        : { bos: wholeNumber(metadata, 'bos_id', 0), eos: wholeNumber(metadata, 'eos_id', 0) },
  }
}

function readLexiconFrontend(
  kind: Exclude<VitsFrontend['kind'], 'characters'>,
  text: string,
  tokens: Vocabulary,
  metadata: Metadata,
): VitsFrontend {
  if (kind === 'spaced' && !tokens.has(' ')) throw new BadPack(`${tokensFile} has no blank`)
  const lexicon = parseLexicon(text, tokens, kind === 'toned')
  const words = text.split('\n').flatMap((line) => /^[ \t]*(\S+)/.exec(line)?.[1]?.toLowerCase() ?? [])
  if (!words.some(lexicon.has))
    throw new BadPack(
      `${lexiconFile} has no word with phonemes${kind === 'toned' ? ' and tones' : ''} in ${tokensFile}`,
    )
  const punctuation = new Set((metadata.punctuation ?? '').split(' ').filter(Boolean))
  return { kind, tokens, lexicon, punctuation, addBlank: wholeNumber(metadata, 'add_blank', 0) !== 0 }
}

function wholeNumber(metadata: Metadata, name: string, otherwise?: number): number {
  const text = metadata[name]
  if (text === undefined && otherwise !== undefined) return otherwise
  if (text !== undefined && /^\d{1,7}$/.test(text)) return Number(text)
  throw new BadPack(
    `its metadata says ${name}: ${text === undefined ? 'nothing' : text.slice(0, 40)}, not a whole number`,
  )
}

/** By position, as sherpa-onnx feeds them: exporters choose different names. */
function nameInputs(inputs: readonly TensorInfo[], toned: boolean): VitsInputs {
  const [ids, lengths, third, fourth, fifth, sixth, seventh] = inputs
  const types = inputs.map(({ type }) => type)
  const has = (...wanted: string[]) => wanted.every((type, i) => types[i] === type)
  if (toned && has('int64', 'int64', 'int64', 'int64', 'float32', 'float32', 'float32'))
    return {
      ids: ids!.name,
      lengths: lengths!.name,
      tones: third!.name,
      speaker: fourth!.name,
      scales: { noise: fifth!.name, length: sixth!.name, noiseWidth: seventh!.name },
    }
  if (!toned && has('int64', 'int64', 'float32', 'float32', 'float32')) {
    const speaker = sixth?.name === 'sid' || sixth?.name === 'speaker' ? sixth.name : undefined
    const scales = { noise: third!.name, length: fourth!.name, noiseWidth: fifth!.name }
    return { ids: ids!.name, lengths: lengths!.name, speaker, scales }
  }
  if (!toned && has('int64', 'int64', 'float32'))
    return {
      ids: ids!.name,
      lengths: lengths!.name,
      speaker: fourth?.name === 'sid' ? fourth.name : undefined,
      scales: third!.name,
    }
  const described = inputs.map(({ name, type }) => `${name} ${type}`).join(', ')
  throw new BadPack(`its inputs (${described}) are not those of a VITS model${toned ? ' with tones' : ''}`)
}

function describeVoices({ directory }: PackFolder, graph: string, model: VitsModel, metadata: Metadata): PackVoice[] {
  const language = languageOf(metadata.language ?? '')
  const own = graph === 'model.onnx' ? basename(directory) : graph.replace(/\.onnx$/, '')
  const words = own
    .toLowerCase()
    .replace(/^(?:sherpa-onnx-)?(?:vits-)?/, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  const base = language.toLowerCase()
  const named = words.filter((word) => word !== base && word !== 'model')
  const name = named.length > 0 ? named : ['vits']
  return Array.from({ length: Math.min(model.speakers, speakersMax) }, (_, speaker): PackVoice => {
    const parts = model.speakers > 1 ? [...name, String(speaker)] : name
    return {
      id: [base, ...parts].join('-'),
      displayName: parts.map((part) => part[0]!.toUpperCase() + part.slice(1)).join(' '),
      description: null,
      language,
      gender: null,
      settings: { voice: name.join('-'), speaker: model.speakers > 1 ? speaker : model.speaker },
    }
  })
}

/** ISO 639 codes by their lower-case English name. Made on first use, because it takes several milliseconds. */
let codesByName: ReadonlyMap<string, string> | undefined

function nameLanguages(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const codes = [...letters.flatMap((first) => letters.map((second) => first + second)), 'yue', 'fil', 'haw']
  return new Map(
    codes.flatMap((code) => {
      const name = names.of(code)?.toLowerCase()
      return name ? [[name, code] as const] : []
    }),
  )
}

/** BCP 47 tag of `English`, `Chinese + English`, `eng` (as in MMS) or `en-US`. Throws `BadPack`. */
function languageOf(name: string): string {
  const first = name.split(/[+,;/(]/)[0]!.trim()
  const code =
    (codesByName ??= nameLanguages()).get(first.toLowerCase()) ??
    (/^[a-z]{2,3}(?:[-_][a-z]{2,4})?$/i.test(first) ? first.replace('_', '-') : undefined)
  const [language] = code ? Intl.getCanonicalLocales(code) : []
  if (!language)
    throw new BadPack(`its metadata says language: ${name.slice(0, 40) || 'nothing'}, which is not a known language`)
  return language === 'cmn' ? 'zh' : language
}
