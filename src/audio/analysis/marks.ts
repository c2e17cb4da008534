/**
 * Pitch marks, one per period: PSOLA cuts voiced speech into pieces around them. Each mark stands where the sound
 * correlates best with the sound at the mark before. Marks in unvoiced sound are 5 ms apart. Both ends of the sound
 * have a mark.
 */
import type { Pcm } from '../pcm'
import type { PitchTrack } from './pitch'

const unvoicedStepSeconds = 0.005
/** Drops an unvoiced mark nearer than this to another: a piece with so steep an edge would click. */
const gapSecondsMin = 0.002
/** Largest deviation of a period from the pitch track, as a share of the period. */
const searchShare = 0.2
/** Half of the compared width, in periods. */
const patternShare = 0.25

export type PitchMarks = {
  /** Fractional sample positions, ascending. */
  readonly position: Float64Array
  /** Fundamental frequency at each mark, Hz; 0 in unvoiced sound. */
  readonly hz: Float32Array
}

export function findPitchMarks({ samples, sampleRate }: Pcm, pitch: PitchTrack): PitchMarks {
  const position: number[] = []
  const hz: number[] = []
  const last = samples.length - 1
  const unvoicedStep = unvoicedStepSeconds * sampleRate
  const polarity = skewSign(samples)
  let at = 0
  for (const { start, end, voiced } of stretches(pitch, samples.length)) {
    if (voiced) {
      const marks = markVoiced(samples, sampleRate, pitch, { start, end, polarity })
      while (hz.at(-1) === 0 && marks[0]! - position.at(-1)! < gapSecondsMin * sampleRate) {
        position.pop()
        hz.pop()
      }
      for (const mark of marks) {
        position.push(mark)
        hz.push(hzAt(pitch, mark))
      }
      at = Math.max(start, (marks.at(-1) ?? start) + sampleRate / hzAt(pitch, end - 1))
    } else {
      for (at = Math.max(at, start); at < end; at += unvoicedStep) {
        position.push(at)
        hz.push(0)
      }
    }
  }
  const gapMin = gapSecondsMin * sampleRate
  if (last >= 0 && !(position[0]! < gapMin)) {
    position.unshift(0)
    hz.unshift(0)
  }
  if (last - position.at(-1)! > gapMin) {
    position.push(last)
    hz.push(0)
  }
  return { position: Float64Array.from(position), hz: Float32Array.from(hz) }
}

/**
 * The frequency at `sample`, interpolated linearly between two voiced frames, else that of the nearest voiced frame.
 */
function hzAt({ hz, stepSamples }: PitchTrack, sample: number): number {
  const place = Math.max(0, Math.min(hz.length - 1, sample / stepSamples))
  const below = hz[Math.floor(place)]!
  const above = hz[Math.min(hz.length - 1, Math.floor(place) + 1)]!
  if (below > 0 && above > 0) return below + (above - below) * (place - Math.floor(place))
  return Math.max(below, above)
}

type Stretch = { start: number; end: number; voiced: boolean }

/** Runs of all voiced or all unvoiced frames, in samples. Together they cover the whole sound. */
function stretches({ hz, stepSamples }: PitchTrack, length: number): Stretch[] {
  const found: Stretch[] = []
  for (let frame = 0; frame < hz.length;) {
    const voiced = hz[frame]! > 0
    const start = found.at(-1)?.end ?? 0
    while (frame < hz.length && hz[frame]! > 0 === voiced) frame++
    const end = frame === hz.length ? length : Math.round((frame - 0.5) * stepSamples)
    found.push({ start, end, voiced })
  }
  return found.length > 0 ? found : [{ start: 0, end: length, voiced: false }]
}

/** The side (1 or −1) to which the waveform is skewed. Glottal pulses are the peaks on that side. */
function skewSign(samples: Float32Array): number {
  let skew = 0
  for (const value of samples) skew += value * value * value
  return skew < 0 ? -1 : 1
}

/** Walks from the highest peak of the stretch to both of its ends. */
function markVoiced(
  samples: Float32Array,
  sampleRate: number,
  pitch: PitchTrack,
  { start, end, polarity }: { start: number; end: number; polarity: number },
): number[] {
  let anchor = start
  for (let i = start; i < end; i++) if (samples[i]! * polarity > samples[anchor]! * polarity) anchor = i
  const walk = (direction: 1 | -1): number[] => {
    const marks: number[] = []
    for (let mark = anchor; ;) {
      mark = nextMark(samples, mark, (direction * sampleRate) / hzAt(pitch, mark))
      if (!(mark >= start && mark < end)) return marks
      marks.push(mark)
    }
  }
  return [...walk(-1).reverse(), anchor, ...walk(1)]
}

/** The best-correlated position about one `period` from `mark` (backwards when `period` is negative). */
function nextMark(samples: Float32Array, mark: number, period: number): number {
  const from = Math.round(mark)
  const half = Math.max(2, Math.round(Math.abs(period) * patternShare))
  const radius = Math.max(1, Math.round(Math.abs(period) * searchShare))
  const ideal = Math.round(mark + period)
  if (ideal + radius + half + 1 >= samples.length || ideal - radius - half - 1 < 0) return mark + period
  if (from - half < 0 || from + half >= samples.length) return mark + period
  const likeness = (place: number) => {
    let sum = 0
    for (let i = -half; i <= half; i++) sum += samples[from + i]! * samples[place + i]!
    return sum * (1 - Math.abs(place - ideal) / Math.abs(period))
  }
  let best = ideal
  let bestLikeness = 0
  for (let place = ideal - radius; place <= ideal + radius; place++) {
    const value = likeness(place)
    if (value <= bestLikeness) continue
    bestLikeness = value
    best = place
  }
  if (bestLikeness <= 0) return mark + period
  const [before, after] = [likeness(best - 1), likeness(best + 1)]
  const curvature = before - 2 * bestLikeness + after
  const shift = curvature < 0 ? Math.max(-0.5, Math.min(0.5, (before - after) / (2 * curvature))) : 0
  return best + shift + (mark - from)
}
