/** The type of sound in all rooms, and its conversions. */

/** Mono PCM. `samples.length` is the number of frames; values −1…1; `sampleRate` in Hz. */
export type Pcm = { readonly samples: Float32Array; readonly sampleRate: number }

/** Converts −1…1 to signed 16 bit, rounded and clamped. */
export function toInt16(samples: Float32Array): Int16Array {
  const out = new Int16Array(samples.length)
  for (let i = 0; i < samples.length; i++) {
    const value = Math.round(samples[i]! * 32767)
    out[i] = value > 32767 ? 32767 : value < -32768 ? -32768 : value
  }
  return out
}

/** Converts signed 16 bit to −1…1; the inverse of `toInt16`. */
export function fromInt16(samples: Int16Array): Float32Array {
  const out = new Float32Array(samples.length)
  for (let i = 0; i < samples.length; i++) out[i] = samples[i]! / 32767
  return out
}

/** One after the other. */
export function joinChunks(chunks: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(chunks.reduce((frames, { length }) => frames + length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

export function durationSeconds(pcm: Pcm): number {
  return pcm.samples.length / pcm.sampleRate
}

/** Joins sounds. Throws `RangeError` on an empty list and on different sample rates. */
export function concatenate(parts: readonly Pcm[]): Pcm {
  const sampleRate = parts[0]?.sampleRate
  if (sampleRate === undefined || parts.some((part) => part.sampleRate !== sampleRate))
    throw new RangeError(`Sounds at ${parts.map((part) => part.sampleRate).join(', ') || 'no rate'} cannot be joined.`)
  const samples = new Float32Array(parts.reduce((sum, part) => sum + part.samples.length, 0))
  let at = 0
  for (const part of parts) {
    samples.set(part.samples, at)
    at += part.samples.length
  }
  return { samples, sampleRate }
}

/** The mean of each block of `factor` samples: a fast, coarse decimation for analysis. */
export function blockMeans(samples: Float32Array, factor: number): Float32Array {
  const out = new Float32Array(Math.floor(samples.length / factor))
  for (let i = 0; i < out.length; i++) {
    let sum = 0
    for (let k = 0; k < factor; k++) sum += samples[i * factor + k]!
    out[i] = sum / factor
  }
  return out
}
