/** What each family of models knows about its packs: one reader per family, asked in turn. */
import type { GraphInfo } from '../onnx/file'
import type { PackFamily, PackVoice } from './pack'

/** The folder of a pack. Links that lead out of it, and files deeper than two levels, are not in it. */
export type PackFolder = {
  /** Absolute. */
  readonly directory: string
  /** Paths of plain files, relative, with `/`, sorted. */
  readonly files: readonly string[]
  sizeBytesOf(file: string): number
  /** Throws `BadPack` when it is not there or larger than `sizeBytesMax`. */
  read(file: string, sizeBytesMax: number): Promise<Uint8Array>
  /** Throws `BadPack`, also when it is no JSON object. At most 16 MiB. */
  readJson(file: string): Promise<Readonly<Record<string, unknown>>>
  /** Of a graph's file, without loading it. Throws `BadPack`. */
  readGraph(file: string): Promise<GraphInfo>
}

export type PackContent = {
  readonly family: PackFamily
  /** The file of the graph that speaks. */
  readonly graph: string
  readonly sampleRate: number
  /** `id`: only letters, digits and `-`, without the family; who asked makes it one of the catalogue. */
  readonly voices: readonly PackVoice[]
  readonly license: string | null
  readonly fingerprint?: string
}

/** undefined: not of this family. Throws `BadPack` when it is, but cannot be used. */
export type PackReader = (folder: PackFolder) => Promise<PackContent | undefined>
