/** The onnxruntime library embedded in the executable; the build sets it here. Elsewhere the package finds its own. */
export type EmbeddedLibrary = {
  /** Path of the library, compressed with Zstandard. */
  readonly path: string
  /** File name on disk; changes with the content. */
  readonly name: string
}

export const embeddedLibrary: EmbeddedLibrary | undefined = undefined
