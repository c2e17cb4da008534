/**
 * What can be wrong with synthesized speech, found before it counts as made. The bounds are wide: they catch an engine
 * that failed without saying so, not one that speaks badly.
 */
import { durationSeconds, type Pcm } from './pcm'

const LETTER_SECONDS_MIN = 0.012
const LETTER_SECONDS_MAX = 0.4
/** One Han character, kana or hangul block is a syllable, and a number or a sign may be several. */
const SYLLABLE_SECONDS_MAX = 1
const SYLLABIC_LANGUAGES = new Set(['zh', 'cmn', 'yue', 'ja', 'ko'])
/** A letter of a script that nobody reads is named: "Tibetan letter so and so". BCP 47 says `und` of its language. */
const NAMED_LETTER_SECONDS_MAX = 4
/** The name of a sign or an emoji, or a digit that is read as a long word. */
const SYMBOL_SECONDS_MAX = 3
/** Pauses around and inside, whatever the letters. */
const SLACK_SECONDS = 2
const PEAK_DBFS_MIN = -50
const RMS_DBFS_MIN = -65
/** Samples that stand still at full scale are clipped; this many in a row are heard as a crack. */
const CLIPPED_VALUE = 0.98
const CLIPPED_RUN_SECONDS = 0.002
/** Shorter runs are let pass up to this share of all samples. */
const CLIPPED_SHARE_MAX = 0.02

export type Expected = {
  /** Letters and digits in the text spoken; with none, silence is right. */
  readonly letters: number
  /** Signs that may be spoken as words, or not at all. */
  readonly symbols?: number
  /** BCP 47, for the length of a letter. */
  readonly language: string
}

/** What is wrong with `pcm` as speech of so many letters, for a log line; null when nothing is. */
export function findFault(pcm: Pcm, { letters, symbols = 0, language }: Expected): string | null {
  const { samples, sampleRate } = pcm
  if (samples.length === 0) return letters > 0 ? `no samples for ${letters} letters` : null

  const { finite, peak, rms, clipped, longestRun } = measure(samples)
  if (!finite) return 'samples that are not finite'
  if (letters > 0 && (toDb(peak) < PEAK_DBFS_MIN || toDb(rms) < RMS_DBFS_MIN)) {
    return `silence for ${letters} letters: peak ${toDb(peak).toFixed(1)} dBFS, RMS ${toDb(rms).toFixed(1)} dBFS`
  }

  const seconds = durationSeconds(pcm)
  const secondsMax = letters * letterSecondsMax(language) + symbols * SYMBOL_SECONDS_MAX + SLACK_SECONDS
  if (seconds < letters * LETTER_SECONDS_MIN) return `${seconds.toFixed(3)} s are too short for ${letters} letters`
  if (seconds > secondsMax) return `${seconds.toFixed(3)} s are too long for ${letters} letters`

  if (longestRun > CLIPPED_RUN_SECONDS * sampleRate) return `clipped for ${longestRun} samples in a row`
  const share = clipped / samples.length
  if (share > CLIPPED_SHARE_MAX) return `${(share * 100).toFixed(1)} % of the samples clipped`
  return null
}

function letterSecondsMax(language: string): number {
  const base = language.split('-')[0]!.toLowerCase()
  if (base === 'und') return NAMED_LETTER_SECONDS_MAX
  return SYLLABIC_LANGUAGES.has(base) ? SYLLABLE_SECONDS_MAX : LETTER_SECONDS_MAX
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
    run = magnitude >= CLIPPED_VALUE && value === previous ? run + 1 : 0
    if (run > 0) clipped++
    if (run > longestRun) longestRun = run
    previous = value
  }
  return { finite: Number.isFinite(squares), peak, rms: Math.sqrt(squares / samples.length), clipped, longestRun }
}

function toDb(amplitude: number): number {
  return 20 * Math.log10(amplitude)
}
