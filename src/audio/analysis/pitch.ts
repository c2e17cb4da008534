/**
 * The fundamental frequency of speech over time, after Boersma, "Accurate short-term analysis of the fundamental
 * frequency and the harmonics-to-noise ratio of a sampled sound" (IFA Proceedings 17, 1993), as in Praat. The
 * autocorrelation of a windowed frame is divided by that of the window, its highest peaks are candidates, and a Viterbi
 * search picks the cheapest path through them.
 */
import type { Pcm } from '../pcm'
import { powerOfTwoAbove, realFft } from './fft'
import { hannWindow } from './hann'

export type PitchTrack = {
  /** Distance between the middles of two frames. The first frame's middle is the first sample. */
  readonly stepSamples: number
  /** Fundamental frequency of each frame, Hz; 0 in unvoiced frames. */
  readonly hz: Float32Array
  /** Periodicity of each frame, 0 to 1: the periodic share of its power, also in unvoiced frames. */
  readonly strength: Float32Array
}

export type PitchRange = { readonly minHz: number; readonly maxHz: number; readonly stepSeconds: number }

/** Frame length in longest periods. */
const periodsPerFrame = 3
const candidatesMax = 6
/** Boersma's parameters, named as in Praat. */
const voicingThreshold = 0.45
const silenceThreshold = 0.03
const octaveCost = 0.01
const octaveJumpCost = 0.35
const voicedUnvoicedCost = 0.14
/** Lower peaks are not candidates. */
const peakMin = 0.2
/** Skips frames whose peak is below this share of the whole sound's peak. */
const audibleShare = 0.003

/** Tracks the fundamental frequency in `minHz`…`maxHz`. Frames with samples that are not finite are unvoiced. */
export function trackPitch({ samples, sampleRate }: Pcm, range: PitchRange): PitchTrack {
  const stepSamples = Math.max(1, Math.round(range.stepSeconds * sampleRate))
  const frames = Math.floor(samples.length / stepSamples)
  const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0)
  const candidates = new Candidates(frames)
  const strength = new Float32Array(frames)
  const correlate = frameCorrelator({ samples, sampleRate }, range)
  for (let frame = 0; frame < frames; frame++) {
    const { framePeak, lags } = correlate(frame * stepSamples, audibleShare * peak)
    const loudness = peak > 0 ? framePeak / peak : 0
    candidates.open(frame, voicingThreshold + Math.max(0, 2 - (loudness * (1 + voicingThreshold)) / silenceThreshold))
    if (lags) strength[frame] = findCandidates(candidates, frame, lags, sampleRate, range)
  }
  const hz = cheapestPath(candidates, frames, (0.01 * sampleRate) / stepSamples)
  for (let frame = 0; frame < frames; frame++) if (!(hz[frame]! > 0)) hz[frame] = 0
  return { stepSamples, hz, strength }
}

/** Up to six candidates per frame. The first is "unvoiced", the others are voiced, the rest of the row is unused. */
class Candidates {
  readonly hz: Float32Array
  readonly score: Float32Array
  readonly count: Uint8Array
  constructor(frames: number) {
    this.hz = new Float32Array(frames * candidatesMax)
    this.score = new Float32Array(frames * candidatesMax)
    this.count = new Uint8Array(frames)
  }
  open(frame: number, unvoicedScore: number): void {
    this.score[frame * candidatesMax] = unvoicedScore
    this.count[frame] = 1
  }
  /** Adds a candidate; replaces the worst voiced one when the row is full. */
  add(frame: number, hz: number, score: number): void {
    const row = frame * candidatesMax
    let at = this.count[frame]!
    if (at === candidatesMax) {
      at = 1
      for (let k = 2; k < candidatesMax; k++) if (this.score[row + k]! < this.score[row + at]!) at = k
      if (this.score[row + at]! >= score) return
    } else this.count[frame]!++
    this.hz[row + at] = hz
    this.score[row + at] = score
  }
}

/**
 * Returns a function from a frame's middle to its normalized autocorrelation by lag in samples; null for quiet frames.
 */
