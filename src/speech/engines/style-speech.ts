/**
 * Speaks with a graph of Kokoro's signature (`models/style-graph.ts`): consecutive runs of tokens, joined without
 * silence, with word times when the graph returns the length of its tokens.
 */
import { concatenate, type Pcm } from '../../audio/pcm'
import { NothingToSay, type Speech } from '../engine'
import type { StyleSignature } from '../models/style-graph'
import { styleSize } from '../models/styles'
import { numbersOf, samplesOf } from '../onnx/outputs'
import type { Runtime, Session } from '../onnx/runtime'
import { type Vocabulary, toIds } from '../phonemes/runs'
import type { Token } from '../phonemes/spoken'
import { appliedSpeed, toUnits } from './durations'
import { placeWords, type Span, toTimedWords } from './word-times'

export type StyleVoice = {
  readonly sampleRate: number
  /** All rows of the style. */
  readonly style: Float32Array
  /** Index of the row for this run. */
  rowOf(run: readonly Token[]): number
  /** Ids before the tokens of a run. */
  readonly lead: readonly number[]
  readonly trail: readonly number[]
  /** Samples to drop at the end of each run. */
  readonly tailSamples: number
  /** Lag of the sound behind the durations, in their unit. */
  readonly lagUnits: number
}

export type StyleGraph = {
  readonly runtime: Runtime
  readonly session: Session
  readonly signature: StyleSignature
  readonly vocabulary: Vocabulary
  /** The value inside of the graph with the length of each id before it is rounded, exposed as an output. */
  readonly exactDurations?: string | undefined
}

export type StyleRequest = {
  readonly runs: readonly Token[][]
  readonly words: readonly string[]
  readonly speed: number
}

/**
 * `speed` goes to the graph unchanged. Throws `NothingToSay` without runs, and when the graph fails or returns samples
 * that are not finite. Where the graph tells the exact lengths, the result says which speed it reached by rounding them.
 */
export async function speakRuns(graph: StyleGraph, voice: StyleVoice, request: StyleRequest): Promise<Speech> {
  if (request.runs.length === 0) throw new NothingToSay()
  const { sampleRate } = voice
  const chunks: Pcm[] = []
  const times: (Span | undefined)[] = request.words.map(() => undefined)
  let frames = 0
  let timed = request.words.length > 0
  /** Lengths at speed 1 and as spoken; NaN when a run's is unknown. */
  let [usual, spent] = [0, 0]
  for (const run of request.runs) {
    const { samples, durations, usualUnits = NaN } = await speakRun(graph, voice, run, request.speed)
    usual += usualUnits
    spent += durations ? sum(durations) : 0
    const spoken = samples.subarray(0, Math.max(0, samples.length - voice.tailSamples))
    if (durations) {
      const place = { lead: voice.lead.length, lagUnits: voice.lagUnits, samples: samples.length, offset: frames }
      placeWords(run, durations, place, times)
    } else timed = false
    chunks.push({ samples: spoken, sampleRate })
    frames += spoken.length
  }
  const applied = Number.isNaN(usual) ? request.speed : appliedSpeed(usual / spent, request.speed)
  const speech = { ...concatenate(chunks), speed: applied }
  if (!timed) return speech
  return { ...speech, words: toTimedWords(request.words, times, { frames, sampleRate }) }
}

type SpokenRun = {
  readonly samples: Float32Array
  readonly durations?: readonly number[]
  /** Length at speed 1, in the unit of `durations`, if they are known exactly. */
  readonly usualUnits?: number
}

async function speakRun(
  { runtime, session, signature, vocabulary, exactDurations }: StyleGraph,
  { style, rowOf, lead, trail }: StyleVoice,
  run: readonly Token[],
  speed: number,
): Promise<SpokenRun> {
  const ids = toIds(run, vocabulary, lead, trail)
  const row = rowOf(run) * styleSize
  const { tokens, speed: speedInput } = signature
  const feeds = {
    [tokens.name]: runtime[tokens.type](ids, [1, ids.length]),
    [signature.style]: runtime.float32(style.slice(row, row + styleSize), [1, styleSize]),
    [speedInput.name]:
      speedInput.type === 'float32'
        ? runtime.float32(Float32Array.of(speed), [1])
        : runtime[speedInput.type]([speed], [1]),
  }
  const outputs = await session.run(feeds)
  const samples = samplesOf(outputs[signature.audio]!)
  if (signature.durations !== undefined) {
    const durations = numbersOf(outputs[signature.durations]!)
    return durations.length === ids.length ? { samples, durations } : { samples }
  }
  const exact = exactDurations === undefined ? [] : numbersOf(outputs[exactDurations]!)
  if (exact.length !== ids.length) return { samples }
  return { samples, durations: exact.map(toUnits), usualUnits: sum(exact.map((duration) => toUnits(duration * speed))) }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
