/**
 * The packs installable by name and their files: `piper/KEY` for every voice of Piper's index, and the packs below. The
 * file lists come from the repositories' pages and from programs that use them (docs/voices.md names them). The hub's
 * own list of files decides.
 */
import { describe } from '../../fields'
import { AppError } from '../../errors'
import { licenseOfCard } from '../license'
import type { PackFamily } from '../../speech/models/pack'
import type { Hub } from './client'
import { folderOfPack } from './folder'
import { failed } from './failures'
import { fetchPiperIndex, folderOf, piperRepository, type PiperVoice } from './piper-index'
import {
  cardBytesMax,
  findRepository,
  isSafePath,
  listFiles,
  oneLine,
  pathOfFile,
  type Digests,
  type HubFile,
  type Repository,
} from './repository'

export type PlannedFile = HubFile & {
  /** Path in the pack, with `/`. */
  readonly target: string
}

/** Everything known before the first large download. */
export type PullPlan = {
  readonly name: string
  readonly family: PackFamily
  /** Name of the pack's folder. */
  readonly folder: string
  readonly repository: Repository
  /** From the model card, else from the repository. */
  readonly license: string | null
  /** Text of the model card. */
  readonly card: string | null
  readonly files: readonly PlannedFile[]
  readonly sizeBytes: number
}

export type KnownPack = {
  readonly name: string
  readonly family: PackFamily
  readonly repository: string
  /** BCP 47. */
  readonly languages: readonly string[]
  readonly description: string
  /** `*` at the end of a folder's pattern matches regular files in it with that ending. */
  readonly required: readonly string[]
  readonly optional: readonly string[]
  /** The only graph that the pack may have. */
  readonly pinned?: PinnedGraph
}

export type PinnedGraph = {
  /** Path in the pack, and its name in the repository. */
  readonly target: string
  readonly sizeBytes: number
  readonly sha256: string
}

const cards = ['README.md', 'LICENSE']
const kokoroFiles = ['config.json', 'tokenizer.json', 'voices/*.bin']
const kokoroLanguages = ['en', 'zh', 'es', 'fr', 'hi', 'it', 'ja', 'pt']
const kittenFiles = ['config.json', '*.onnx', 'voices.npz']

function kokoro(name: string, graph: string, description: string): KnownPack {
  const repository = 'onnx-community/Kokoro-82M-v1.0-ONNX'
  const required = [`onnx/${graph}`, ...kokoroFiles]
  return { name, family: 'kokoro', repository, languages: kokoroLanguages, description, required, optional: cards }
}

function kitten(name: string, repository: string, description: string): KnownPack {
  return { name, family: 'kitten', repository, languages: ['en'], description, required: kittenFiles, optional: cards }
}

function hibari(name: string, language: string, description: string, pinned: PinnedGraph): KnownPack {
  const repository = 'maureesewilliams/hibari'
  const optional = [...cards, 'NOTICE']
  return { name, family: 'hibari', repository, languages: [language], description, required: [], optional, pinned }
}

/** Sizes and digests are those of `hibari/assets/voices.json` in hibari-tts 0.2.1, which refuses other files too. */
const hibariVoices: readonly KnownPack[] = [
  hibari('hibari', 'en-US', 'Hibari, Heart: American, female', {
    target: 'hibari.onnx',
    sizeBytes: 7_936_868,
    sha256: '5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8',
  }),
  hibari('hibari/emma', 'en-GB', 'Hibari, Emma: British, female', {
    target: 'bf_emma.int8.onnx',
    sizeBytes: 7_936_868,
    sha256: 'f709f0488ee63b583a22189a955aaf4257b9806dd330be3490661e53af0a89c1',
  }),
  hibari('hibari/fenrir', 'en-US', 'Hibari, Fenrir: American, male', {
    target: 'am_fenrir_v2.int8.onnx',
    sizeBytes: 8_031_158,
    sha256: 'f59fbd87908c91f827bc21b1b89443757b9a8580db9eee20aa948deb731321f4',
  }),
  hibari('hibari/fable', 'en-GB', 'Hibari, Fable: British, male', {
    target: 'bm_fable.int8.onnx',
    sizeBytes: 7_936_868,
    sha256: 'c28529302f2d27cd12f62625c24425888c4e3c2675583100ec530259136b8bc6',
  }),
  hibari('hibari/kore', 'en-US', 'Hibari, Kore: American, female', {
    target: 'af_kore.int8.onnx',
    sizeBytes: 7_936_868,
    sha256: '346885752673e45d42f9864c9e2432094bc4b6385df060d4b83273da764d2fa9',
  }),
]

