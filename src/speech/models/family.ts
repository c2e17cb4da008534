/** The readers of packs: one per family of models. */
import type { GraphInfo } from '../onnx/file'
import type { EnglishPhonemes, PackFamily, PackVoice } from './pack'

/** The folder of a pack. Links that lead out of it and files deeper than two levels are excluded. */
export type PackFolder = {
  /** Absolute path. */
  readonly directory: string
  /** Relative paths of regular files, with `/`, sorted. */
  readonly files: readonly string[]
  sizeBytesOf(file: string): number
  /** Reads a file. Throws `BadPack` when it is missing or larger than `sizeBytesMax`. */
  read(file: string, sizeBytesMax: number): Promise<Uint8Array>
  /** Reads a JSON object of at most 16 MiB. Throws `BadPack`. */
  readJson(file: string): Promise<Readonly<Record<string, unknown>>>
  /** Reads the header of a graph's file without loading it. Throws `BadPack`. */
  readGraph(file: string): Promise<GraphInfo>
}

export type PackContent = {
  readonly family: PackFamily
  /** The file of the speech graph. */
  readonly graph: string
  readonly sampleRate: number
  /** `id`: only letters, digits and `-`, without the family; the caller makes the catalogue id of it. */
  readonly voices: readonly PackVoice[]
  readonly license: string | null
  readonly fingerprint?: string
  readonly english?: EnglishPhonemes
}

/** Returns undefined for packs of other families. Throws `BadPack` for unusable packs of its own. */
export type PackReader = (folder: PackFolder) => Promise<PackContent | undefined>
