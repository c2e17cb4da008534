/**
 * Finds faults of synthesized speech before it is delivered. The bounds are wide: they catch an engine that failed
 * silently, not one that speaks badly.
 */
import { baseLanguage, isSyllabic } from '../language'
import { durationSeconds, type Pcm } from './pcm'

const letterSecondsMin = 0.012
const latinLetterSecondsMax = 0.4
/** One Han character, kana or hangul block is a syllable. A number or a sign may be several. */
const syllableSecondsMax = 1
/** Engines spell out letters of unknown scripts: "Tibetan letter ka". BCP 47 calls their language `und`. */
const namedLetterSecondsMax = 4
/** The name of a sign or an emoji, or a digit read as a long word. */
const symbolSecondsMax = 3
/** Allowance for pauses around and inside the speech. */
const slackSeconds = 2
const peakDbfsMin = -50
const rmsDbfsMin = -65
/** Consecutive samples at full scale are clipped; a run this long is heard as a crack. */
const clippedValue = 0.98
const clippedRunSeconds = 0.002
/** Shorter runs are accepted up to this share of all samples. */
const clippedShareMax = 0.02

export type Expected = {
  /** Letters and digits in the text. With none, silence is correct. */
  readonly letters: number
  /** Signs that may be read as words, or not at all. */
  readonly symbols?: number
  /** BCP 47 tag; selects the length of a letter. */
  readonly language: string
  /** Relative speaking rate; 1 by default. */
  readonly speed?: number
}

/** Describes the fault of `pcm` as speech of so many letters, for a log line. Returns null without a fault. */
export function findFault(pcm: Pcm, expected: Expected): string | null {
  const { samples, sampleRate } = pcm
  const level = measure(samples)
  const { finite, clipped, longestRun } = level
  if (!finite) return 'some samples are not finite'
  const absence = absenceOf(pcm, level, expected)
  if (absence !== null || samples.length === 0) return absence

  if (longestRun > clippedRunSeconds * sampleRate) return `clipped for ${longestRun} samples in a row`
  const share = clipped / samples.length
  if (share > clippedShareMax) return `${(share * 100).toFixed(1)} % of the samples clipped`
  return null
}

/** Like `findFault`, but only for silence and a wrong duration. Returns null for samples that are not finite. */
export function findAbsence(pcm: Pcm, expected: Expected): string | null {
  const level = measure(pcm.samples)
  return level.finite ? absenceOf(pcm, level, expected) : null
}

function absenceOf(pcm: Pcm, { peak, rms }: Level, { letters, symbols = 0, language, speed = 1 }: Expected) {
  if (pcm.samples.length === 0) return letters > 0 ? `no samples for ${letters} letters` : null
  if (letters > 0 && (toDb(peak) < peakDbfsMin || toDb(rms) < rmsDbfsMin)) {
    return `silence for ${letters} letters: peak ${toDb(peak).toFixed(1)} dBFS, RMS ${toDb(rms).toFixed(1)} dBFS`
  }
  const seconds = durationSeconds(pcm) * speed
  const secondsMax = letters * letterSecondsMax(language) + symbols * symbolSecondsMax + slackSeconds
  if (seconds < letters * letterSecondsMin) return `${seconds.toFixed(3)} s is too short for ${letters} letters`
  if (seconds > secondsMax) return `${seconds.toFixed(3)} s is too long for ${letters} letters`
  return null
}

function letterSecondsMax(language: string): number {
  if (baseLanguage(language) === 'und') return namedLetterSecondsMax
  return isSyllabic(language) ? syllableSecondsMax : latinLetterSecondsMax
}

type Level = ReturnType<typeof measure>

function measure(samples: Float32Array) {
  let peak = 0
  let squares = 0
  let clipped = 0
  let run = 0
  let longestRun = 0
  let previous = 0
  for (let i = 0; i < samples.length; i++) {
    const value = samples[i]!
    const magnitude = Math.abs(value)
    if (magnitude > peak) peak = magnitude
    squares += value * value
    run = magnitude >= clippedValue && value === previous ? run + 1 : 0
    if (run > 0) clipped++
    if (run > longestRun) longestRun = run
    previous = value
  }
  const rms = Math.sqrt(squares / Math.max(1, samples.length))
  return { finite: Number.isFinite(squares), peak, rms, clipped, longestRun }
}

function toDb(amplitude: number): number {
  return 20 * Math.log10(amplitude)
}
