/**
 * The onnxruntime library that is embedded in the executable: the build puts it here. Outside of the executable there
 * is none, and the package finds its own.
 */
export type EmbeddedLibrary = {
  /** Of the library, compressed with Zstandard. */
  readonly path: string
  /** Its name on disk; changes with its content. */
  readonly name: string
}

export const embeddedLibrary: EmbeddedLibrary | undefined = undefined
