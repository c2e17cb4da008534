/**
 * Changes the speed of speech without its pitch: synchronized overlap-add (Roucos & Wilgus, "High quality time-scale
 * modification for speech", ICASSP 1985). Segments of the input are laid out at the new speed, each moved by a few
 * milliseconds to the best match. Around bursts (plosives, clicks) the input runs on instead, because a splice there
 * would double or drop the burst.
 */
import { raisedCosine } from './fade'
import { blockMeans, type Pcm } from './pcm'

const speedMin = 0.25
const speedMax = 4

/** At normal speed. Faster speech needs shorter segments, since long ones skip whole sounds. */
const segmentSeconds = 0.035
const overlapShare = 0.4
const searchShare = 0.47
/** How far the input may run on around a burst, away from its position at this speed. */
const driftSeconds = 0.045
/** Rate of the coarse search, Hz: pitch lies far below. */
const coarseRate = 8000

/**
 * Returns `pcm` at `speed` (2 is twice as fast), exactly round(n / speed) samples. Throws `RangeError` when `speed` is
 * outside 0.25…4.
 */
export function stretch(pcm: Pcm, speed: number): Pcm {
  if (!(speed >= speedMin && speed <= speedMax)) {
    throw new RangeError(`Speed ${speed} is outside ${speedMin}…${speedMax}.`)
  }
  const { samples, sampleRate } = pcm
  const length = Math.round(samples.length / speed)
  if (length === samples.length) return pcm

  const segment = Math.round((segmentSeconds / Math.max(1, Math.cbrt(speed))) * sampleRate)
  const overlap = Math.round(segment * overlapShare)
  const step = segment - overlap
  const radius = Math.round((segment * searchShare) / 2)
  const drift = Math.round(driftSeconds * sampleRate)
  // Silence on both sides spares the searches and segments any bounds check.
  const lead = radius + drift
  const padded = new Float32Array(lead + samples.length + drift + radius + 2 * segment)
  padded.set(samples, lead)

  const bursts = countBursts(samples, sampleRate)
  const findSplice = spliceFinder(padded, overlap, radius, sampleRate)
  const ramp = Float32Array.from({ length: overlap }, (_, i) => raisedCosine((i + 0.5) / overlap))
  const out = new Float32Array(length + segment)
  out.set(padded.subarray(lead, lead + segment))
  let source = lead
  for (let at = step; at < length; at += step) {
    // Aligned by the segment's middle; the last segment ends where the input ends.
    const end = samples.length - Math.min(segment, length - at)
    const ideal = Math.max(0, Math.min(end, Math.round((at + segment / 2) * speed - segment / 2)))
    const onward = source + step - lead
    // Bursts that a splice could hit, except those that the input would not reach before the output ends.
    const reach = Math.min(Math.max(ideal, onward) + radius + overlap, onward + length - at)
    const runsOn = Math.abs(onward - ideal) <= drift && bursts(Math.min(ideal, onward) - radius, reach) > 0
    const tail = source + step
    source = runsOn ? tail : findSplice(ideal + lead, tail)
    for (let i = 0; i < overlap; i++) {
      const before = padded[tail + i]!
      out[at + i] = before + (padded[source + i]! - before) * ramp[i]!
    }
    out.set(padded.subarray(source + overlap, source + segment), at + overlap)
  }
  return { samples: out.slice(0, length), sampleRate }
}

/**
 * Returns a search within `radius` of a position for the best match with another, over `overlap` samples: on a coarse
 * copy, then to the sample. The measure is the correlation over the energy of the candidate.
 */
function spliceFinder(padded: Float32Array, overlap: number, radius: number, sampleRate: number) {
  const factor = Math.max(1, Math.round(sampleRate / coarseRate))
  const coarse = factor === 1 ? padded : blockMeans(padded, factor)
  const coarseEnergy = energyBefore(coarse)
  const energy = factor === 1 ? coarseEnergy : energyBefore(padded)
  const coarseOverlap = Math.floor(overlap / factor)
  return (place: number, tail: number): number => {
    const coarsePlace = bestMatch(coarse, coarseEnergy, {
      from: Math.ceil((place - radius) / factor),
      to: Math.floor((place + radius) / factor),
      pattern: Math.round(tail / factor),
      length: coarseOverlap,
    })
    if (factor === 1) return coarsePlace
    // A coarse match gives the distance of the two positions to about one coarse sample.
    const near = tail + (coarsePlace - Math.round(tail / factor)) * factor
    return bestMatch(padded, energy, {
      from: Math.max(place - radius, near - factor),
      to: Math.min(place + radius, near + factor),
      pattern: tail,
      length: overlap,
    })
  }
}

type Search = { from: number; to: number; pattern: number; length: number }

/** The start in `from`…`to` whose `length` samples match those at `pattern` best. */
function bestMatch(signal: Float32Array, energy: Float64Array, { from, to, pattern, length }: Search): number {
  const even = length & ~3
  let best = from
  let bestScore = -Infinity
  for (let start = from; start <= to; start++) {
    let a = 0
    let b = 0
    let c = 0
    let d = 0
    for (let i = 0; i < even; i += 4) {
      a += signal[start + i]! * signal[pattern + i]!
      b += signal[start + i + 1]! * signal[pattern + i + 1]!
      c += signal[start + i + 2]! * signal[pattern + i + 2]!
      d += signal[start + i + 3]! * signal[pattern + i + 3]!
    }
    const score = (a + b + c + d) / Math.sqrt(energy[start + even]! - energy[start]! + 1e-7)
    if (score > bestScore) {
      bestScore = score
      best = start
    }
  }
  return best
}

function energyBefore(signal: Float32Array): Float64Array {
  const energy = new Float64Array(signal.length + 1)
  for (let i = 0; i < signal.length; i++) energy[i + 1] = energy[i]! + signal[i]! * signal[i]!
  return energy
}

/**
 * Counts the bursts between two positions. A burst is a millisecond with four times the energy (above about 1 kHz) of
 * any in the 20 before it, and not faint against the recent maximum.
 */
function countBursts(samples: Float32Array, sampleRate: number): (from: number, to: number) => number {
  const frameSamples = Math.max(1, Math.round(sampleRate / 1000))
  const frames = Math.ceil(samples.length / frameSamples)
  const energy = new Float32Array(frames)
  let previous = 0
  for (let frame = 0, i = 0; frame < frames; frame++) {
    let sum = 0
    for (const end = Math.min(samples.length, i + frameSamples); i < end; i++) {
      const value = samples[i]!
      const rise = value - 0.95 * previous
      sum += rise * rise
      previous = value
    }
    energy[frame] = sum
  }

  const before = new Uint32Array(frames + 1)
  let lately = 0
  for (let frame = 0; frame < frames; frame++) {
    const here = energy[frame]!
    lately = Math.max(here, lately * 0.995)
    let loudest = 1e-9
    for (let k = Math.max(0, frame - 22); k < frame - 1; k++) if (energy[k]! > loudest) loudest = energy[k]!
    const isBurst = here > 4 * loudest && here > 0.02 * lately && here > 1e-5 * frameSamples
    before[frame + 1] = before[frame]! + (isBurst ? 1 : 0)
  }
  const frameAt = (place: number) => Math.max(0, Math.min(frames, place))
  return (from, to) =>
    before[frameAt(Math.ceil(to / frameSamples))]! - before[frameAt(Math.floor(from / frameSamples))]!
}
