/**
 * The index of Piper's official voices: `voices.json` of https://huggingface.co/rhasspy/piper-voices, an object of
 * voices by key (`en_US-lessac-medium`), each with language, quality, speakers and files with sizes and MD5.
 */
import { isFields, type Fields } from '../../fields'
import type { Hub } from './client'
import { failed } from './failures'
import {
  isHex,
  isSafePath,
  isSize,
  oneLine,
  parseObject,
  pathOfFile,
  type HubFile,
  type Repository,
} from './repository'

export const piperRepository = 'rhasspy/piper-voices'

export type PiperVoice = {
  /** `en_US-lessac-medium`. */
  readonly key: string
  readonly name: string
  readonly language: {
    /** `en_US`. */
    readonly code: string
    /** `en`. */
    readonly family: string
    readonly nativeName: string
    readonly englishName: string
    readonly country: string
  }
  /** `x_low`, `low`, `medium`, `high`. */
  readonly quality: string
  readonly speakers: number
  /** The graph, its config and the model card, all in one folder. */
  readonly files: readonly HubFile[]
  readonly sizeBytes: number
  /** Former names. */
  readonly aliases: readonly string[]
}

const indexBytesMax = 32 << 20

/** Skips malformed entries. Throws `url_fetch_failed`, `not_found`. */
export async function fetchPiperIndex(hub: Hub, repository: Repository, signal?: AbortSignal): Promise<PiperVoice[]> {
  const path = pathOfFile(repository, 'voices.json')
  const { text } = await hub.getText(path, indexBytesMax, signal)
  const voices = Object.entries(parseObject(text, path)).flatMap(([key, entry]) => readVoice(key, entry))
  if (voices.length === 0) throw failed(`${path} holds no voices`)
  return voices
}

function readVoice(key: string, entry: unknown): PiperVoice[] {
  const { language, files, num_speakers: speakers, ...rest } = fieldsOf(entry)
  const { code, family, ...names } = fieldsOf(language)
  const listed = Object.entries(fieldsOf(files)).filter(([path]) => isSafePath(path))
  const read = listed.flatMap(([path, file]) => {
    const { size_bytes: sizeBytes, md5_digest: md5 } = fieldsOf(file)
    return isSize(sizeBytes) ? [{ path, sizeBytes, digests: isHex(md5, 32) ? { md5 } : {} }] : []
  })
  const paths = read.map(({ path }) => path)
  const isWhole =
    isSafePath(key) &&
    !key.includes('/') &&
    typeof code === 'string' &&
    typeof family === 'string' &&
    paths.some((path) => path.endsWith(`/${key}.onnx`)) &&
    paths.some((path) => path.endsWith(`/${key}.onnx.json`)) &&
    new Set(paths.map(folderOf)).size === 1
  if (!isWhole) return []
  return [
    {
      key: key.normalize('NFC'),
      name: text(rest.name),
      language: {
        code: text(code),
        family: text(family),
        nativeName: text(names.name_native),
        englishName: text(names.name_english),
        country: text(names.country_english),
      },
      quality: text(rest.quality),
      speakers: typeof speakers === 'number' && Number.isInteger(speakers) && speakers > 0 ? speakers : 1,
      files: read,
      sizeBytes: read.reduce((sum, file) => sum + file.sizeBytes, 0),
      aliases: Array.isArray(rest.aliases) ? rest.aliases.filter((alias) => typeof alias === 'string') : [],
    },
  ]
}

/** The common folder of a voice's files. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

/** For tables on a terminal. */
function text(value: unknown): string {
  return typeof value === 'string' ? oneLine(value) : ''
}