export const knownPacks: readonly KnownPack[] = [
  kokoro('kokoro', 'model_quantized.onnx', 'Kokoro 82M v1.0, 8 bits'),
  kokoro('kokoro-fp16', 'model_fp16.onnx', 'Kokoro 82M v1.0, 16 bits, for GPUs'),
  kokoro('kokoro-fp32', 'model.onnx', 'Kokoro 82M v1.0, 32 bits'),
  {
    name: 'kokoro-zh',
    family: 'kokoro',
    repository: 'onnx-community/Kokoro-82M-v1.1-zh-ONNX',
    languages: ['zh', 'en'],
    description: 'Kokoro 82M v1.1 for Mandarin, 8 bits',
    required: ['onnx/model_quantized.onnx', ...kokoroFiles],
    optional: cards,
  },
  ...hibariVoices,
  kitten('kitten', 'KittenML/kitten-tts-nano-0.8-fp32', 'KittenTTS nano 0.8, 15 million parameters'),
  kitten('kitten-mini', 'KittenML/kitten-tts-mini-0.8', 'KittenTTS mini 0.8, 80 million parameters'),
  {
    name: 'openvoice-v2',
    family: 'converter',
    repository: 'seasonstudio/openvoice_tone_clone_onnx',
    languages: [],
    description: 'OpenVoice v2 tone converter: clones in every language',
    required: ['tone_clone_model.onnx', 'tone_color_extract_model.onnx', 'configuration.json'],
    optional: cards,
  },
]

const piperPrefix = 'piper/'

/** Validates a name before any request to the hub. Throws `invalid_params`. */
export function checkPackName(given: string): string {
  const name = given.normalize('NFC')
  const key = name.startsWith(piperPrefix) ? name.slice(piperPrefix.length) : undefined
  const isGood = key === undefined ? knownPacks.some((pack) => pack.name === name) : isKey(key)
  if (isGood) return name
  const known = knownPacks.map((pack) => pack.name).join(', ')
  throw new AppError('invalid_params', `name: found ${describe(given)}; piper/KEY, ${known} are there.`, {
    param: 'name',
  })
}

function isKey(key: string): boolean {
  return !key.includes('/') && isSafePath(key) && key.length <= 100
}

export type PlanOptions = {
  /** Its reason is thrown on abort. */
  readonly signal?: AbortSignal
  /** The packs with names of their own; a test may replace them. */
  readonly packs?: readonly KnownPack[]
}

/** Asks the hub for the files of the pack. Throws `invalid_params`, `not_found`, `url_fetch_failed`. */
export async function planPack(
  hub: Hub,
  given: string,
  { signal, packs = knownPacks }: PlanOptions = {},
): Promise<PullPlan> {
  const name = checkPackName(given)
  const known = packs.find((pack) => pack.name === name)
  const plan = known
    ? await planKnown(hub, known, signal)
    : await planPiper(hub, name.slice(piperPrefix.length), signal)
  const targets = plan.files.map(({ target }) => target.toLowerCase())
  if (new Set(targets).size < targets.length) throw failed(`${plan.repository.id} has two files of the same name`)
  const unknown = plan.files.find(({ digests }) => Object.keys(digests).length === 0)
  if (unknown) throw failed(`it has no hash of ${unknown.path}`)
  return { ...plan, sizeBytes: plan.files.reduce((sum, file) => sum + file.sizeBytes, 0) }
}

type Unchecked = Omit<PullPlan, 'sizeBytes'>

