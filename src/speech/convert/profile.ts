/** What is kept of a recording for a converted voice: its tone, and whose tone converter that is. */

/** Small JSON that holds no audio; the same recording and converter give the same bytes. */
export type ConvertedProfile = {
  readonly version: 2
  readonly method: 'converted'
  /** Fingerprint of the converter: to any other one the tone means something else. */
  readonly converter: string
  /** Of the voice in the recording; 0 when nothing was voiced. */
  readonly target: { readonly pitchHz: number }
  /** 256 numbers. */
  readonly tone: readonly number[]
  /** Fingerprint of the base voice's model, where it has one: another model would be another voice. */
  readonly baseModel?: string
}

/** As many digits as a 32-bit float has. */
const digits = 7

export function toTone(values: Float32Array): number[] {
  return Array.from(values, (value) => Number(value.toPrecision(digits)))
}
