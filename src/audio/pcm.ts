/** The one type that sound has between the rooms, and its conversions. */

/** Mono PCM. `samples.length` is the number of frames; values −1…1; `sampleRate` in Hz. */
export type Pcm = { readonly samples: Float32Array; readonly sampleRate: number }

/** Full scale −1…1 to signed 16 bit, rounded and clamped. */
export function toInt16(samples: Float32Array): Int16Array {
  const out = new Int16Array(samples.length)
  for (let i = 0; i < samples.length; i++) {
    const value = Math.round(samples[i]! * 32767)
    out[i] = value > 32767 ? 32767 : value < -32768 ? -32768 : value
  }
  return out
}

/** Signed 16 bit to −1…1; the inverse of `toInt16`. */
export function fromInt16(samples: Int16Array): Float32Array {
  const out = new Float32Array(samples.length)
  for (let i = 0; i < samples.length; i++) out[i] = samples[i]! / 32767
  return out
}

export function durationSeconds(pcm: Pcm): number {
  return pcm.samples.length / pcm.sampleRate
}
