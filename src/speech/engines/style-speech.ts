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
import { placeWords, type Span, toTimedWords } from './word-times'

/** As in the graphs themselves. */
const unitsMin = 1

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
}

export type StyleRequest = {
  readonly runs: readonly Token[][]
  readonly words: readonly string[]
  readonly speed: number
}

/**
 * `speed` goes to the graph unchanged. Throws `NothingToSay` without runs, and when the graph fails or returns samples
 * that are not finite.
 */
export async function speakRuns(graph: StyleGraph, voice: StyleVoice, request: StyleRequest): Promise<Speech> {
  if (request.runs.length === 0) throw new NothingToSay()
  const { sampleRate } = voice
  const chunks: Pcm[] = []
  const times: (Span | undefined)[] = request.words.map(() => undefined)
  let frames = 0
  let timed = graph.signature.durations !== undefined && request.words.length > 0
  for (const run of request.runs) {
    const { samples, durations } = await speakRun(graph, voice, run, request.speed)
    const spoken = samples.subarray(0, Math.max(0, samples.length - voice.tailSamples))
    if (durations) {
      const place = { lead: voice.lead.length, lagUnits: voice.lagUnits, samples: samples.length, offset: frames }
      placeWords(run, durations, place, times)
    } else timed = false
    chunks.push({ samples: spoken, sampleRate })
    frames += spoken.length
  }
  const speech = concatenate(chunks)
  if (!timed) return speech
  return { ...speech, words: toTimedWords(request.words, times, { frames, sampleRate }) }
}

type SpokenRun = { samples: Float32Array; durations?: readonly number[] }

async function speakRun(
  { runtime, session, signature, vocabulary }: StyleGraph,
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
  if (signature.durations === undefined) return { samples }
  const durations = numbersOf(outputs[signature.durations]!).map((units) => Math.max(unitsMin, units))
  return durations.length === ids.length ? { samples, durations } : { samples }
}
