/**
 * Signs of more than one speaker, from periodicity alone: two simultaneous pitches, or a low and a high voice in turn.
 * Alternating voices of similar pitch are not told apart.
 */
import type { Pcm } from '../pcm'
import { percentile } from '../analysis/percentile'

const stepSeconds = 0.02
const frameSeconds = 0.04
const lowestHz = 73
const highestHz = 400
/** Ignores frames more than 20 dB below the loud ones. */
const quietPower = 0.01
/** Lowest normalized autocorrelation of a voiced frame. */
const pitchLikenessMin = 0.4
/** Multiples of the period correlate as well; the shortest lag above this share of the maximum is the period. */
const shorterPeriodShare = 0.9
/** The residual without the first voice counts as a second voice from this share of the power and this correlation. */
const restShareMin = 0.15
const restLikenessMin = 0.65
/** Periods at these multiples of the first voice's, within 8 %, belong to the first voice. */
const ownPeriods = [1 / 3, 1 / 2, 2 / 3, 1, 4 / 3, 3 / 2, 2, 3]
const ownPeriodTolerance = 0.08

export type VoiceSigns = {
  /** The share (0…1) of the loud frames with a second simultaneous pitch. */
  readonly overlapShare: number
  /** Distance between the centers of the lower and the higher half-second windows, in semitones. */
  readonly pitchGapSemitones: number
  /** Voiced speech in the smaller of the two groups. */
  readonly smallerGroupSeconds: number
}

/** `pcm`: about 8 kHz. */
export function measureVoices({ samples, sampleRate }: Pcm): VoiceSigns {
  const step = Math.round(stepSeconds * sampleRate)
  const compare = comparer(samples, sampleRate)
  const count = Math.max(0, Math.floor((samples.length - compare.reach) / step))
  const powers = Float64Array.from({ length: count }, (_, frame) => compare.powerAt(frame * step))
  const threshold = percentile(powers, 0.95) * quietPower
  const semitones = new Float64Array(count).fill(NaN)
  const hasSecond = new Array<boolean>(count).fill(false)
  let loud = 0
  for (let frame = 0; frame < count; frame++) {
    if (powers[frame]! <= threshold) continue
    loud++
    const period = compare.periodAt(frame * step)
    if (period === 0) continue
    semitones[frame] = 12 * Math.log2(sampleRate / period)
    hasSecond[frame] = compare.hasSecondVoice(frame * step, period)
  }
  // A single frame is one voice that changes quickly; a second voice lasts.
  const overlapping = hasSecond.filter((has, frame) => has && (hasSecond[frame - 1] || hasSecond[frame + 1]))
  return { overlapShare: overlapping.length / Math.max(1, loud), ...splitByPitch(semitones) }
}

/** Analyzes frames of `samples` by their normalized autocorrelation. */
function comparer(samples: Float32Array, sampleRate: number) {
  const length = Math.round(frameSeconds * sampleRate)
  const lagMin = Math.floor(sampleRate / highestHz)
  const lagMax = Math.ceil(sampleRate / lowestHz)
  const rest = new Float32Array(length + lagMax)
  const likeness = new Float64Array(lagMax + 1)

  /** Fills `likeness` for the frame of `signal` at `start`. Returns the maximum. */
  const compareAll = (signal: Float32Array, start: number): number => {
    let here = 1e-12
    let there = 1e-12
    for (let i = start; i < start + length; i++) here += signal[i]! * signal[i]!
    for (let i = start + lagMin; i < start + lagMin + length; i++) there += signal[i]! * signal[i]!
    let most = 0
    for (let lag = lagMin; lag <= lagMax; lag++) {
      let product = 0
      for (let i = start; i < start + length; i++) product += signal[i]! * signal[i + lag]!
      likeness[lag] = product / Math.sqrt(here * there)
      if (likeness[lag]! > most) most = likeness[lag]!
      there += signal[start + lag + length]! ** 2 - signal[start + lag]! ** 2
      if (there < 1e-12) there = 1e-12
    }
    return most
  }

  return {
    /** Samples from a frame's start that all comparisons need. */
    reach: length + 2 * lagMax + 1,
    powerAt: (start: number) => samples.subarray(start, start + length).reduce((sum, value) => sum + value * value, 0),
    /** The period in samples; 0 in an unvoiced frame. */
    periodAt(start: number): number {
      const most = compareAll(samples, start)
      if (most < pitchLikenessMin) return 0
      for (let lag = lagMin + 1; lag < lagMax; lag++) {
        const here = likeness[lag]!
        if (here > shorterPeriodShare * most && here >= likeness[lag - 1]! && here >= likeness[lag + 1]!) return lag
      }
      return 0
    },
    /** Whether another voice remains after subtracting everything that repeats after `period`. */
    hasSecondVoice(start: number, period: number): boolean {
      let restPower = 0
      let power = 1e-12
      for (let i = 0; i < rest.length; i++) {
        const [here, there] = [samples[start + i]!, samples[start + i + period]!]
        rest[i] = there - here
        restPower += rest[i]! ** 2
        power += here * here + there * there
      }
      if (restPower < restShareMin * power) return false
      compareAll(rest, 0)
      for (let lag = lagMin; lag <= lagMax; lag++) {
        const isOwn = ownPeriods.some((multiple) => Math.abs(lag / (period * multiple) - 1) < ownPeriodTolerance)
        if (!isOwn && likeness[lag]! > restLikenessMin) return true
      }
      return false
    },
  }
}

const windowFrames = 25
const windowVoicedFramesMin = 6

/** Clusters half-second windows by their median pitch into two groups, each nearer to its own center. */
function splitByPitch(semitones: Float64Array): Omit<VoiceSigns, 'overlapShare'> {
  const windows: { pitch: number; seconds: number }[] = []
  for (let start = 0; start < semitones.length; start += windowFrames) {
    const voiced = semitones.subarray(start, start + windowFrames).filter((value) => !Number.isNaN(value))
    if (voiced.length < windowVoicedFramesMin) continue
    windows.push({ pitch: percentile(voiced, 0.5), seconds: voiced.length * stepSeconds })
  }
  const pitches = windows.map(({ pitch }) => pitch)
  let [low, high] = [Math.min(...pitches), Math.max(...pitches)]
  let groups = [windows, windows]
  for (let round = 0; round < 20 && low < high; round++) {
    const middle = (low + high) / 2
    groups = [windows.filter(({ pitch }) => pitch <= middle), windows.filter(({ pitch }) => pitch > middle)]
    ;[low, high] = groups.map((group) => group.reduce((sum, { pitch }) => sum + pitch, 0) / group.length) as [
      number,
      number,
    ]
  }
  if (!(low < high)) return { pitchGapSemitones: 0, smallerGroupSeconds: 0 }
  const seconds = groups.map((group) => group.reduce((sum, { seconds }) => sum + seconds, 0))
  return { pitchGapSemitones: high - low, smallerGroupSeconds: Math.min(...seconds) }
}
