/** A model pack: a folder of files that an operator installed, and its contents. Plain data, cached as JSON. */
import type { EngineSettings, Gender, ModelFiles, NeuralEngineName } from '../voice'

/** Purpose of a pack: an engine's voices, or `converter` for converted clones. */
export type PackFamily = NeuralEngineName | 'converter'

/** How a model was trained to be given English: misaki's phonemes or eSpeak NG's. */
export type EnglishPhonemes = 'misaki' | 'espeak'

export type PackVoice = {
  /** Catalogue id: `[a-z0-9][a-z0-9._-]{0,63}`. */
  readonly id: string
  readonly displayName: string
  readonly description: string | null
  /** BCP 47. */
  readonly language: string
  /** null when unknown. */
  readonly gender: Gender | null
  readonly settings: EngineSettings
}

export type Pack = {
  /** Name of the folder. */
  readonly name: string
  readonly family: PackFamily
  readonly model: ModelFiles
  /** Hz. */
  readonly sampleRate: number
  /** Empty for a converter. */
  readonly voices: readonly PackVoice[]
  /** Whether the same request gives the same bytes; false for graphs with random nodes. */
  readonly deterministic: boolean
  /** Whether it returns word times. */
  readonly timesWords: boolean
  /** Whether one run can speak several sentences. */
  readonly batches: boolean
  /** Size of all files. */
  readonly sizeBytes: number
  /** SPDX id or the licence in the model card; null without both. */
  readonly license: string | null
  /** Fingerprint of a converter; see `fingerprintOf`. */
  readonly fingerprint?: string
  /** Undefined for families with one reading only, and without English voices. */
  readonly english?: EnglishPhonemes
  /** Undefined when it was not measured on this machine with these settings. */
  readonly pace?: PackPace
}

/** The machine and the settings that a pace was measured with. */
export type PaceConditions = { readonly machine: string; readonly settings: string }

/** The speed of a model on this machine. */
export type PackPace = {
  /** Seconds of a worker for a second of sound. */
  readonly realTimeFactor: number
  /** Characters of the longest text that is done in time on an idle machine; null for a converter. */
  readonly charactersMax: number | null
}

export type PackReport =
  | { readonly name: string; readonly state: 'ready'; readonly pack: Pack }
  | { readonly name: string; readonly state: 'checking' }
  /** `reason`: one sentence for the operator that names the file. */
  | { readonly name: string; readonly state: 'refused'; readonly reason: string }

/** The fault of a pack, in a sentence for the operator. */
export class BadPack extends Error {
  override readonly name = 'BadPack'
}
