/** Level, length and joins of speech, and what another speed does to them. */
import { trackPitch } from '../../src/audio/analysis/pitch'
import { durationSeconds, type Pcm } from '../../src/audio/pcm'
import { loudnessLufs, peakOf, readWav } from '../../test/sound'
import type { Speaker } from './speakers'

/** Samples of an inserted silence: at most one step of 16 bits. */
const silentMax = 1.5 / 32_768
const silenceSeconds = 0.02
/** Distance from the end of a silence within which the speech begins or has ended. */
const edgeSeconds = 0.002

/** Prints loudness, peak and characters per second over `sentences`. */
export async function measureLevels(speakers: readonly Speaker[], sentences: readonly string[]): Promise<void> {
  for (const { name, speak } of speakers) {
    const sounds: Pcm[] = []
    for (const text of sentences) sounds.push(readWav(await speak(text)))
    const rates = sounds.map((pcm, i) => [...sentences[i]!].length / durationSeconds(pcm))
    const peaks = sounds.map((pcm) => 20 * Math.log10(peakOf(pcm)))
    console.log(
      `${name.padEnd(10)} ${span(sounds.map(loudnessLufs))} LUFS; peak ${span(peaks)} dB; ${span(rates)} characters/s`,
    )
  }
}

/** Prints the largest step between two samples at the ends of silences, beside those elsewhere. */
export async function measureJoins(speakers: readonly Speaker[], texts: readonly string[]): Promise<void> {
  for (const { name, speak } of speakers) {
    const found: Steps[] = []
    for (const text of texts) found.push(measureSteps(readWav(await speak(text))))
    const joins = found.flatMap(({ atJoins }) => atJoins)
    const inside = Math.max(...found.map(({ insideMax }) => insideMax))
    console.log(
      `${name.padEnd(10)} ${joins.length} ends of silences, largest step ${Math.max(...joins).toFixed(4)} of full scale; elsewhere ${inside.toFixed(4)}`,
    )
  }
}

/** Prints length, loudness and pitch of `sentences` at another speed against those at speed 1. */
export async function measureSpeeds(
  speakers: readonly Speaker[],
  sentences: readonly string[],
  speeds: readonly number[],
): Promise<void> {
  for (const { name, speak } of speakers)
    for (const speed of speeds) {
      const lengths: number[] = []
      const levels: number[] = []
      const [usualHz, changedHz]: [number[], number[]] = [[], []]
      for (const text of sentences) {
        const [usual, changed] = [readWav(await speak(text)), readWav(await speak(text, speed))]
        lengths.push((speed * durationSeconds(changed)) / durationSeconds(usual))
        levels.push(loudnessLufs(changed))
        usualHz.push(...voicedHz(usual))
        changedHz.push(...voicedHz(changed))
      }
      console.log(
        `${name.padEnd(10)} speed ${speed}: length × speed ${span(lengths, 3)}; ${span(levels)} LUFS; pitch × ${(middle(changedHz) / middle(usualHz)).toFixed(3)}`,
      )
    }
}

type Steps = {
  /** Largest step near each end of a silence inside the sound. */
  readonly atJoins: readonly number[]
  readonly insideMax: number
}

/** The steps between neighbouring samples, as shares of full scale. */
export function measureSteps({ samples, sampleRate }: Pcm): Steps {
  const steps = samples.map((value, i) => (i > 0 ? Math.abs(value - samples[i - 1]!) : 0))
  const edge = Math.ceil(edgeSeconds * sampleRate)
  const isEdge = new Uint8Array(samples.length)
  const atJoins = findSilences(samples, silenceSeconds * sampleRate)
    .flatMap(([start, end]) => [start, end])
    .filter((at) => at > 0 && at < samples.length)
    .map((at) => {
      const [from, to] = [Math.max(0, at - edge), Math.min(samples.length, at + edge)]
      isEdge.fill(1, from, to)
      return Math.max(...steps.subarray(from, to))
    })
  return { atJoins, insideMax: steps.reduce((most, step, i) => (isEdge[i] ? most : Math.max(most, step)), 0) }
}

/** [start, end) of each silence of at least `framesMin` samples. */
function findSilences(samples: Float32Array, framesMin: number): [number, number][] {
  const silences: [number, number][] = []
  let start = 0
  for (let i = 0; i <= samples.length; i++) {
    if (i < samples.length && Math.abs(samples[i]!) < silentMax) continue
    if (i - start >= framesMin) silences.push([start, i])
    start = i + 1
  }
  return silences
}

export function voicedHz(pcm: Pcm): number[] {
  const { hz } = trackPitch(pcm, { minHz: 60, maxHz: 500, stepSeconds: 0.01 })
  return [...hz].filter((value) => value > 0)
}

/** `5th percentile to 95th (median)`. */
export function span(values: readonly number[], digits = 1): string {
  const at = (share: number) =>
    values.toSorted((a, b) => a - b)[Math.round(share * (values.length - 1))]!.toFixed(digits)
  return `${at(0.05)} to ${at(0.95)} (median ${at(0.5)})`
}

export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}
