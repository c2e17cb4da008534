/** Cuts the silence before and after speech, so that only the pipeline sets pauses. */
import { fadeIn, fadeOut } from './fade'
import type { Pcm } from './pcm'

const frameSeconds = 0.01
/** A frame is silent below either of these: relative to the loudest frame, or to full scale. */
const relativeDb = -45
const absoluteDbfs = -70
const keepBeforeSeconds = 0.01
/** More than before the speech: sounds end more slowly than they begin. */
const keepAfterSeconds = 0.025
const fadeSeconds = 0.005

/** `startSeconds`: length of the silence cut off at the start. */
export type Trimmed = Pcm & { readonly startSeconds: number }

/** Returns the speech with about 10 ms before and 25 ms after it, faded at both ends. Silence gives an empty `Pcm`. */
export function trimSilence(pcm: Pcm): Trimmed {
  const { samples, sampleRate } = pcm
  const frameSamples = Math.max(1, Math.round(frameSeconds * sampleRate))
  const power = framePower(samples, frameSamples)
  const loudest = power.reduce((most, value) => Math.max(most, value), 0)
  const threshold = Math.max(loudest * 10 ** (relativeDb / 10), 10 ** (absoluteDbfs / 10))
  const first = power.findIndex((value) => value >= threshold)
  if (first < 0) return { samples: new Float32Array(0), sampleRate, startSeconds: 0 }
  const last = power.findLastIndex((value) => value >= threshold)

  const start = Math.max(0, first * frameSamples - Math.round(keepBeforeSeconds * sampleRate))
  const end = Math.min(samples.length, (last + 1) * frameSamples + Math.round(keepAfterSeconds * sampleRate))
  const kept = samples.slice(start, end)
  const fadeSamples = Math.min(Math.ceil(fadeSeconds * sampleRate), Math.ceil(kept.length / 2))
  fadeIn(kept, fadeSamples)
  fadeOut(kept, fadeSamples)
  return { samples: kept, sampleRate, startSeconds: start / sampleRate }
}

/** Mean square per frame about the frame's own mean, so that a constant offset counts as silence. */
function framePower(samples: Float32Array, frameSamples: number): Float64Array {
  const power = new Float64Array(Math.ceil(samples.length / frameSamples))
  for (let frame = 0; frame < power.length; frame++) {
    const start = frame * frameSamples
    const end = Math.min(samples.length, start + frameSamples)
    let sum = 0
    let squares = 0
    for (let i = start; i < end; i++) {
      const value = samples[i]!
      sum += value
      squares += value * value
    }
    const mean = sum / (end - start)
    power[frame] = Math.max(0, squares / (end - start) - mean * mean)
  }
  return power
}
