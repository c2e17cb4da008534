/** Measures of speech for tests. */
import { loudnessLufs } from '../src/audio/loudness'
import { fromInt16, type Pcm } from '../src/audio/pcm'
import { median, pitchAt } from './audio/signals'

/** Reads a WAV file with the canonical header, 16-bit mono. Throws for any other file. */
export function readWav(bytes: Uint8Array): Pcm {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4))
  const frames = view.getUint32(40, true) / 2
  const sound =
    text(0) === 'RIFF' &&
    text(8) === 'WAVE' &&
    text(12) === 'fmt ' &&
    view.getUint16(20, true) === 1 &&
    view.getUint16(22, true) === 1 &&
    view.getUint16(34, true) === 16 &&
    text(36) === 'data' &&
    view.getUint32(4, true) === bytes.length - 8 &&
    44 + frames * 2 === bytes.length
  if (!sound) throw new Error('not a canonical 16-bit mono WAV')
  const samples = new Int16Array(frames)
  for (let i = 0; i < frames; i++) samples[i] = view.getInt16(44 + i * 2, true)
  return { samples: fromInt16(samples), sampleRate: view.getUint32(24, true) }
}

/** Measures the fundamental frequency of the voiced frames, Hz, one value every 20 ms. */
export function pitches(pcm: Pcm): number[] {
  const found: number[] = []
  for (let at = 0; at < pcm.samples.length / pcm.sampleRate - 0.06; at += 0.02) {
    const hz = pitchAt(pcm, at)
    if (hz !== null) found.push(hz)
  }
  return found
}

export const medianPitchHz = (pcm: Pcm) => median(pitches(pcm))

/**
 * The median ratio of the fundamental frequencies of two renderings of one text, the second at `speed`, taken at
 * moments that correspond. (Medians taken apart would compare different frames: faster speech has fewer steady ones.)
 */
export function pitchRatio(normal: Pcm, changed: Pcm, speed: number): number {
  const ratios: number[] = []
  for (let at = 0; at < normal.samples.length / normal.sampleRate - 0.06; at += 0.02) {
    // Both windows have the same middle.
    const [before, after] = [pitchAt(normal, at), pitchAt(changed, Math.max(0, (at + 0.02) / speed - 0.02))]
    if (before !== null && after !== null) ratios.push(after / before)
  }
  if (ratios.length < 30) throw new Error(`only ${ratios.length} voiced moments`)
  return median(ratios)
}

/** From the 5th to the 95th percentile of the fundamental frequency, in semitones. */
export function pitchSpanSemitones(pcm: Pcm): number {
  const sorted = pitches(pcm).sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!
  return 12 * Math.log2(at(0.95) / at(0.05))
}

/** Ends of the pauses: moments after at least 60 ms of near silence, in seconds. */
export function onsetsAfterPauses({ samples, sampleRate }: Pcm): number[] {
  const hop = Math.round(sampleRate / 200)
  const levels = Array.from({ length: Math.floor(samples.length / hop) }, (_, i) =>
    samples.subarray(i * hop, (i + 1) * hop).reduce((sum, value) => sum + value * value, 0),
  )
  const quiet = Math.max(...levels) * 0.02 ** 2
  return levels.flatMap((level, i) => {
    const isOnset = level >= quiet && levels.slice(Math.max(0, i - 12), i).every((before) => before < quiet)
    return isOnset ? [(i * hop) / sampleRate] : []
  })
}

export function peakOf({ samples }: Pcm): number {
  let peak = 0
  for (let i = 0; i < samples.length; i++) peak = Math.max(peak, Math.abs(samples[i]!))
  return peak
}

export { loudnessLufs }
