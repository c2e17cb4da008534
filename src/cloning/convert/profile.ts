/** The stored profile of a converted voice: its speaker embedding and the fingerprint of its tone converter. */

/** Small JSON without audio. The same recording and converter give the same bytes. */
export type ConvertedProfile = {
  readonly version: 2
  readonly method: 'converted'
  /** Fingerprint of the converter; the embedding is valid only for it. */
  readonly converter: string
  /** Median pitch of the recorded voice; 0 without voiced sound. */
  readonly target: { readonly pitchHz: number }
  /** The speaker embedding, 256 numbers. */
  readonly tone: readonly number[]
  /** Fingerprint of the base voice's model, if it has one: another model would be another voice. */
  readonly baseModel?: string
}

/** The precision of a 32-bit float. */
const digits = 7

/** Rounds a speaker embedding for the profile. */
export function toProfileNumbers(values: Float32Array): number[] {
  return Array.from(values, (value) => Number(value.toPrecision(digits)))
}
