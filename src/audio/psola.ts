/**
 * Changes the pitch and the vocal tract of recorded speech: time-domain pitch-synchronous overlap-add (Moulines &
 * Charpentier, "Pitch-synchronous waveform processing techniques for text-to-speech synthesis using diphones", Speech
 * Communication 9, 1990). The sound is cut into pieces of two periods. Closer pieces give a higher pitch with the same
 * resonances. Faster pieces give higher resonances with the same pitch. The duration stays.
 */
import { findPitchMarks } from './analysis/marks'
import type { PitchTrack } from './analysis/pitch'
import type { Pcm } from './pcm'

export type VoiceShift = {
  /** Maps a fundamental frequency to the new one, both Hz. */
  readonly pitchHz: (hz: number) => number
  /** Factor on all resonances; above 1 for a shorter vocal tract. */
  readonly tractRatio: number
}

const pitchHzMin = 40
const pitchHzMax = 700
/** Smallest distance between pieces. */
const stepSecondsMin = 0.0008
/** Longest reach of a piece from its mark. */
const reachSecondsMax = 0.025

/** Changes the voice of `pcm`, whose pitch is `pitch`. Returns as many samples, about as loud. */
export function shiftVoice(pcm: Pcm, pitch: PitchTrack, { pitchHz, tractRatio }: VoiceShift): Pcm {
  const { samples, sampleRate } = pcm
  const out = new Float32Array(samples.length)
  const marks = findPitchMarks(pcm, pitch)
  const count = marks.position.length
  if (count === 0) return { samples: out, sampleRate }
  const addPiece = pieceAdder(samples, out, tractRatio)
  const reachMax = reachSecondsMax * sampleRate
  const stepMin = stepSecondsMin * sampleRate

  /** The distance from mark `k` to the next, or one period without a next mark. */
  const gapAfter = (k: number) => {
    if (k + 1 < count) return Math.min(reachMax, marks.position[k + 1]! - marks.position[k]!)
    return Math.min(reachMax, marks.hz[k]! > 0 ? sampleRate / marks.hz[k]! : samples.length - marks.position[k]!)
  }
  for (let at = marks.position[0]!, k = 0; at < samples.length;) {
    while (k + 1 < count && Math.abs(marks.position[k + 1]! - at) <= Math.abs(marks.position[k]! - at)) k++
    const hz = marks.hz[k]!
    const ratio = hz > 0 ? hz / clampPitch(pitchHz(hz)) : 1
    const before = k > 0 ? gapAfter(k - 1) : marks.position[0]!
    // The gain makes up for fewer or more pieces of the same sound.
    addPiece(at, marks.position[k]!, { before, after: gapAfter(k), voiced: hz > 0, gain: Math.sqrt(ratio) })
    at += Math.max(stepMin, gapAfter(k) * ratio)
  }
  return { samples: out, sampleRate }
}

function clampPitch(hz: number): number {
  return Math.max(pitchHzMin, Math.min(pitchHzMax, hz))
}

type Piece = { before: number; after: number; voiced: boolean; gain: number }

/**
 * Adds the piece of `samples` around one position to `out` around another, under a window that falls to the two
 * neighboring marks. Voiced pieces keep their length in periods and shrink with `tractRatio`. Unvoiced pieces keep
 * their length, so that hiss has no gaps.
 */
function pieceAdder(samples: Float32Array, out: Float32Array, tractRatio: number) {
  const valueAt = interpolator(samples, Math.min(1, 1 / tractRatio))
  return (to: number, from: number, { before, after, voiced, gain }: Piece): void => {
    const shrink = voiced ? tractRatio : 1
    const left = Math.max(1, before / shrink)
    const right = Math.max(1, after / shrink)
    const last = Math.min(out.length - 1, Math.floor(to + right))
    for (let i = Math.max(0, Math.ceil(to - left)); i <= last; i++) {
      const distance = i - to
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (distance < 0 ? left : right))
      out[i]! += gain * window * valueAt(from + distance * tractRatio)
    }
  }
}

const interpolatorTaps = 16
const interpolatorPhases = 256

/** Interpolates by a windowed sinc that passes up to `cutoff` of the Nyquist frequency; zeros lie beyond the ends. */
function interpolator(samples: Float32Array, cutoff: number): (position: number) => number {
  const half = interpolatorTaps / 2
  const kernel = new Float32Array((interpolatorPhases + 1) * interpolatorTaps)
  for (let phase = 0; phase <= interpolatorPhases; phase++) {
    let sum = 0
    for (let tap = 0; tap < interpolatorTaps; tap++) {
      const distance = tap - half + 1 - phase / interpolatorPhases
      const angle = Math.PI * cutoff * distance
      const window = Math.abs(distance) >= half ? 0 : 0.5 + 0.5 * Math.cos((Math.PI * distance) / half)
      const value = (angle === 0 ? 1 : Math.sin(angle) / angle) * window
      kernel[phase * interpolatorTaps + tap] = value
      sum += value
    }
    for (let tap = 0; tap < interpolatorTaps; tap++) kernel[phase * interpolatorTaps + tap]! /= sum
  }
  const padded = new Float32Array(samples.length + 2 * interpolatorTaps)
  padded.set(samples, interpolatorTaps)
  return (position) => {
    const whole = Math.floor(position)
    const start = whole - half + 1 + interpolatorTaps
    if (start < 0 || start + interpolatorTaps > padded.length) return 0
    const row = Math.round((position - whole) * interpolatorPhases) * interpolatorTaps
    let sum = 0
    for (let tap = 0; tap < interpolatorTaps; tap++) sum += padded[start + tap]! * kernel[row + tap]!
    return sum
  }
}
