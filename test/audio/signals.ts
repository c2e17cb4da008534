/** Deterministic test sounds, and the measurements that several tests share. */
import type { Pcm } from '../../src/audio/pcm'

/** Deterministic values in −1…1 (xorshift32). */
export function noiseSource(seed: number): () => number {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state / 2 ** 31
  }
}

export function tone({
  hz,
  seconds,
  sampleRate,
  amplitude = 0.5,
}: {
  hz: number
  seconds: number
  sampleRate: number
  amplitude?: number
}): Pcm {
  const samples = new Float32Array(Math.round(seconds * sampleRate))
  for (let i = 0; i < samples.length; i++) samples[i] = amplitude * Math.sin((2 * Math.PI * hz * i) / sampleRate)
  return { samples, sampleRate }
}

/** Formants of the alternating vowels, Hz. */
const vowelFormants = [
  [730, 1090, 2440],
  [270, 2290, 3010],
  [570, 840, 2410],
  [530, 1840, 2480],
]
const syllableSeconds = 0.25

/**
 * Speech-like sound: syllables of a burst, a hiss and a vowel with gliding pitch, and a pause after every eighth.
 * `f0At` maps a time in seconds to the pitch in Hz.
 */
export function speechLike({
  seconds,
  sampleRate,
  f0At = (time) => 120 + 25 * Math.sin(2 * Math.PI * 0.4 * time),
}: {
  seconds: number
  sampleRate: number
  f0At?: (time: number) => number
}): Pcm {
  const samples = new Float32Array(Math.round(seconds * sampleRate))
  const noise = noiseSource(7)
  let phase = 0
  let gains: number[] = []
  let syllable = -1
  for (let i = 0; i < samples.length; i++) {
    const time = i / sampleRate
    const f0 = f0At(time)
    phase += f0 / sampleRate
    if (Math.floor(time / syllableSeconds) !== syllable) {
      syllable = Math.floor(time / syllableSeconds)
      const formants = vowelFormants[syllable % vowelFormants.length]!
      const harmonics = Math.floor(Math.min(4000, sampleRate / 2.2) / f0)
      gains = Array.from({ length: harmonics }, (_, h) => harmonicGain((h + 1) * f0, formants))
    }
    if (syllable % 9 === 8) continue
    const within = (time % syllableSeconds) / syllableSeconds
    let value = 0.0005 * noise()
    if (within > 0.1 && within < 0.112) value += 0.5 * noise()
    else if (within < 0.2) value += 0.03 * noise() * (within > 0.1 ? 1 : 0)
    else {
      let voiced = 0
      for (let h = 0; h < gains.length; h++) voiced += gains[h]! * Math.sin(2 * Math.PI * (h + 1) * phase)
      value += voiced * Math.sin((Math.PI * (within - 0.2)) / 0.8) ** 0.5
    }
    samples[i] = value
  }
  return { samples, sampleRate }
}

function harmonicGain(hz: number, formants: number[]): number {
  const peaks = formants.reduce((sum, formant, i) => sum + 1 / (1 + ((hz - formant) / (60 + 30 * i)) ** 2) / (i + 1), 0)
  return 0.3 * (peaks + 0.02) * Math.min(1, 300 / hz) ** 0.3
}

/** Amplitude of the part of `samples` at `hz`, by correlation under a Blackman–Harris window (side lobes at −92 dB). */
export function amplitudeAt({ samples, sampleRate }: Pcm, hz: number): number {
  const step = (2 * Math.PI * hz) / sampleRate
  let real = 0
  let imaginary = 0
  let windowSum = 0
  for (let i = 0; i < samples.length; i++) {
    const x = (2 * Math.PI * (i + 0.5)) / samples.length
    const window = 0.35875 - 0.48829 * Math.cos(x) + 0.14128 * Math.cos(2 * x) - 0.01168 * Math.cos(3 * x)
    real += samples[i]! * window * Math.cos(step * i)
    imaginary += samples[i]! * window * Math.sin(step * i)
    windowSum += window
  }
  return (2 * Math.hypot(real, imaginary)) / windowSum
}

/** Pitch in Hz of 40 ms at `startSeconds` by normalized autocorrelation, or null when not clearly voiced. */
export function pitchAt({ samples, sampleRate }: Pcm, startSeconds: number): number | null {
  const start = Math.round(startSeconds * sampleRate)
  const length = Math.round(0.04 * sampleRate)
  const lagMin = Math.floor(sampleRate / 300)
  const lagMax = Math.ceil(sampleRate / 60)
  if (start + length + lagMax + 1 >= samples.length) return null
  const frame = Float64Array.from(samples.subarray(start, start + length))
  const here = frame.reduce((sum, value) => sum + value * value, 1e-9)
  if (here / length < 1e-5) return null
  const likeness: number[] = []
  let there = 1e-9
  for (let i = 0; i < length; i++) there += samples[start + lagMin - 1 + i]! ** 2
  for (let lag = lagMin - 1; lag <= lagMax + 1; lag++) {
    likeness.push(productOf(frame, samples, start + lag) / Math.sqrt(here * there))
    there += samples[start + lag + length]! ** 2 - samples[start + lag]! ** 2
  }
  const most = Math.max(...likeness.slice(1, -1))
  if (most < 0.85) return null
  // The shortest lag near the maximum; otherwise twice the period would sometimes win.
  for (let k = 1; k < likeness.length - 1; k++) {
    const [a, b, c] = [likeness[k - 1]!, likeness[k]!, likeness[k + 1]!]
    if (b < 0.95 * most || b < a || b < c) continue
    return sampleRate / (lagMin - 1 + k + (a - c) / (2 * (a - 2 * b + c)))
  }
  return null
}

/** The sum of the products of `frame` and the samples from `start`, in four sums that need not wait for each other. */
function productOf(frame: Float64Array, samples: Float32Array, start: number): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  let i = 0
  for (; i + 3 < frame.length; i += 4) {
    a += frame[i]! * samples[start + i]!
    b += frame[i + 1]! * samples[start + i + 1]!
    c += frame[i + 2]! * samples[start + i + 2]!
    d += frame[i + 3]! * samples[start + i + 3]!
  }
  for (; i < frame.length; i++) a += frame[i]! * samples[start + i]!
  return a + b + c + d
}

export function peak(samples: Float32Array): number {
  return samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
}

export function decibels(ratio: number): number {
  return 20 * Math.log10(ratio)
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}
