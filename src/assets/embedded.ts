/** The assets embedded in the executable. The build sets them here. */

export type Assets = {
  /** Version of the asset that holds the files. */
  readonly version: string
  readonly english: EnglishFiles
  /**
   * Path of the graph of the voice Heart, optimized for the onnxruntime of this build; its last output is the durations.
   * Give onnxruntime the bytes.
   */
  readonly heart: string
  readonly notices: readonly AssetNotice[]
}

/** Paths of the files for reading English. */
export type EnglishFiles = {
  /** Lexicons, tagger and alphabets as `scripts/english-data.ts` compiles them, compressed with Zstandard. */
  readonly data: string
  /** Graphs that read unknown words. onnxruntime cannot open a path inside the executable: give it the bytes. */
  readonly networks: { readonly american: string; readonly british: string }
  /** Kokoro's vocabulary: an object of symbols and their ids, as JSON. */
  readonly vocabulary: string
}

export type AssetNotice = {
  readonly name: string
  readonly version: string
  /** SPDX id. */
  readonly license: string
  /** Works of others in it. */
  readonly includes: readonly { readonly name: string; readonly license: string }[]
  /** Paths of the licences and notices. */
  readonly texts: readonly string[]
}

/** Null in an executable without assets; undefined when the program runs from its sources. */
export const embeddedAssets: Assets | null | undefined = undefined
