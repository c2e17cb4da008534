/**
 * Probes a pack before its voices are offered: reads, validates and opens it, and synthesizes with it. This runs in its
 * own worker process, because a model that aborts ends its process.
 */
import { findFault } from '../audio/check'
import { trackPitch } from '../audio/analysis/pitch'
import type { Pcm } from '../audio/pcm'
import { loadEngineOf } from '../speech/load-engine'
import { utteranceCharactersMax, type Speech } from '../speech/engine'
import type { ConvolutionForm, VoiceSpec } from '../speech/voice'
import type { Runtime } from '../speech/onnx/runtime'
import { genderOfPitch } from '../cloning/pitch-gender'
import { BadPack, type Pack, type PackVoice } from '../speech/models/pack'
import { beginningOf, probeText } from './probe-texts'
import { chooseForm, formsOfModel } from './choose-form'
import { parameterBytesOf } from './memory'
import { timeRuns, type RunClock } from './run-time'
import { readPack, type ReadPack } from './read-pack'
import type { PackReader } from '../speech/models/family'

export type ProbeOptions = {
  readonly runtime: () => Promise<Runtime>
  /** Memory limit for a model; a model that needs more is not opened. */
  readonly memoryMaxBytes: number
  /** Form of the model's convolutions; undefined: that of the file. */
  readonly convolutions?: ConvolutionForm
  /** Replaces all readers, for tests. */
  readonly readers?: readonly PackReader[]
  /** Replaces the engines, for tests. */
  readonly load?: typeof loadEngineOf
  /** Replaces the clock, for tests. */
  readonly clock?: RunClock
}

/** `realTimeFactor`: seconds of computing for a second of sound, with the threads of the runtime. */
export type ProbedPack = { readonly pack: Pack; readonly realTimeFactor: number }

/** Number of voices of unknown gender to synthesize for detection. */
const listenedVoicesMax = 8
const pitchRange = { minHz: 60, maxHz: 500, stepSeconds: 0.01 }
/** Fewer voiced frames give no gender: half a second. */
const voicedFramesMin = 50
const messageLengthMax = 300

/** Probes the pack in `directory`. Throws `BadPack`, and onnxruntime's own failures. */
export async function probePack(directory: string, options: ProbeOptions): Promise<ProbedPack> {
  const read = withForm(await readPack(directory, options.readers), options.convolutions)
  requireMemory(read, read.model.memoryBytes, options)
  const before = residentBytes()
  const probe = read.family === 'converter' ? probeConverter : probeVoices
  const { residentMaxBytes, realTimeFactor, ...found } = await probe(read, await options.runtime(), options)
  // Reused memory does not show as growth, but every model takes at least its parameters.
  const leastBytes = parameterBytesOf(read.model.memoryBytes)
  const memoryBytes = Math.round(Math.max(leastBytes, residentMaxBytes - before))
  requireMemory(read, memoryBytes, options)
  return { pack: { ...read, ...found, model: { ...read.model, memoryBytes } }, realTimeFactor }
}

function withForm(read: ReadPack, convolutions: ConvolutionForm | undefined): ReadPack {
  return convolutions ? { ...read, model: { ...read.model, convolutions } } : read
}

/**
 * The fastest form of the convolutions of the pack in `directory`; undefined when there is no choice. Throws like
 * `probePack`.
 */
export async function chooseConvolutions(
  directory: string,
  options: ProbeOptions,
): Promise<ConvolutionForm | undefined> {
  const read = await readPack(directory, options.readers)
  const { model, voices, family } = read
  const forms = family === 'converter' ? [] : formsOfModel(model)
  if (forms.length === 0) return undefined
  requireMemory(read, model.memoryBytes, options)
  const { load = loadEngineOf } = options
  const text = probeText(voices[0]!.language)
  return guard(model.graph, () =>
    chooseForm(forms, text, async (form) => {
      const spec = specOf(withForm(read, form), voices[0]!)
      const engine = await load(spec, options.runtime)
      return async (words) => (await engine.synthesize(spec, words)).samples
    }),
  )
}

type Found = Pick<Pack, 'voices' | 'timesWords' | 'batches'> & {
  /** Resident memory of the process at its longest allowed request. */
  readonly residentMaxBytes: number
  readonly realTimeFactor: number
}

