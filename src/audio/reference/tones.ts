/** Detects steady tones, as in music, hum and whistles, which a speaking voice does not have. */
import { powerOfTwoAbove } from '../analysis/fft'
import type { Pcm } from '../pcm'
import { percentile } from '../analysis/percentile'
import { powerSpectrumTaker } from './power-spectrum'

const stepSeconds = 0.016
const frameSeconds = 0.06
const lowestHz = 200
const highestHz = 3000
/** A tone is steady while it stays this near to its first frequency, a tenth of a semitone. */
const tolerance = 0.006
const heldSeconds = 0.25
/** Ignores peaks this far below the frame's highest, in natural logarithms of power: 30 dB. */
const peakDepth = 7
/** Share of a frame's power that steady tones must hold for the frame to count. */
const toneShare = 0.3
/** Ignores frames more than 40 dB below the loud ones. */
const quietPower = 1e-4
/** Power of a windowed tone over that of its highest bin. */
const lobePower = 1.5

/** A tone tracked from frame to frame: its first frequency and frame, and its power in each frame since. */
type Tone = { readonly hz: number; readonly firstFrame: number; readonly powers: number[] }
type Peak = { readonly hz: number; readonly power: number }

/** The share (0…1) of audible frames dominated by tones held for a quarter of a second. `pcm`: about 8 kHz. */
export function steadyToneShare({ samples, sampleRate }: Pcm): number {
  const size = powerOfTwoAbove(frameSeconds * sampleRate)
  const step = Math.round(stepSeconds * sampleRate)
  const frames = Math.max(0, Math.floor((samples.length - size) / step) + 1)
  const powers = new Float64Array(frames)
  const held = new Float64Array(frames)
  const heldFrames = Math.round(heldSeconds / stepSeconds)
  const end = ({ powers, firstFrame }: Tone) => {
    if (powers.length >= heldFrames) for (const [i, power] of powers.entries()) held[firstFrame + i]! += power
  }

  const spectrumAt = powerSpectrumTaker(samples, size)
  let tones: Tone[] = []
  for (let frame = 0; frame < frames; frame++) {
    const { peaks, power } = findPeaks(spectrumAt(frame * step), sampleRate / size)
    powers[frame] = power
    const { followed, lost } = follow(tones, peaks, frame)
    lost.forEach(end)
    tones = followed
  }
  tones.forEach(end)

  const threshold = percentile(powers, 0.95) * quietPower
  const audible = [...powers.keys()].filter((frame) => powers[frame]! > threshold)
  return audible.filter((frame) => held[frame]! > toneShare * powers[frame]!).length / Math.max(1, audible.length)
}

/** The peaks of a spectrum, interpolated by a parabola through the logarithms, and its total power. */
function findPeaks(spectrum: Float64Array, binHz: number): { peaks: Peak[]; power: number } {
  const first = Math.ceil(lowestHz / binHz)
  const last = Math.min(spectrum.length - 2, Math.floor(highestHz / binHz))
  let power = 0
  let highest = 0
  for (let k = first; k <= last; k++) {
    power += spectrum[k]!
    if (spectrum[k]! > highest) highest = spectrum[k]!
  }
  const least = Math.max(Number.MIN_VALUE, highest * Math.exp(-peakDepth))
  const peaks: Peak[] = []
  for (let k = first; k <= last; k++) {
    const here = spectrum[k]!
    if (here < least || here <= spectrum[k - 1]! || here < spectrum[k + 1]!) continue
    const [a, b, c] = [Math.log(spectrum[k - 1]!), Math.log(here), Math.log(spectrum[k + 1]!)]
    peaks.push({ hz: (k + (a - c) / (2 * (a - 2 * b + c))) * binHz, power: lobePower * here })
  }
  return { peaks, power }
}

/** Assigns each tone its nearest peak within tolerance. Unassigned peaks start new tones. */
function follow(tones: readonly Tone[], peaks: readonly Peak[], frame: number): { followed: Tone[]; lost: Tone[] } {
  const free = new Set(peaks)
  const followed: Tone[] = []
  const lost: Tone[] = []
  for (const tone of tones) {
    let nearest: Peak | undefined
    let distance = tolerance * tone.hz
    for (const peak of free) {
      const away = Math.abs(peak.hz - tone.hz)
      if (away < distance) [nearest, distance] = [peak, away]
    }
    if (!nearest) {
      lost.push(tone)
      continue
    }
    free.delete(nearest)
    tone.powers.push(nearest.power)
    followed.push(tone)
  }
  for (const { hz, power } of free) followed.push({ hz, firstFrame: frame, powers: [power] })
  return { followed, lost }
}
