/** A voice as engines and workers see it: plain data that is sent between processes and stored. */

/** The built-in engines. */
export type EngineName = 'flite' | 'espeak'
/** The engines that speak with models that an operator installs. */
export type NeuralEngineName = 'piper' | 'kokoro' | 'kitten' | 'vits'

/** A voice as the engines see it. */
export type VoiceSpec = {
  readonly id: string
  readonly engine: EngineName | NeuralEngineName
  /** BCP 47. */
  readonly language: string
  /** Of the engine's output for this voice, Hz. */
  readonly sampleRate: number
  /** The engine's own parameters; each engine checks those it knows. */
  readonly settings: VoiceSettings
  /** What is done to the engine's output to make another voice of it. */
  readonly adaptation?: Adaptation
  /** What a neural engine speaks with. */
  readonly model?: ModelFiles
  /** Whether several texts may be spoken in one run. */
  readonly batches?: boolean
  /** What gives all of that the tone of another voice, last. */
  readonly conversion?: Conversion
}

/** The voice that a tone converter makes of another one. Plain data, as all of a voice. */
export type Conversion = {
  /** The converter. */
  readonly model: ModelFiles
  /** The tone to be had, 256 numbers. The tone that is left the worker takes from what the voice says without. */
  readonly to: readonly number[]
}

export type VoiceSettings = {
  /** The engine's name of the voice: Flite `rms`; eSpeak NG `cmn+f3` (language, then variant); a style or speaker. */
  readonly voice: string
  /** Which one of a model with several speakers. */
  readonly speaker?: number
  /** Flite: mean of the fundamental frequency; `rms` ignores it. */
  readonly pitchHz?: number
  /** eSpeak NG: 0 to 99, 50 is the variant's own. */
  readonly pitch?: number
  /** eSpeak NG: how far the melody moves, 0 (flat) to 99. */
  readonly pitchRange?: number
  /** eSpeak NG: 80 to 450. */
  readonly wordsPerMinute?: number
}

/** An installed model, as the worker that loads it needs to know it. */
export type ModelFiles = {
  /** Of the pack, absolute. */
  readonly directory: string
  /** Name of the graph's file in the directory. */
  readonly graph: string
  /** Changes whenever a file of the pack does. */
  readonly version: string
  /** Of the graph's content: by it a clone knows the voice that it was made of. */
  readonly fingerprint?: string
  /** What a process is expected to need for it, beyond what every worker needs. */
  readonly memoryBytes: number
}

/** The change from one base voice to the clone. Plain data: it is stored and sent to workers. */
export type Adaptation = {
  readonly pitch: {
    /** Median pitch of the base voice and of the clone, Hz; 0 leaves the pitch unchanged. */
    readonly fromHz: number
    readonly toHz: number
    /** Factor on the melody's range, on a logarithmic axis. */
    readonly spread: number
  }
  /** Factor on all resonances; above 1 for a shorter vocal tract. */
  readonly tractRatio: number
  /** Gains in dB at `bandsHz` (`audio/analysis/spectrum.ts`). */
  readonly voicedDb: readonly number[]
  readonly unvoicedDb: readonly number[]
  readonly harmonicityDb: number | null
}

/** As much of a voice as says what a worker has to load for it. */
export type Loadable = Pick<VoiceSpec, 'engine' | 'model'> & { readonly conversion?: Pick<Conversion, 'model'> }

/** Names what a worker keeps loaded to speak with that voice: its engine, its model, and its tone converter. */
export function engineKey({ engine, model, conversion }: Loadable): string {
  const speaking = model ? `${engine} ${modelKey(model)}` : engine
  return conversion ? `${speaking} + ${modelKey(conversion.model)}` : speaking
}

/** Every model that has to be loaded for it. */
export function modelsOf({ model, conversion }: Loadable): ModelFiles[] {
  return [model, conversion?.model].filter((one) => one !== undefined)
}

export function modelKey({ directory, graph, version }: ModelFiles): string {
  return `${directory}/${graph} ${version}`
}