function frameCorrelator({ samples, sampleRate }: Pcm, { minHz }: PitchRange) {
  const length = Math.round((periodsPerFrame * sampleRate) / minHz)
  const lagMax = Math.ceil(sampleRate / minHz) + 1
  const fft = realFft(powerOfTwoAbove(length + lagMax + 1))
  const re = new Float64Array(fft.size / 2 + 1)
  const im = new Float64Array(fft.size / 2 + 1)
  const correlation = new Float64Array(fft.size)
  const frame = new Float64Array(length)
  const window = hannWindow(length, 0.5)

  function autocorrelate(signal: Float64Array): void {
    fft.forward(signal, re, im)
    for (let k = 0; k < re.length; k++) re[k] = re[k]! ** 2 + im[k]! ** 2
    im.fill(0)
    fft.inverse(re, im, correlation)
  }

  autocorrelate(window)
  const windowCorrelation = correlation.slice(0, lagMax + 1)
  const lags = new Float64Array(lagMax + 1)

  return (middle: number, peakMin: number): { framePeak: number; lags: Float64Array | null } => {
    const start = middle - (length >> 1)
    const from = Math.max(0, -start)
    const to = Math.min(length, samples.length - start)
    let sum = 0
    for (let i = from; i < to; i++) sum += samples[start + i]!
    const mean = sum / length
    let framePeak = 0
    frame.fill(0)
    for (let i = from; i < to; i++) {
      const value = samples[start + i]! - mean
      framePeak = Math.max(framePeak, Math.abs(value))
      frame[i] = value * window[i]!
    }
    if (!(framePeak > peakMin)) return { framePeak: 0, lags: null }
    autocorrelate(frame)
    const scale = windowCorrelation[0]! / correlation[0]!
    for (let lag = 0; lag <= lagMax; lag++) lags[lag] = (scale * correlation[lag]!) / windowCorrelation[lag]!
    return { framePeak, lags }
  }
}

/** Adds the peaks of the autocorrelation as candidates. Returns the height of the highest, 0 to 1. */
function findCandidates(
  candidates: Candidates,
  frame: number,
  lags: Float64Array,
  sampleRate: number,
  { minHz, maxHz }: PitchRange,
): number {
  let highest = 0
  for (let lag = Math.max(2, Math.floor(sampleRate / maxHz)); lag < lags.length - 1; lag++) {
    const [before, here, after] = [lags[lag - 1]!, lags[lag]!, lags[lag + 1]!]
    if (!(here > peakMin && here > before && here >= after)) continue
    const curvature = before - 2 * here + after
    const shift = curvature === 0 ? 0 : (before - after) / (2 * curvature)
    const hz = sampleRate / (lag + shift)
    if (hz < minHz || hz > maxHz) continue
    const height = Math.min(1, here - (before - after) * shift * 0.25)
    highest = Math.max(highest, height)
    candidates.add(frame, hz, height - octaveCost * Math.log2(minHz / hz))
  }
  return highest
}

/** The candidates' frequencies along the best path (Viterbi). Transition costs are per 10 ms, hence `costScale`. */
function cheapestPath(candidates: Candidates, frames: number, costScale: number): Float32Array {
  const { hz, score, count } = candidates
  const total = new Float64Array(frames * candidatesMax)
  const from = new Uint8Array(frames * candidatesMax)
  for (let frame = 0; frame < frames; frame++) {
    const row = frame * candidatesMax
    for (let k = 0; k < count[frame]!; k++) {
      let best = frame === 0 ? 0 : -Infinity
      for (let j = 0; frame > 0 && j < count[frame - 1]!; j++) {
        const earlier = row - candidatesMax + j
        const cost = costScale * changeCost(hz[earlier]!, hz[row + k]!)
        if (total[earlier]! - cost <= best) continue
        best = total[earlier]! - cost
        from[row + k] = j
      }
      total[row + k] = best + score[row + k]!
    }
  }
  const path = new Float32Array(frames)
  let k = 0
  for (let j = 1; frames > 0 && j < count[frames - 1]!; j++) {
    const last = (frames - 1) * candidatesMax
    if (total[last + j]! > total[last + k]!) k = j
  }
  for (let frame = frames - 1; frame >= 0; frame--) {
    path[frame] = hz[frame * candidatesMax + k]!
    k = from[frame * candidatesMax + k]!
  }
  return path
}

function changeCost(fromHz: number, toHz: number): number {
  if (fromHz === 0 && toHz === 0) return 0
  if (fromHz === 0 || toHz === 0) return voicedUnvoicedCost
  return octaveJumpCost * Math.abs(Math.log2(fromHz / toHz))
}
