/**
 * Signs of more than one speaker, from periodicity alone: two pitches at one time, or a low and a high voice in turn.
 * Voices of like pitch that take turns are not told apart.
 */
import type { Pcm } from '../pcm'
import { percentile } from './percentile'

const stepSeconds = 0.02
const frameSeconds = 0.04
const lowestHz = 73
const highestHz = 400
/** Frames more than 20 dB below the loud ones are not looked at. */
const quietPower = 0.01
/** From this likeness of a frame to itself one period later it has a pitch. */
const pitchLikenessMin = 0.4
/** Twice the period is as good; the shortest that is nearly so is taken. */
const shorterPeriodShare = 0.9
/** What is left when the first voice is taken away must be so much of the power, and a voice itself. */
const restShareMin = 0.15
const restLikenessMin = 0.65
/** Periods that are these multiples of the first voice's, within 8 %, are its own. */
const ownPeriods = [1 / 3, 1 / 2, 2 / 3, 1, 4 / 3, 3 / 2, 2, 3]
const ownPeriodTolerance = 0.08

export type VoiceSigns = {
  /** The share (0…1) of the loud frames in which a second pitch sounds beside the first. */
  readonly overlapShare: number
  /** Between the middles of the lower and the higher half seconds, in semitones. */
  readonly pitchGapSemitones: number
  /** How much voiced speech the smaller of the two groups holds. */
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
  // One frame alone is where one voice changes quickly; a second voice lasts.
  const overlapping = hasSecond.filter((has, frame) => has && (hasSecond[frame - 1] || hasSecond[frame + 1]))
  return { overlapShare: overlapping.length / Math.max(1, loud), ...splitByPitch(semitones) }
}

/** Looks at frames of `samples` by their likeness to themselves some lag later. */
function comparer(samples: Float32Array, sampleRate: number) {
  const length = Math.round(frameSeconds * sampleRate)
  const lagMin = Math.floor(sampleRate / highestHz)
  const lagMax = Math.ceil(sampleRate / lowestHz)
  const rest = new Float32Array(length + lagMax)
  const likeness = new Float64Array(lagMax + 1)

  /** Fills `likeness` for the frame of `signal` at `start`; returns the most. */
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
    /** Samples that a frame and all its comparisons need, from its start. */
    reach: length + 2 * lagMax + 1,
    powerAt: (start: number) => samples.subarray(start, start + length).reduce((sum, value) => sum + value * value, 0),
    /** In samples; 0 where there is none. */
    periodAt(start: number): number {
      const most = compareAll(samples, start)
      if (most < pitchLikenessMin) return 0
      for (let lag = lagMin + 1; lag < lagMax; lag++) {
        const here = likeness[lag]!
        if (here > shorterPeriodShare * most && here >= likeness[lag - 1]! && here >= likeness[lag + 1]!) return lag
      }
      return 0
    },
    /** Whether a voice is left when all that repeats after `period` is taken away. */
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

/** Sorts half seconds by their median pitch into two groups, each nearer to its own middle than to the other's. */
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
