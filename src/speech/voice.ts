/**
 * The plain voice types of all rooms: data that is sent between processes and stored. A voice is a `VoiceSpec`; a
 * listed or cloned one adds what its own room knows. This file imports nothing.
 */

export type Gender = 'female' | 'male'

/** The built-in engines without a model. */
export type EngineName = 'flite' | 'espeak'
/** Engines for models. A built-in voice of one has no `model`: its files are among the assets of the build. */
export type NeuralEngineName = 'piper' | 'kokoro' | 'kitten' | 'vits' | 'hibari'

/** The properties of a voice that synthesis needs. */
export type VoiceSpec = {
  readonly id: string
  /** null or undefined: unknown. */
  readonly gender?: Gender | null
  readonly engine: EngineName | NeuralEngineName
  /** BCP 47. */
  readonly language: string
  /** Sample rate of the engine's output, Hz. */
  readonly sampleRate: number
  readonly settings: EngineSettings
  /** Signal processing that turns the engine's output into another voice. An adapted voice is never a clone's base. */
  readonly adaptation?: Adaptation
  /** Installed model of a neural engine. */
  readonly model?: ModelFiles
  /** Whether one run may synthesize several texts. */
  readonly batches?: boolean
  /** Tone conversion, applied last. */
  readonly conversion?: Conversion
}

/** A tone conversion of a base voice. Plain data. */
export type Conversion = {
  /** Model of the converter. */
  readonly model: ModelFiles
  /** Target speaker embedding, 256 numbers. The worker derives the source embedding from the unconverted voice. */
  readonly to: readonly number[]
}

/** Parameters of an engine. Each engine checks its own. */
export type EngineSettings = {
  /** Name in the engine: Flite `rms`; eSpeak NG `cmn+f3` (language, then variant); a style or speaker. */
  readonly voice: string
  /** Speaker index in a model with several speakers. */
  readonly speaker?: number
  /** Flite: mean fundamental frequency, Hz; `rms` ignores it. */
  readonly pitchHz?: number
  /** eSpeak NG: 0 to 99; 50 is the variant's default. */
  readonly pitch?: number
  /** eSpeak NG: pitch range, 0 (flat) to 99. */
  readonly pitchRange?: number
  /** eSpeak NG: 80 to 450. */
  readonly wordsPerMinute?: number
}

/** Forms of the convolutions in a graph (`speech/onnx/convolutions.ts`). */
export type ConvolutionForm = 'as_exported' | 'unsigned_products' | 'signed_products' | 'two_dimensional'

/** An installed model, described for the worker that loads it. */
export type ModelFiles = {
  /** Absolute path of the pack. */
  readonly directory: string
  /** File name of the graph in the directory. */
  readonly graph: string
  /** Changes whenever a file of the pack does. */
  readonly version: string
  /** Hash of the graph's content. A clone identifies its base voice by it. */
  readonly fingerprint?: string
  /** The fastest form of its convolutions on the CPU; undefined when there is no choice. */
  readonly convolutions?: ConvolutionForm
  /** Expected memory of a process for the model, beyond the memory of every worker. */
  readonly memoryBytes: number
  /** Measured seconds of a worker for a second of sound while all workers are busy; undefined when unknown. */
  readonly busyFactor?: number
}

/** The signal processing from a base voice to a clone. Plain data that is stored and sent to workers. */
export type Adaptation = {
  readonly pitch: {
    /** Median pitch of the base voice and of the clone, Hz; 0 leaves the pitch unchanged. */
    readonly fromHz: number
    readonly toHz: number
    /** Factor on the pitch range, on a logarithmic axis. */
    readonly spread: number
  }
  /** Factor on all resonances; above 1 for a shorter vocal tract. */
  readonly tractRatio: number
  /** Gains in dB at `bandsHz` (`audio/analysis/spectrum.ts`). */
  readonly voicedDb: readonly number[]
  readonly unvoicedDb: readonly number[]
  readonly harmonicityDb: number | null
}

/** The part of a voice that determines what a worker loads. */
export type Loadable = Pick<VoiceSpec, 'engine' | 'model'> & { readonly conversion?: Pick<Conversion, 'model'> }

/** Key of everything that a worker loads for a voice: its engine, its model and its tone converter. */
export function engineKey({ engine, model, conversion }: Loadable): string {
  const speaking = model ? `${engine} ${modelKey(model)}` : engine
  return conversion ? `${speaking} + ${modelKey(conversion.model)}` : speaking
}

/** All models that a worker loads for the voice. */
export function modelsOf({ model, conversion }: Loadable): ModelFiles[] {
  return [model, conversion?.model].filter((one) => one !== undefined)
}

export function modelKey({ directory, graph, version }: ModelFiles): string {
  return `${directory}/${graph} ${version}`
}
