/**
 * Hibari, as in its own package (hibari/tts.py of hibari-tts 0.2.1, https://pypi.org/project/hibari-tts): misaki's
 * phonemes between two zeros → spectra → sound by our vocoder. Sentences that are too long are cut at marks.
 */
import { join } from 'node:path'
import { findBuiltIn } from '../../assets/built-in'
import { concatenate } from '../../audio/pcm'
import { NothingToSay, type SpeechEngine, type TimedWord } from '../engine'
import { openPackFolder } from '../models/folder'
import {
  describeVoice,
  durationsPlace,
  hibariInputs,
  hibariOutputs,
  readBuiltInVocabulary,
  readHibariVocabulary,
} from '../models/hibari'
import { openGraph } from '../onnx/graph'
import { numbersOf, requireFinite } from '../onnx/outputs'
import type { Runtime, Session, Tensor } from '../onnx/runtime'
import {
  type EnglishReader,
  loadEnglish,
  openEnglishReader,
  type OpenEnglishReader,
  speakEnglish,
} from '../phonemes/english-reading'
import { cutRuns, toIds, type Vocabulary } from '../phonemes/runs'
import type { Token } from '../phonemes/spoken'
import type { ModelFiles } from '../voice'
import { bins, hopSamples, vocoderRate } from '../vocoder/format'
import { type Spectra, synthesizeSpectra } from '../vocoder/vocoder'
import { appliedSpeed, toUnits } from './durations'
import { placeWords, type Span, toTimedWords } from './word-times'

/** `MAX_PHONEMES` of the package. */
const tokensMax = 400
const edge = [0]
/** The graph does not say fast speech well: stretching it has about half of the word errors at speed 1.5. */
const graphSpeedMax = 1
/** Frames in the unit of durations. */
const framesPerUnit = 2
/** In 14 sentences the sound of the first word began 27 ms before its durations on average. */
const lagUnits = 1
type HibariGraph = { readonly runtime: Runtime; readonly session: Session; readonly durations: string | undefined }

type SpokenRun = {
  readonly samples: Float32Array
  /** Duration of each id in units, if the graph tells them. */
  readonly units: readonly number[] | undefined
  /** Length at speed 1. */
  readonly usualFrames: number
}

/** Throws `BadPack` when the files of the folder have changed; also throws in a build without data for English. */
export async function loadHibari(
  model: ModelFiles,
  runtime: Runtime,
  openReader: OpenEnglishReader = openEnglishReader,
): Promise<SpeechEngine> {
  const { directory, graph: file, convolutions } = model
  const { session, durations } = await openGraph(runtime, join(directory, file), {
    durations: durationsPlace,
    convolutions,
  })
  const vocabulary = await readHibariVocabulary(await openPackFolder(directory))
  const reader = await openReader(runtime, describeVoice(file).language === 'en-GB' ? 'british' : 'american')
  return createEngine({ runtime, session, durations }, vocabulary, reader)
}

/** The built-in voice. Throws in a build without it. */
export async function loadHeart(openRuntime: () => Promise<Runtime>): Promise<SpeechEngine> {
  const assets = findBuiltIn()
  if (assets === undefined) throw new Error('this build does not contain the voice Heart')
  // Other threads unpack the library and the data meanwhile.
  const [runtime, bytes, vocabulary] = await Promise.all([
    openRuntime(),
    Bun.file(assets.heart).bytes(),
    readBuiltInVocabulary(assets.english),
    loadEnglish(),
  ])
  const session = await runtime.openOptimized(bytes)
  const reader = await openEnglishReader(runtime, 'american')
  return createEngine({ runtime, session, durations: session.outputs.at(-1)!.name }, vocabulary, reader)
}

function createEngine(graph: HibariGraph, vocabulary: Vocabulary, reader: EnglishReader): SpeechEngine {
  return {
    async synthesize(_, text, { speed } = { speed: 1 }) {
      const { tokens, words } = await speakEnglish(reader, text)
      const graphSpeed = Math.min(speed, graphSpeedMax)
      const spoken: { run: readonly Token[]; sound: SpokenRun }[] = []
      for (const run of cutRuns(tokens, vocabulary, tokensMax))
        spoken.push({ run, sound: await speakRun(graph, toIds(run, vocabulary, edge, edge), graphSpeed) })
      if (spoken.length === 0) throw new NothingToSay()
      const speech = concatenate(spoken.map(({ sound: { samples } }) => ({ samples, sampleRate: vocoderRate })))
      const usualFrames = spoken.reduce((sum, { sound }) => sum + sound.usualFrames, 0)
      return {
        ...speech,
        speed: appliedSpeed(usualFrames / (speech.samples.length / hopSamples), graphSpeed),
        words: timeWords(spoken, words, speech.samples.length),
      }
    },
  }
}

async function speakRun(
  { runtime, session, durations }: HibariGraph,
  ids: number[],
  speed: number,
): Promise<SpokenRun> {
  const outputs = await session.run({
    [hibariInputs.ids]: runtime.int64(ids, [1, ids.length]),
    [hibariInputs.speed]: runtime.float32(Float32Array.of(speed), [1]),
  })
  const spectra = spectraOf(outputs)
  const samples = requireFinite(synthesizeSpectra(spectra))
  const count = spectra.f0.length
  const exact = durations === undefined ? [] : numbersOf(outputs[durations]!)
  const units = exact.map(toUnits)
  const isKnown = units.length === ids.length && framesPerUnit * sum(units) === count
  if (!isKnown) return { samples, units: undefined, usualFrames: count * speed }
  return { samples, units, usualFrames: framesPerUnit * sum(exact.map((duration) => toUnits(duration * speed))) }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Throws when the outputs do not belong together. */
function spectraOf(outputs: Readonly<Record<string, Tensor>>): Spectra {
  const entries = Object.entries(hibariOutputs).map(([name, output]) => [name, outputs[output]!.data as Float32Array])
  const spectra = Object.fromEntries(entries) as Spectra
  const { f0, ...rows } = spectra
  if (f0.length === 0 || Object.values(rows).some(({ length }) => length !== bins * f0.length))
    throw new Error(`the model gave spectra of different lengths, or none`)
  return spectra
}

/** Undefined when the durations of a run are unknown. */
function timeWords(
  spoken: readonly { readonly run: readonly Token[]; readonly sound: SpokenRun }[],
  words: readonly string[],
  frames: number,
): TimedWord[] | undefined {
  const times: (Span | undefined)[] = words.map(() => undefined)
  let offset = 0
  for (const { run, sound } of spoken) {
    if (!sound.units) return undefined
    placeWords(run, sound.units, { lead: edge.length, lagUnits, samples: sound.samples.length, offset }, times)
    offset += sound.samples.length
  }
  return toTimedWords(words, times, { frames, sampleRate: vocoderRate })
}
