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
  f0Output,
  hibariInputs,
  readBuiltInVocabulary,
  readHibariVocabulary,
  spectraOutputs,
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
import { hopSamples, rowLength, vocoderRate } from '../vocoder/format'
import { joinRows } from '../vocoder/rows'
import { loadVocoder, type Spectra, type Vocoder } from '../vocoder/vocoder'
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

type HibariGraph = {
  readonly session: Session
  /** Names of the outputs with the durations and with the vocoder's rows; undefined where the graph has none. */
  readonly durations: string | undefined
  readonly rows: string | undefined
}
type Parts = { readonly runtime: Runtime; readonly graph: HibariGraph; readonly vocoder: Vocoder }

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
  const graph = await openGraph(runtime, join(directory, file), {
    durations: durationsPlace,
    rows: spectraOutputs,
    convolutions,
  })
  const vocabulary = await readHibariVocabulary(await openPackFolder(directory))
  const reader = await openReader(runtime, describeVoice(file).language === 'en-GB' ? 'british' : 'american')
  return createEngine({ runtime, graph, vocoder: await loadVocoder() }, vocabulary, reader)
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
  // The build has exposed both behind the remaining output.
  const [, durations, rows] = session.outputs.map(({ name }) => name)
  const reader = await openEnglishReader(runtime, 'american')
  const parts = { runtime, graph: { session, durations, rows }, vocoder: await loadVocoder() }
  return createEngine(parts, vocabulary, reader)
}

function createEngine(parts: Parts, vocabulary: Vocabulary, reader: EnglishReader): SpeechEngine {
  return {
    async synthesize(_, text, { speed } = { speed: 1 }) {
      const { tokens, words } = await speakEnglish(reader, text)
      const graphSpeed = Math.min(speed, graphSpeedMax)
      const spoken: { run: readonly Token[]; sound: SpokenRun }[] = []
      for (const run of cutRuns(tokens, vocabulary, tokensMax))
        spoken.push({ run, sound: await speakRun(parts, toIds(run, vocabulary, edge, edge), graphSpeed) })
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

async function speakRun({ runtime, graph, vocoder }: Parts, ids: number[], speed: number): Promise<SpokenRun> {
  const outputs = await graph.session.run({
    [hibariInputs.ids]: runtime.int64(ids, [1, ids.length]),
    [hibariInputs.speed]: runtime.float32(Float32Array.of(speed), [1]),
  })
  const spectra = spectraOf(outputs, graph.rows)
  const samples = requireFinite(vocoder(spectra))
  // Megabytes that would wait for a collection; the next run gets them without new pages of the system.
  ;(spectra.rows.buffer as ArrayBuffer).transfer(0)
  const count = spectra.f0.length
  const exact = graph.durations === undefined ? [] : numbersOf(outputs[graph.durations]!)
  const units = exact.map(toUnits)
  const isKnown = units.length === ids.length && framesPerUnit * sum(units) === count
  if (!isKnown) return { samples, units: undefined, usualFrames: count * speed }
  return { samples, units, usualFrames: framesPerUnit * sum(exact.map((duration) => toUnits(duration * speed))) }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** `rows`: name of the output with the rows. Throws when the outputs do not belong together. */
function spectraOf(outputs: Readonly<Record<string, Tensor>>, rows: string | undefined): Spectra {
  const numbers = (name: string) => outputs[name]!.data as Float32Array
  const f0 = numbers(f0Output)
  const parts = rows === undefined ? spectraOutputs.map(numbers) : [numbers(rows)]
  if (f0.length === 0 || parts.some(({ length }) => length * parts.length !== rowLength * f0.length))
    throw new Error(`the model gave spectra of different lengths, or none`)
  return { rows: parts.length === 1 ? parts[0]! : joinRows(parts, f0.length), f0 }
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
