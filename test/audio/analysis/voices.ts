/** Synthetic voices with known properties. */
import type { Pcm } from '../../../src/audio/pcm'
import { noiseSource } from '../signals'

export type MadeVoice = {
  seconds: number
  sampleRate?: number
  f0At?: (time: number) => number
  /** Factor on all resonances. */
  tract?: number
  /** Harmonics-to-noise ratio in dB; the noise has the spectrum of the voice. */
  harmonicityDb?: number
  /** Seed of the vowel sequence. */
  seed?: number
}

const vowels = [
  [730, 1090, 2440, 3500],
  [270, 2290, 3010, 3700],
  [300, 870, 2240, 3400],
  [530, 1840, 2480, 3600],
  [570, 840, 2410, 3300],
  [660, 1720, 2410, 3500],
  [440, 1020, 2240, 3400],
]
const vowelSeconds = 0.18

/** A sequence of gliding vowels, from a pulse train through four resonators. */
export function makeVoice({
  seconds,
  sampleRate = 16_000,
  f0At = () => 120,
  tract = 1,
  harmonicityDb = Infinity,
  seed = 1,
}: MadeVoice): Pcm {
  const length = Math.round(seconds * sampleRate)
  const random = noiseSource(seed * 7919)
  const order = Array.from({ length: Math.ceil(seconds / vowelSeconds) + 2 }, () => {
    return vowels[Math.floor(((random() + 1) / 2) * vowels.length) % vowels.length]!
  })
  const formantAt = (time: number, k: number) => {
    const place = time / vowelSeconds
    const [from, to] = [order[Math.floor(place)]![k]!, order[Math.floor(place) + 1]![k]!]
    return tract * (from + (to - from) * Math.min(1, 2 * (place - Math.floor(place))))
  }
  const pulses = new Float64Array(length)
  for (let time = 0; time < seconds; time += 1 / f0At(time)) {
    const place = time * sampleRate
    const whole = Math.floor(place)
    pulses[whole] = 1 - (place - whole)
    if (whole + 1 < length) pulses[whole + 1]! += place - whole
  }
  const hiss = Float64Array.from({ length }, random)
  const voiced = resonate(pulses, sampleRate, formantAt)
  const noise = resonate(hiss, sampleRate, formantAt)
  const gain = Math.sqrt(power(voiced) / power(noise)) * 10 ** (-harmonicityDb / 20)
  const samples = Float32Array.from(voiced, (value, i) => value + gain * noise[i]!)
  const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return { samples: samples.map((value) => (0.5 * value) / peak), sampleRate }
}

function power(samples: Float64Array): number {
  return samples.reduce((sum, value) => sum + value * value, 0)
}

/** Four resonators in series, after a source that falls by 6 dB per octave. */
function resonate(
  source: Float64Array,
  sampleRate: number,
  formantAt: (time: number, k: number) => number,
): Float64Array {
  const out = source.slice()
  let before = 0
  for (let i = 0; i < out.length; i++) before = out[i] = out[i]! + 0.9 * before
  for (let k = 0; k < 4; k++) {
    let [y1, y2] = [0, 0]
    for (let i = 0; i < out.length; i++) {
      const hz = formantAt(i / sampleRate, k)
      const radius = Math.exp((-Math.PI * (50 + 0.04 * hz)) / sampleRate)
      const a1 = 2 * radius * Math.cos((2 * Math.PI * hz) / sampleRate)
      const value = out[i]! * (1 - a1 + radius * radius) + a1 * y1 - radius * radius * y2
      y2 = y1
      y1 = value
      out[i] = value
    }
  }
  return out
}