function requireMemory({ model }: ReadPack, memoryBytes: number, { memoryMaxBytes }: ProbeOptions): void {
  if (memoryBytes <= memoryMaxBytes) return
  const [needed, most] = [memoryBytes, memoryMaxBytes].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`)
  throw new BadPack(`${model.graph} needs about ${needed} of memory; at most ${most} are allowed`)
}

async function probeVoices(pack: ReadPack, runtime: Runtime, options: ProbeOptions): Promise<Found> {
  const { load = loadEngineOf, clock } = options
  const { graph } = pack.model
  const specs = pack.voices.map((voice) => specOf(pack, voice))
  const first = specs[0]!
  const engine = await guard(graph, () => load(first, async () => runtime))

  const synthesize = (voice: VoiceSpec, text: string) => guard(graph, () => engine.synthesize(voice, text))

  function requireSpeech(speech: Speech, voice: VoiceSpec, text: string): void {
    const fault = findSpeechFault(speech, voice, text)
    if (fault) throw new BadPack(`${graph} does not speak: its voice ${voice.id} gave ${fault}`)
  }

  async function speak(voice: VoiceSpec, text = probeText(voice.language)): Promise<Speech> {
    const speech = await synthesize(voice, text)
    requireSpeech(speech, voice, text)
    return speech
  }

  const text = probeText(first.language)
  const word = beginningOf(text)
  await speak(first, word)
  const shortly = residentBytes()
  const { result: speech, ms } = await timeRuns(() => synthesize(first, text), clock)
  requireSpeech(speech, first, text)
  const longer = residentBytes()
  // The memory of a run grows with the length of its sentence.
  const perCharacter = Math.max(0, longer - shortly) / (text.length - word.length)

  const voices: PackVoice[] = []
  let listened = 0
  for (const [index, voice] of pack.voices.entries()) {
    const isHeard = voice.gender === null && listened++ < listenedVoicesMax
    const gender = isHeard ? genderOf(index === 0 ? speech : await speak(specs[index]!)) : voice.gender
    voices.push({ ...voice, gender })
  }
  return {
    voices,
    timesWords: speech.words !== undefined,
    batches: engine.synthesizeBatch !== undefined,
    residentMaxBytes: longer + perCharacter * (utteranceCharactersMax - text.length),
    realTimeFactor: ms / 1000 / secondsOf(speech),
  }
}

const secondsOf = ({ samples, sampleRate }: Pcm) => samples.length / sampleRate

function specOf({ family, sampleRate, model }: ReadPack, { id, language, settings }: PackVoice): VoiceSpec {
  return { id, engine: family as VoiceSpec['engine'], language, sampleRate, settings, model }
}

function findSpeechFault(speech: Speech, { language, sampleRate }: VoiceSpec, text: string): string | null {
  const letters = text.match(/[\p{L}\p{N}]/gu)!.length
  if (speech.sampleRate !== sampleRate) return `sound of ${speech.sampleRate} Hz instead of ${sampleRate} Hz`
  return findFault(speech, { letters, language, speed: speech.speed })
}

/** Gender by the median fundamental frequency; null with too little voiced sound. */
export function genderOf(speech: Pcm): PackVoice['gender'] {
  const voiced = [...trackPitch(speech, pitchRange).hz].filter((hz) => hz > 0).sort((a, b) => a - b)
  if (voiced.length < voicedFramesMin) return null
  return genderOfPitch(voiced[voiced.length >> 1]!)
}

/**
 * Converts a second of harmonic sound to its own speaker embedding. The converter itself refuses values that are not
 * finite.
 */
async function probeConverter(pack: ReadPack, runtime: Runtime, { clock }: ProbeOptions): Promise<Found> {
  const { graph } = pack.model
  const { loadConverter } = await import('../cloning/convert/converter')
  const converter = await guard(graph, () => loadConverter(pack.model, runtime))
  const loaded = residentBytes()
  const sound = hum(converter.sampleRate)
  const tone = await guard(graph, () => converter.extract(sound))
  const { result: converted, ms } = await timeRuns(
    () => guard(graph, () => converter.convert(sound, tone, tone)),
    clock,
  )
  if (converted.samples.every((value) => Math.abs(value) < silentBelow))
    throw new BadPack(`${graph} does not convert: it gave silence`)
  const perSecond = Math.max(0, residentBytes() - loaded)
  return {
    ...{ voices: [], timesWords: false, batches: false },
    residentMaxBytes: loaded + perSecond * convertedSeconds,
    realTimeFactor: ms / 1000 / secondsOf(sound),
  }
}

/** −60 dBFS. */
const silentBelow = 0.001
/** The converter works on pieces of up to nine seconds and their margins. */
const convertedSeconds = 12
const humHz = 130
const harmonics = 20

function hum(sampleRate: number): Pcm {
  const samples = Float32Array.from({ length: sampleRate }, (_, i) => {
    let value = 0
    for (let k = 1; k <= harmonics; k++) value += Math.sin((2 * Math.PI * humHz * k * i) / sampleRate + k * k) / k
    return 0.2 * value
  })
  return { samples, sampleRate }
}

/** Collects garbage first, so that the rest belongs to the model. */
function residentBytes(): number {
  Bun.gc(true)
  return process.memoryUsage.rss()
}

/** onnxruntime's messages when the kernel refuses memory. */
const outOfMemoryPattern = /bad_alloc|[Ff]ailed to allocate|[Oo]ut of memory/

/** Attributes every engine error to the pack, because this is its first run. */
async function guard<T>(graph: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BadPack) throw error
    const message = (error instanceof Error ? error.message : String(error)).split('\n')[0]!
    if (outOfMemoryPattern.test(message))
      throw new BadPack(`${graph} needs more memory than a model of its size may use`)
    throw new BadPack(`${graph} cannot be used: ${message.slice(0, messageLengthMax)}`)
  }
}
