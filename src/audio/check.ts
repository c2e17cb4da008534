/**
 * What can be wrong with synthesized speech, found before it counts as made. The bounds are wide: they catch an engine
 * that failed without saying so, not one that speaks badly.
 */
import { durationSeconds, type Pcm } from './pcm'

const letterSecondsMin = 0.012
const latinLetterSecondsMax = 0.4
/** One Han character, kana or hangul block is a syllable, and a number or a sign may be several. */
const syllableSecondsMax = 1
const syllabicLanguages = new Set(['zh', 'cmn', 'yue', 'ja', 'ko'])
/** A letter of a script that nobody reads is named: "Tibetan letter so and so". BCP 47 says `und` of its language. */
const namedLetterSecondsMax = 4
/** The name of a sign or an emoji, or a digit that is read as a long word. */
const symbolSecondsMax = 3
/** Pauses around and inside, whatever the letters. */
const slackSeconds = 2
const peakDbfsMin = -50
const rmsDbfsMin = -65
/** Samples that stand still at full scale are clipped; this many in a row are heard as a crack. */
const clippedValue = 0.98
const clippedRunSeconds = 0.002
/** Shorter runs are let pass up to this share of all samples. */
const clippedShareMax = 0.02

export type Expected = {
  /** Letters and digits in the text spoken; with none, silence is right. */
  readonly letters: number
  /** Signs that may be spoken as words, or not at all. */
  readonly symbols?: number
  /** BCP 47, for the length of a letter. */
  readonly language: string
  /** How much faster than usual it was spoken; 1 by default. */
  readonly speed?: number
}

/** What is wrong with `pcm` as speech of so many letters, for a log line; null when nothing is. */
export function findFault(pcm: Pcm, { letters, symbols = 0, language, speed = 1 }: Expected): string | null {
  const { samples, sampleRate } = pcm
  if (samples.length === 0) return letters > 0 ? `no samples for ${letters} letters` : null

  const { finite, peak, rms, clipped, longestRun } = measure(samples)
  if (!finite) return 'samples that are not finite'
  if (letters > 0 && (toDb(peak) < peakDbfsMin || toDb(rms) < rmsDbfsMin)) {
    return `silence for ${letters} letters: peak ${toDb(peak).toFixed(1)} dBFS, RMS ${toDb(rms).toFixed(1)} dBFS`
  }

  const seconds = durationSeconds(pcm) * speed
  const secondsMax = letters * letterSecondsMax(language) + symbols * symbolSecondsMax + slackSeconds
  if (seconds < letters * letterSecondsMin) return `${seconds.toFixed(3)} s are too short for ${letters} letters`
  if (seconds > secondsMax) return `${seconds.toFixed(3)} s are too long for ${letters} letters`

  if (longestRun > clippedRunSeconds * sampleRate) return `clipped for ${longestRun} samples in a row`
  const share = clipped / samples.length
  if (share > clippedShareMax) return `${(share * 100).toFixed(1)} % of the samples clipped`
  return null
}

function letterSecondsMax(language: string): number {
  const base = language.split('-')[0]!.toLowerCase()
  if (base === 'und') return namedLetterSecondsMax
  return syllabicLanguages.has(base) ? syllableSecondsMax : latinLetterSecondsMax
}

function measure(samples: Float32Array) {
  let peak = 0
  let squares = 0
  let clipped = 0
  let run = 0
  let longestRun = 0
  let previous = 0
  for (const value of samples) {
    const magnitude = Math.abs(value)
    if (magnitude > peak) peak = magnitude
    squares += value * value
    run = magnitude >= clippedValue && value === previous ? run + 1 : 0
    if (run > 0) clipped++
    if (run > longestRun) longestRun = run
    previous = value
  }
  return { finite: Number.isFinite(squares), peak, rms: Math.sqrt(squares / samples.length), clipped, longestRun }
}

function toDb(amplitude: number): number {
  return 20 * Math.log10(amplitude)
}
