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

/** One after the other. Throws `RangeError` on none, or on different sample rates. */
export function concatenate(parts: readonly Pcm[]): Pcm {
  const sampleRate = parts[0]?.sampleRate
  if (sampleRate === undefined || parts.some((part) => part.sampleRate !== sampleRate))
    throw new RangeError(`Sounds at ${parts.map((part) => part.sampleRate).join(', ') || 'no rate'} do not join.`)
  const samples = new Float32Array(parts.reduce((sum, part) => sum + part.samples.length, 0))
  let at = 0
  for (const part of parts) {
    samples.set(part.samples, at)
    at += part.samples.length
  }
  return { samples, sampleRate }
}
