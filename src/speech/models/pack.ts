/** A model pack: a folder of files that an operator installed, and what was found in it. Plain data, cached as JSON. */
import type { ModelFiles, NeuralEngineName, VoiceSettings } from '../engine'

/** What a pack is for: an engine's voices, or `converter` for making clones of what other voices say. */
export type PackFamily = NeuralEngineName | 'converter'

export type PackVoice = {
  /** Of the catalogue: `[a-z0-9][a-z0-9._-]{0,63}`. */
  readonly id: string
  readonly displayName: string
  readonly description: string | null
  /** BCP 47. */
  readonly language: string
  /** null where nobody knows. */
  readonly gender: 'female' | 'male' | null
  readonly settings: VoiceSettings
}

export type Pack = {
  /** Of its folder. */
  readonly name: string
  readonly family: PackFamily
  readonly model: ModelFiles
  /** Hz. */
  readonly sampleRate: number
  /** None, of a converter. */
  readonly voices: readonly PackVoice[]
  /** Whether the same request gives the same bytes; not where randomness is inside the graph. */
  readonly deterministic: boolean
  /** Whether it tells where its words are. */
  readonly timesWords: boolean
  /** Whether several sentences can be spoken in one run. */
  readonly batches: boolean
  /** Of all files. */
  readonly sizeBytes: number
  /** SPDX name or what the model card says; null where neither is there. */
  readonly license: string | null
  /** Of a converter, what it knows a voice by; see `fingerprintOf`. */
  readonly fingerprint?: string
}

export type PackReport =
  | { readonly name: string; readonly state: 'ready'; readonly pack: Pack }
  | { readonly name: string; readonly state: 'checking' }
  /** `reason`: one sentence for the operator, which names the file. */
  | { readonly name: string; readonly state: 'refused'; readonly reason: string }

/** What is wrong with a pack, in a sentence for the operator. */
export class BadPack extends Error {
  override readonly name = 'BadPack'
}
