/** What a speech engine is to the pipeline, and how each one is loaded. An engine lives in a worker process. */
import type { Pcm } from '../audio/pcm'
import type { Adaptation } from './adapt/adapt'
import { baseLanguage } from './language'
import type { Runtime } from './onnx/runtime'

/** Those that are built in. */
export type EngineName = 'flite' | 'espeak'
/** Those that speak with models that an operator installs. */
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

/** Where a word is in the sound of its utterance. */
export type TimedWord = { readonly text: string; readonly startSeconds: number; readonly endSeconds: number }

export type Speech = Pcm & {
  /** What the engine did of the speed it was asked for; 1 where it says nothing. The pipeline does the rest. */
  readonly speed?: number
  /** Where the engine can tell. */
  readonly words?: readonly TimedWord[]
}

/** Nothing in the text has a sound in this voice. The engine is as good as before. */
export class NothingToSay extends Error {
  override readonly name = 'NothingToSay'
  constructor() {
    super('the text has nothing that this voice can say')
  }
}

/** The sound is none, or its length is absurd. Whether the engine or the text is the cause shows on another text. */
export class NoSpeech extends Error {
  override readonly name = 'NoSpeech'
}

export interface SpeechEngine {
  /**
   * Speaks one utterance whose text is already a normalized reading. Same voice, text and speed, same samples, whatever
   * was spoken before. Throws `NothingToSay`, and on any failure of the engine.
   */
  synthesize(voice: VoiceSpec, text: string, options?: { readonly speed: number }): Promise<Speech>
  /** The same for several texts in one run, where the graph allows that. */
  synthesizeBatch?(voice: VoiceSpec, texts: readonly string[], options: { readonly speed: number }): Promise<Speech[]>
}

/**
 * The longest utterance an engine is given at once, in characters. Longer calls speak no faster per character, their
 * memory grows with the length, and short ones keep the queue fair.
 */
export const utteranceCharactersMax = 300

/**
 * As `utteranceCharactersMax`, where the speech is converted after: about 15 seconds of sound, of which the converter
 * makes most of the work. Of a language that is written in syllables or words, fewer.
 */
export function convertedCharactersMax(language: string): number {
  return ['zh', 'cmn', 'yue', 'ja', 'ko'].includes(baseLanguage(language)) ? 60 : 160
}

/** Loads a built-in engine; each worker process does so at most once per engine. */
export async function loadEngine(name: EngineName): Promise<SpeechEngine> {
  switch (name) {
    case 'flite':
      return (await import('./engines/flite')).loadFlite()
    case 'espeak':
      return (await import('./engines/espeak')).loadEspeak()
  }
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

/**
 * Loads what speaks with `voice`: for a neural voice its model. Throws when its files are not those any more that the
 * voice was found in: they would speak with another one.
 */
export async function loadEngineOf(voice: Loadable, runtime: () => Promise<Runtime>): Promise<SpeechEngine> {
  const engine = await load(voice, runtime)
  if (voice.model) await (await import('./models/snapshot')).requireUnchanged(voice.model)
  return engine
}

async function load(voice: Loadable, runtime: () => Promise<Runtime>): Promise<SpeechEngine> {
  switch (voice.engine) {
    case 'flite':
    case 'espeak':
      return loadEngine(voice.engine)
    case 'piper':
      return (await import('./engines/piper')).loadPiper(modelOf(voice), await runtime())
    case 'kokoro':
      return (await import('./engines/kokoro')).loadKokoro(modelOf(voice), await runtime())
    case 'kitten':
      return (await import('./engines/kitten')).loadKitten(modelOf(voice), await runtime())
    case 'vits':
      return (await import('./engines/vits')).loadVits(modelOf(voice), await runtime())
  }
}

function modelOf({ engine, model }: Loadable): ModelFiles {
  if (!model) throw new Error(`a voice of ${engine} has no model`)
  return model
}
