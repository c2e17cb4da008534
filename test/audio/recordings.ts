/** Recordings of real speakers, and faults added to them in known amounts. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { powerOfTwoAbove, realFft } from '../../src/audio/analysis/fft'
import type { Pcm } from '../../src/audio/pcm'
import { decodeWith } from './files'
import { noiseSource, peak } from './signals'

export const speakersFolder = join(import.meta.dir, '../../../shared/speech/speakers')

export type Recording = { readonly name: string; readonly isMale: boolean; readonly pcm: Pcm }

/** All speakers, decoded by ffmpeg, at their own sample rates or at `sampleRate`; `filter` is an ffmpeg filter. */
export function readSpeakers({
  sampleRate,
  filter = 'anull',
}: { sampleRate?: number; filter?: string } = {}): Recording[] {
  const names = existsSync(speakersFolder) ? readdirSync(speakersFolder).sort() : []
  const paths = names.map((name) => join(speakersFolder, name))
  const rates = paths.map((path) => sampleRate ?? sampleRateOf(path))
  const folder = mkdtempSync(join(tmpdir(), 'sonant-speakers-'))
  try {
    const outputOf = (i: number) => join(folder, `${i}.raw`)
    const inputs = paths.flatMap((path) => ['-i', path])
    const outputs = rates.flatMap((rate, i) => {
      return ['-map', `${i}:a:0`, '-af', filter, '-ac', '1', '-ar', `${rate}`, '-f', 's16le', outputOf(i)]
    })
    // One run of ffmpeg for all: it takes longer to start than to decode a file.
    if (paths.length > 0) decodeWith(['ffmpeg', '-v', 'error', ...inputs, ...outputs])
    return names.map((name, i) => {
      const samples = Float32Array.from(readInt16(outputOf(i)), (value) => value / 32768)
      return { name, isMale: name.includes('_m_'), pcm: { samples, sampleRate: rates[i]! } }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function readInt16(path: string): Int16Array {
  const bytes = new Uint8Array(readFileSync(path))
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1)
}

const sampleRates = new Map<string, number>()

function sampleRateOf(path: string): number {
  const known = sampleRates.get(path)
  if (known !== undefined) return known
  const what = ['-show_entries', 'stream=sample_rate', '-of', 'csv=p=0']
  const { stdout } = Bun.spawnSync(['ffprobe', '-v', 'error', '-select_streams', 'a:0', ...what, path])
  const sampleRate = Number.parseInt(stdout.toString())
  sampleRates.set(path, sampleRate)
  return sampleRate
}

export function amplified({ samples, sampleRate }: Pcm, gainDb: number): Pcm {
  return { samples: samples.map((value) => value * 10 ** (gainDb / 20)), sampleRate }
}

/** Clips `overDb` of the peaks, then halves the level. */
export function clipped({ samples, sampleRate }: Pcm, overDb: number): Pcm {
  const gain = 10 ** (overDb / 20) / peak(samples)
  return { samples: samples.map((value) => 0.5 * Math.max(-1, Math.min(1, value * gain))), sampleRate }
}

/** Adds `other`, repeated if shorter, at `belowDb` below the mean power of `pcm`. */
export function mixed(pcm: Pcm, other: Float32Array, belowDb: number): Pcm {
  const gain = (rootMeanSquare(pcm.samples) / rootMeanSquare(other)) * 10 ** (-belowDb / 20)
  return { samples: pcm.samples.map((value, i) => value + gain * other[i % other.length]!), sampleRate: pcm.sampleRate }
}

export function inTurn(a: Pcm, b: Pcm, secondsEach: number): Pcm {
  const parts = [a, b].map(({ samples, sampleRate }) => samples.subarray(0, secondsEach * sampleRate))
  return { samples: Float32Array.from([...parts[0]!, ...parts[1]!]), sampleRate: a.sampleRate }
}

function rootMeanSquare(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)
}

/** Nearly normal values: the sum of four uniform ones. */
function normalSource(seed: number): () => number {
  const uniform = noiseSource(seed)
  for (let i = 0; i < 20; i++) uniform()
  return () => (uniform() + uniform() + uniform() + uniform()) / 2
}

export function whiteNoise(length: number, seed = 11): Float32Array {
  const noise = normalSource(seed)
  return Float32Array.from({ length }, noise)
}

/** Falls by 3 dB per octave (Paul Kellet's filter). */
export function pinkNoise(length: number): Float32Array {
  const noise = normalSource(13)
  const state = [0, 0, 0]
  return Float32Array.from({ length }, () => {
    const white = noise()
    state[0] = 0.99765 * state[0]! + 0.099046 * white
    state[1] = 0.963 * state[1]! + 0.2965164 * white
    state[2] = 0.57 * state[2]! + 1.0526913 * white
    return state[0] + state[1] + state[2] + 0.1848 * white
  })
}

/** Adds a reverberation of `seconds` (60 dB); `directDb` is the direct-to-reverberant ratio. */
export function reverberant({ samples, sampleRate }: Pcm, seconds: number, directDb = 0): Pcm {
  const length = Math.round(seconds * sampleRate)
  const noise = normalSource(17)
  const response = Float64Array.from({ length }, (_, i) => noise() * 10 ** ((-3 * i) / length))
  const energy = response.reduce((sum, value) => sum + value * value, 0)
  for (let i = 0; i < length; i++) response[i]! /= Math.sqrt(energy)
  response[0] = 10 ** (directDb / 20)
  return { samples: convolved(samples, response), sampleRate }
}

function convolved(samples: Float32Array, response: Float64Array): Float32Array {
  const fft = realFft(powerOfTwoAbove(samples.length + response.length))
  const bins = () => new Float64Array(fft.size / 2 + 1)
  const [re, im, responseRe, responseIm] = [bins(), bins(), bins(), bins()]
  fft.forward(samples, re, im)
  fft.forward(response, responseRe, responseIm)
  for (let k = 0; k < re.length; k++) {
    const real = re[k]! * responseRe[k]! - im[k]! * responseIm[k]!
    im[k] = re[k]! * responseIm[k]! + im[k]! * responseRe[k]!
    re[k] = real
  }
  const out = new Float64Array(fft.size)
  fft.inverse(re, im, out)
  return Float32Array.from(out.subarray(0, samples.length))
}

const chords = [
  [60, 64, 67],
  [57, 60, 64],
  [65, 69, 72],
  [67, 71, 74],
] as const

/** `decay`: per second; `vibrato`: as a share of the frequency. */
type Note = { midi: number; at: number; seconds: number; decay: number; harmonics: number; vibrato?: number }

const scores = {
  /** Chords held for two seconds. */
  organ: (seconds) =>
    everySeconds(2, seconds).flatMap((at, k) =>
      chords[k % 4]!.map((midi) => ({ midi, at, seconds: 2, decay: 0, harmonics: 8 })),
    ),
  /** Decaying broken chords with a bass. */
  piano: (seconds) =>
    everySeconds(0.3, seconds).flatMap((at, k) => {
      const chord = chords[(k >> 3) % 4]!
      const treble = { midi: chord[k % 3]! + 12 * (k & 1), at, seconds: 0.8, decay: 4, harmonics: 10 }
      const bass = { midi: chord[0] - 12, at, seconds: 1.2, decay: 2, harmonics: 10 }
      return k % 4 === 0 ? [treble, bass] : [treble]
    }),
  /** A melody with a little vibrato. */
  flute: (seconds) =>
    everySeconds(0.4, seconds).map((at, k) => {
      const midi = [72, 74, 76, 79, 76, 74, 72, 67][k % 8]!
      return { midi, at, seconds: 0.38, decay: 0.5, harmonics: 3, vibrato: 0.003 }
    }),
  /** Chords with string vibrato, a tenth of a semitone, so the tones are not steady. */
  strings: (seconds) =>
    everySeconds(1, seconds).flatMap((at, k) =>
      chords[(k >> 1) % 4]!.map((midi) => ({
        midi: midi + 12,
        at,
        seconds: 1,
        decay: 0,
        harmonics: 12,
        vibrato: 0.006,
      })),
    ),
} satisfies Record<string, (seconds: number) => Note[]>

export type Instrument = keyof typeof scores
export const instruments = Object.keys(scores) as Instrument[]

function everySeconds(step: number, seconds: number): number[] {
  return Array.from({ length: Math.ceil(seconds / step) }, (_, k) => k * step)
}

const played = new Map<string, Pcm>()

export function music(instrument: Instrument, seconds: number, sampleRate: number): Pcm {
  const key = `${instrument} ${seconds} ${sampleRate}`
  const before = played.get(key)
  if (before) return before
  const samples = new Float32Array(Math.round(seconds * sampleRate))
  for (const note of scores[instrument](seconds)) play(note, samples, sampleRate)
  played.set(key, { samples, sampleRate })
  return { samples, sampleRate }
}

function play({ midi, at, seconds, decay, harmonics, vibrato = 0 }: Note, out: Float32Array, sampleRate: number): void {
  const hz = 440 * 2 ** ((midi - 69) / 12)
  const start = Math.round(at * sampleRate)
  const length = Math.min(out.length - start, Math.round(seconds * sampleRate))
  for (let i = 0; i < length; i++) {
    const time = i / sampleRate
    const phase = 2 * Math.PI * hz * time + ((hz * vibrato) / 5.5) * Math.sin(2 * Math.PI * 5.5 * time)
    let value = 0
    for (let h = 1; h <= harmonics && h * hz < sampleRate / 2; h++) value += Math.sin(h * phase) / h
    const attack = Math.min(1, time / 0.01) * Math.min(1, (length - i) / (0.02 * sampleRate))
    out[start + i]! += 0.1 * attack * Math.exp(-decay * time) * value
  }
}
