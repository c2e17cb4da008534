/** Types for the used part of the Emscripten build of eSpeak NG, which ships none. */
declare module '@echogarden/espeak-ng-emscripten' {
  export type FileNode = { mode: number; contents: Uint8Array | Record<string, FileNode> }
  export interface EspeakWorker {
    get_samplerate(): number
    /** Returns 0 when the voice exists. */
    set_voice(name: string): number
    set_rate(wordsPerMinute: number): void
    set_pitch(pitch: number): void
    set_range(range: number): void
    /** Returning true from the callback ends the synthesis. */
    synthesize(text: string, onSamples: (samples: Int16Array | null, events: unknown[]) => boolean): void
    /** Phonemes of all clauses. `ptr` is the address of zero-terminated UTF-8, to be freed. */
    convert_to_phonemes(text: string, ipa: boolean): { ptr: number }
  }
  export interface EspeakModule {
    HEAPU8: Uint8Array<ArrayBuffer>
    _malloc(sizeBytes: number): number
    _free(address: number): void
    FS: {
      open(path: string | FileNode, ...rest: unknown[]): unknown
      isDir(mode: number): boolean
      lookupPath(path: string): { node: FileNode }
    }
    eSpeakNGWorker: new () => EspeakWorker
  }
  const initialize: (options: {
    getPreloadedPackage: () => ArrayBuffer
    print(): void
    printErr(): void
  }) => Promise<EspeakModule>
  export default initialize
}