async function planKnown(hub: Hub, pack: KnownPack, signal?: AbortSignal): Promise<Unchecked> {
  const repository = await findRepository(hub, pack.repository, signal)
  const there = await listFiles(hub, repository, '', signal)
  const files = chooseFiles(pack, there)
  const card = await fetchCard(
    hub,
    repository,
    files.find(({ path }) => path === 'README.md'),
    signal,
  )
  const { name, family } = pack
  return { name, family, folder: folderOfPack(name), repository, license: repository.license, card, files }
}

/** Throws `url_fetch_failed` when a required file is missing. */
export function chooseFiles(
  { required, optional, repository, pinned }: KnownPack,
  there: readonly HubFile[],
): PlannedFile[] {
  const chosen = [...required, ...optional].flatMap((pattern) => {
    const found = there.filter(({ path }) => matches(pattern, path))
    if (found.length === 0 && required.includes(pattern)) throw failed(`${repository} has no ${pattern}`)
    return found
  })
  const files = chosen.map((file) => ({ ...file, target: file.path }))
  return pinned === undefined ? files : [findPinned(pinned, repository, there), ...files]
}

/** Finds the graph by its digest in any folder, by its name if the hub does not list its digest. */
function findPinned(
  { target, sizeBytes, sha256 }: PinnedGraph,
  repository: string,
  there: readonly HubFile[],
): PlannedFile {
  const found =
    there.find(({ digests }) => digests.sha256 === sha256) ??
    there.find(({ path }) => path === target || path.endsWith(`/${target}`))
  if (!found) throw failed(`${repository} has no ${target} with the SHA-256 ${sha256}`)
  const { path, digests } = found
  if ((digests.sha256 ?? sha256) !== sha256 || found.sizeBytes !== sizeBytes)
    throw failed(
      `${repository} has another ${target} than the one that this version of Sonant knows: ` +
        `found ${found.sizeBytes} bytes with the SHA-256 ${digests.sha256 ?? 'not given'}, expected ${sizeBytes} bytes with ${sha256}`,
    )
  return { path, sizeBytes, digests: { ...digests, sha256 }, target }
}

function matches(pattern: string, path: string): boolean {
  const [start, end] = pattern.split('*') as [string, string?]
  if (end === undefined) return path === pattern
  return path.startsWith(start) && path.endsWith(end) && !path.slice(start.length).includes('/')
}

async function planPiper(hub: Hub, key: string, signal?: AbortSignal): Promise<Unchecked> {
  const repository = await findRepository(hub, piperRepository, signal)
  const voices = await fetchPiperIndex(hub, repository, signal)
  const voice = voices.find((one) => one.key === key) ?? voices.find(({ aliases }) => aliases.includes(key))
  if (!voice)
    throw new AppError('not_found', `There is no Piper voice ${describe(key)}; sonant voices search lists all.`)
  const there = await listFiles(hub, repository, folderOf(voice.files[0]!.path), signal)
  const files = voice.files.map((file) => joinPiperFile(file, there))
  const card = await fetchCard(
    hub,
    repository,
    files.find(({ target }) => target === 'MODEL_CARD'),
    signal,
  )
  const name = `${piperPrefix}${voice.key}`
  // The licence in Piper's model cards is that of the recordings.
  const own = licenseOfCard(card ?? '')
  const license = own === undefined ? repository.license : oneLine(own)
  return { name, family: 'piper', folder: folderOfPack(name), repository, license, card, files }
}

/** Combines the MD5 of the index with the digests of the tree. A pack holds a voice's files without their folders. */
function joinPiperFile(listed: PiperVoice['files'][number], there: readonly HubFile[]): PlannedFile {
  const found = there.find(({ path }) => path === listed.path)
  if (!found) throw failed(`${piperRepository} has no ${listed.path}`)
  const digests: Digests = { ...found.digests, ...listed.digests }
  return {
    path: found.path,
    sizeBytes: found.sizeBytes,
    digests,
    target: found.path.slice(folderOf(found.path).length + 1),
  }
}

async function fetchCard(
  hub: Hub,
  repository: Repository,
  file: HubFile | undefined,
  signal?: AbortSignal,
): Promise<string | null> {
  if (!file || file.sizeBytes > cardBytesMax) return null
  return (await hub.getText(pathOfFile(repository, file.path), cardBytesMax, signal)).text
}
