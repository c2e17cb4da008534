/**
 * Piper: one run of the graph per sentence (https://github.com/OHF-Voice/piper1-gpl, `voice.py`). The graph itself
 * applies the speed. Words are timed when the graph returns the length of each id.
 */
import { join } from 'node:path'
import type { Fields } from '../../fields'
import { parseJson } from '../../json'
import { NothingToSay, type Speech, type SpeechEngine, type TimedWord } from '../engine'
import type { ModelFiles, VoiceSpec } from '../voice'
import { baseLanguage } from '../../language'
import { languageInputs } from '../models/piper'
import { parsePiperConfig, type PiperConfig } from '../models/piper-config'
import { type DurationsPlace, openGraph } from '../onnx/graph'
import { numbersOf, samplesOf } from '../onnx/outputs'
import type { Feeds, Runtime, Session } from '../onnx/runtime'
import { loadPhonemizer, type Phonemizer } from '../phonemes/espeak'
import { type PiperRun, readPiper } from '../phonemes/piper'
import { timeWords } from '../phonemes/words'

/** Relative speed error below which stretching costs more than it corrects. */
const speedTolerance = 0.01
/** Any text; it makes the phonemizer load its dictionaries. */
const firstText = 'a'
/** Most voices have them inside of the graph only; `patch_voice_with_alignment.py` of Piper exposes the same value. */
const durationsPlace: DurationsPlace = { usualOutputs: 1, operator: 'Ceil', side: 'output' }
/** Silence between two sentences at speed 1. */
const pauseSeconds = 0.25

/** Throws `BadPack` on an invalid configuration, and the errors of opening the graph. */
export async function loadPiper(model: ModelFiles, runtime: Runtime): Promise<SpeechEngine> {
  const configFile = `${model.graph}.json`
  const json = parseJson(await Bun.file(join(model.directory, configFile)).text()) as Fields
  const config = parsePiperConfig(json, configFile)
  let phonemizer: Promise<Phonemizer> | undefined
  const readRuns = (text: string) => readPiper(text, config.alphabet, () => (phonemizer ??= loadPhonemizer()))
  await readRuns(firstText)
  const graphPath = join(model.directory, model.graph)
  const { session, durations } = await openGraph(runtime, graphPath, {
    durations: durationsPlace,
    convolutions: model.convolutions,
  })
  const graph: PiperGraph = { runtime, session, config, durations }
  const read = async (text: string) => {
    const runs = await readRuns(text)
    if (runs.length === 0) throw new NothingToSay()
    return runs
  }

  return {
    async synthesize({ settings }, text, { speed } = { speed: 1 }) {
      const sounds: SpokenSentence[] = []
      for (const run of await read(text)) sounds.push(...(await speak(graph, [run], settings.speaker, speed)))
      return joinSounds(sounds, config.sampleRate, speed)
    },
    ...(canBatch(graph) && {
      async synthesizeBatch({ settings }: VoiceSpec, texts: readonly string[], { speed }: { readonly speed: number }) {
        const runs: PiperRun[][] = []
        for (const text of texts) runs.push(await read(text))
        const sounds = await speak(graph, runs.flat(), settings.speaker, speed)
        return runs.map(({ length }) => joinSounds(sounds.splice(0, length), config.sampleRate, speed))
      },
    }),
  }
}

type PiperGraph = {
  readonly runtime: Runtime
  readonly session: Session
  readonly config: PiperConfig
  /** Name of the output with the frames of each id. */
  readonly durations: string | undefined
}

/** One sentence. `words`: when known. `usualSamples`: its length at speed 1. */
type SpokenSentence = {
  readonly samples: Float32Array
  readonly words: readonly TimedWord[] | undefined
  readonly usualSamples: number
}

/** Only durations tell where each sentence of a batch ends. */
function canBatch({ session, durations }: PiperGraph): boolean {
  return durations !== undefined && session.inputs.find(({ name }) => name === 'input')?.dims[0] === -1
}

