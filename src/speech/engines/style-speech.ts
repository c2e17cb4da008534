/**
 * Speaking with a graph of Kokoro's signature (`models/style-graph.ts`): runs of symbols one after the other, joined
 * without anything between them, and where its words are, if the graph tells the lengths of its symbols.
 */
import { concatenate, type Pcm } from '../../audio/pcm'
import { NothingToSay, type Speech, type TimedWord } from '../engine'
import type { StyleSignature } from '../models/style-graph'
import { styleSize } from '../models/styles'
import { numbersOf, samplesOf } from '../onnx/outputs'
import type { Runtime, Session } from '../onnx/runtime'
import { type Vocabulary, toIds } from '../phonemes/runs'
import type { Symbol } from '../phonemes/spoken'

export type StyleVoice = {
  readonly sampleRate: number
  /** All rows of its style. */
  readonly style: Float32Array
  /** Which of them for this run. */
  rowOf(run: readonly Symbol[]): number
  /** Around the symbols of a run. */
  readonly lead: readonly number[]
  readonly trail: readonly number[]
  /** Samples to leave out at the end of each run. */
  readonly tailSamples: number
}

export type StyleGraph = {
  readonly runtime: Runtime
  readonly session: Session
  readonly signature: StyleSignature
  readonly vocabulary: Vocabulary
}

export type StyleRequest = {
  readonly runs: readonly Symbol[][]
  readonly words: readonly string[]
  readonly speed: number
}

/**
 * `speed`: given to the graph as it is. Throws `NothingToSay` without runs, and when the graph fails or gives samples that
 * are no numbers.
 */
export async function speakRuns(graph: StyleGraph, voice: StyleVoice, request: StyleRequest): Promise<Speech> {
  if (request.runs.length === 0) throw new NothingToSay()
  const { sampleRate } = voice
  const portions: Pcm[] = []
  const times: (Span | undefined)[] = request.words.map(() => undefined)
  let frames = 0
  let timed = graph.signature.durations !== undefined && request.words.length > 0
  for (const run of request.runs) {
    const { samples, durations } = await speakRun(graph, voice, run, request.speed)
    const spoken = samples.subarray(0, Math.max(0, samples.length - voice.tailSamples))
    if (durations) placeWords(run, durations, voice.lead.length, samples.length, frames, times)
    else timed = false
    portions.push({ samples: spoken, sampleRate })
    frames += spoken.length
  }
  const speech = concatenate(portions)
  if (!timed) return speech
  const words = request.words.flatMap((text, index): TimedWord[] => {
    const span = times[index]
    if (!span) return []
    const end = Math.min(span.end, frames)
    return [{ text, startSeconds: Math.min(span.start, end) / sampleRate, endSeconds: end / sampleRate }]
  })
  return { ...speech, words }
}

type Sound = { samples: Float32Array; durations?: readonly number[] }

async function speakRun(
  { runtime, session, signature, vocabulary }: StyleGraph,
  { style, rowOf, lead, trail }: StyleVoice,
  run: readonly Symbol[],
  speed: number,
): Promise<Sound> {
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
  const lengths = signature.durations === undefined ? undefined : numbersOf(outputs[signature.durations]!)
  return lengths?.length === ids.length ? { samples, durations: lengths } : { samples }
}

/** In samples from the start of the utterance. */
type Span = { start: number; end: number }

/** The first sound is heard this much later than the graph says, in units. */
const leadUnits = 3

/**
 * As `join_timestamps` of kokoro/pipeline.py (https://github.com/hexgrad/kokoro): words are 3 units earlier than the
 * lengths say, and a blank belongs to both its neighbours by halves. A unit is 600 samples; it is taken from the length
 * of the sound.
 */
function placeWords(
  run: readonly Symbol[],
  durations: readonly number[],
  lead: number,
  samples: number,
  offset: number,
  times: (Span | undefined)[],
): void {
  const total = durations.reduce((sum, duration) => sum + duration, 0)
  if (!(total > 0)) return
  const unit = samples / total
  let at = 0
  for (let i = 0; i < lead; i++) at += durations[i]!
  at = Math.max(0, at - leadUnits)
  const place = (units: number) => offset + units * unit
  for (const [index, symbol] of run.entries()) {
    const duration = durations[lead + index]!
    if (symbol.word >= 0) {
      const half = (neighbour: number) => (run[neighbour]?.text === ' ' ? durations[lead + neighbour]! / 2 : 0)
      const first = run[index - 1]?.word !== symbol.word
      const span = (times[symbol.word] ??= { start: place(at - (first ? half(index - 1) : 0)), end: 0 })
      const last = run[index + 1]?.word !== symbol.word
      span.end = place(at + duration + (last ? half(index + 1) : 0))
    }
    at += duration
  }
}
