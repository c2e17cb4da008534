/**
 * The statistics of a voice for adaptation: a few hundred numbers that hold no speech. The speaking rate is not among
 * them: the syllable rates of the two halves of nine recordings did not correlate (−0.2).
 */
import { harmonicityDb } from '../../audio/analysis/harmonicity'
import { trackPitch, type PitchRange, type PitchTrack } from '../../audio/analysis/pitch'
import { longTermSpectrum, meanLevelDb, type BandLevels, type LongTermSpectrum } from '../../audio/analysis/spectrum'
import { percentile } from '../../audio/analysis/percentile'
import { envelopeSampleRate, envelopeStatistics, type EnvelopeStatistics } from '../../audio/analysis/tract'
import type { Pcm } from '../../audio/pcm'
import { resample } from '../../audio/resample'

/** Long-term levels at `bandsHz` in dB, both relative to the mean level of voiced sound in 200…4000 Hz. */
export type VoiceColor = { readonly voicedDb: readonly number[]; readonly unvoicedDb: readonly number[] }

export type VoiceStatistics = VoiceColor & {
  /** Median fundamental frequency, Hz; 0 without voiced sound. */
  readonly pitchHz: number
  /** Half the distance between the 16th and 84th percentile of the pitch. */
  readonly pitchSpreadSemitones: number
  /** Median harmonics-to-noise ratio of voiced frames. */
  readonly harmonicityDb: number
  /** Duration of the sound behind `unvoicedDb`. */
  readonly unvoicedSeconds: number
  readonly envelope: EnvelopeStatistics
}

const widestRange = { minHz: 60, maxHz: 500, stepSeconds: 0.01 }
/** A second pitch track in the speaker's own range removes most octave errors. */
const voicedFramesForRange = 10
const roughStepSeconds = 0.02
const ownRange = { quartileLow: 0.7, quartileHigh: 1.6, minHz: 50, maxHz: 600 }
const peakLevel = 0.7

/** Measures the voice in `pcm`, at any sample rate and level. Samples that are not finite count as zero. */
export function measureVoice(pcm: Pcm): VoiceStatistics {
  const speech = prepared(pcm)
  const pitch = trackOwnPitch(speech)
  const voiced = pitch.hz.filter((hz) => hz > 0)
  const semitones = voiced.map((hz) => 12 * Math.log2(hz))
  const spectrum = longTermSpectrum(speech, pitch)
  const envelope = envelopeStatistics(speech, pitch)
  return {
    pitchHz: round(percentile(voiced, 0.5), 2),
    pitchSpreadSemitones: round((percentile(semitones, 0.84) - percentile(semitones, 0.16)) / 2, 2),
    harmonicityDb: round(harmonicityDb(pitch), 2),
    ...colorOf(spectrum),
    unvoicedSeconds: round(spectrum.unvoiced.seconds, 2),
    envelope: { mean: rounded(envelope.mean, 2), spread: rounded(envelope.spread, 2) },
  }
}

/** Measures only the spectrum of a voice with known median pitch, in half the time. */
export function measureColor(pcm: Pcm, pitchHz: number): VoiceColor {
  const speech = prepared(pcm)
  return colorOf(longTermSpectrum(speech, trackPitch(speech, rangeAround(pitchHz, pitchHz))))
}

function colorOf({ all, voiced, unvoiced }: LongTermSpectrum): VoiceColor {
  const loud = voiced.seconds > 0 ? voiced : all
  const level = meanLevelDb(loud.db)
  const relative = ({ db }: BandLevels) =>
    rounded(
      db.map((value) => value - level),
      1,
    )
  return { voicedDb: relative(loud), unvoicedDb: relative(unvoiced.seconds > 0 ? unvoiced : loud) }
}

function prepared(pcm: Pcm): Pcm {
  return leveled(resample({ ...pcm, samples: finite(pcm.samples) }, envelopeSampleRate))
}

function trackOwnPitch(speech: Pcm): PitchTrack {
  const rough = trackPitch(speech, { ...widestRange, stepSeconds: roughStepSeconds })
  const voiced = rough.hz.filter((hz) => hz > 0)
  if (voiced.length <= voicedFramesForRange) return trackPitch(speech, widestRange)
  return trackPitch(speech, rangeAround(percentile(voiced, 0.25), percentile(voiced, 0.75)))
}

function rangeAround(lowHz: number, highHz: number): PitchRange {
  if (highHz === 0) return widestRange
  return {
    ...widestRange,
    minHz: Math.max(ownRange.minHz, lowHz * ownRange.quartileLow),
    maxHz: Math.min(ownRange.maxHz, highHz * ownRange.quartileHigh),
  }
}

function finite(samples: Float32Array): Float32Array {
  return samples.map((value) => (Number.isFinite(value) ? value : 0))
}

/** Removes the DC offset and normalizes the peak. */
function leveled({ samples, sampleRate }: Pcm): Pcm {
  const mean = samples.reduce((sum, value) => sum + value, 0) / Math.max(1, samples.length)
  const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value - mean)), 0)
  if (peak === 0) return { samples: new Float32Array(samples.length), sampleRate }
  return { samples: samples.map((value) => ((value - mean) * peakLevel) / peak), sampleRate }
}

function rounded(values: Iterable<number>, digits: number): number[] {
  return Array.from(values, (value) => round(value, digits))
}

export function round(value: number, digits: number): number {
  // Adding 0 turns −0 into 0, because JSON does not preserve −0.
  return Math.round(value * 10 ** digits) / 10 ** digits + 0
}