/** Runs the graph once for all `runs`. Throws on a failed run and on invalid sound. */
async function speak(
  graph: PiperGraph,
  runs: readonly PiperRun[],
  speaker: number | undefined,
  speed: number,
): Promise<SpokenSentence[]> {
  const { session, config, durations } = graph
  const outputs = await session.run(feedsOf(graph, runs, { speaker, speed }))
  const samples = samplesOf(outputs[session.outputs[0]!.name]!)
  const frames = durations === undefined ? [] : numbersOf(outputs[durations]!)
  const width = samples.length / runs.length
  const idsMax = Math.max(...runs.map(({ ids }) => ids.length))
  const timed = frames.length === runs.length * idsMax
  return runs.map((run, index) => {
    const own = samples.subarray(index * width, (index + 1) * width)
    const counts = frames.slice(index * idsMax, index * idsMax + run.ids.length)
    const ends = accumulate(counts, config.hopLength)
    const length = ends.at(-1) ?? 0
    // Durations count only if their number fits the ids.
    const known = timed && (runs.length === 1 ? length === width : length > 0 && length <= width)
    if (!known && runs.length > 1) throw new Error('the model gave no durations for the sentences of a batch')
    if (!known) return { samples: own, words: undefined, usualSamples: own.length * speed }
    const usualSamples = config.hopLength * counts.reduce((sum, count) => sum + usualFrames(count, speed), 0)
    return { samples: own.subarray(0, length), words: wordsOf(run, ends, config.sampleRate), usualSamples }
  })
}

/** Frames at speed 1 of an id that lasts `count` frames: the graph scales, then rounds up. */
function usualFrames(count: number, speed: number): number {
  return count === 0 ? 0 : (count - 0.5) * speed + 0.5
}

function feedsOf(
  { runtime, session, config }: PiperGraph,
  runs: readonly PiperRun[],
  { speaker = 0, speed }: { speaker: number | undefined; speed: number },
): Feeds {
  const { noiseScale, lengthScale, noiseWidth, speakerCount } = config
  if (!Number.isInteger(speaker) || speaker < 0 || speaker >= speakerCount)
    throw new Error(`there is no speaker ${speaker}; the model has ${speakerCount}`)
  const idsMax = Math.max(...runs.map(({ ids }) => ids.length))
  const padded = runs.flatMap(({ ids }) => [...ids, ...Array<number>(idsMax - ids.length).fill(0)])
  const language = config.languages.get(baseLanguage(config.language)) ?? 0
  const number = (value: number) => runtime.int64([value], [1])
  const feeds = {
    input: runtime.int64(padded, [runs.length, idsMax]),
    input_lengths: runtime.int64(
      runs.map(({ ids }) => ids.length),
      [runs.length],
    ),
    scales: runtime.float32(Float32Array.of(noiseScale, lengthScale / speed, noiseWidth), [3]),
    sid: number(speaker),
    ...Object.fromEntries(languageInputs.map((name) => [name, number(language)])),
  }
  const inputs = new Set(session.inputs.map(({ name }) => name))
  return Object.fromEntries(Object.entries(feeds).filter(([name]) => inputs.has(name)))
}

/** The end of each id, in samples. */
function accumulate(frames: readonly number[], hopLength: number): number[] {
  let end = 0
  return frames.map((count) => (end += count * hopLength))
}

function wordsOf({ clauses }: PiperRun, ends: readonly number[], sampleRate: number): TimedWord[] | undefined {
  const secondsAt = (id: number) => (ends[id - 1] ?? 0) / sampleRate
  if (clauses.length === 0 || clauses.some(({ text, sounds }) => text === '' && sounds.length > 0)) return undefined
  return clauses.flatMap(({ text, sounds }) => {
    const timed = sounds.map(({ phonemes, start, end }) => ({
      phonemes,
      startSeconds: secondsAt(start),
      endSeconds: secondsAt(end),
    }))
    return timeWords(text, timed)
  })
}

function joinSounds(sounds: readonly SpokenSentence[], sampleRate: number, speed: number): Speech {
  const pauseFrames = Math.round((pauseSeconds / speed) * sampleRate)
  const length = sounds.reduce((sum, { samples }) => sum + samples.length, 0) + pauseFrames * (sounds.length - 1)
  const samples = new Float32Array(length)
  let words: TimedWord[] | undefined = []
  let at = 0
  for (const sound of sounds) {
    samples.set(sound.samples, at)
    const offset = at / sampleRate
    const later = sound.words?.map(({ text, startSeconds, endSeconds }) => {
      return { text, startSeconds: startSeconds + offset, endSeconds: endSeconds + offset }
    })
    words = words && later && [...words, ...later]
    at += sound.samples.length + pauseFrames
  }
  return { samples, sampleRate, speed: speedOf(sounds, speed), ...(words && { words }) }
}

/** The part of the requested `speed` that the graph applied. */
function speedOf(sounds: readonly SpokenSentence[], speed: number): number {
  const spoken = sounds.reduce((sum, { samples }) => sum + samples.length, 0)
  const usual = sounds.reduce((sum, { usualSamples }) => sum + usualSamples, 0)
  const done = spoken > 0 ? usual / spoken : speed
  return Math.abs(done / speed - 1) < speedTolerance ? speed : done
}
