/**
 * The code of a worker process. It runs the tasks of its parent one at a time and exits when the parent does.
 * Synthesis, loudness, speed, resampling and encoding happen here; the main process only carries bytes.
 */
import { findAbsence, findFault } from '../audio/check'
import type { Encoder } from '../audio/encode/encoder'
import { createMp3Encoder, mp3BitrateKbps } from '../audio/encode/mp3'
import { normalizeLoudness } from '../audio/loudness'
import { fromInt16, toInt16, type Pcm } from '../audio/pcm'
import { resample } from '../audio/resample'
import { stretch } from '../audio/stretch'
import { trimSilence } from '../audio/trim'
import { followParent } from '../process/parent'
import { adapt } from '../cloning/adapt/adapt'
import { enrol, type Enrolment } from '../cloning/adapt/enrol'
import { measureVoice, type VoiceStatistics } from '../cloning/adapt/measure'
import type { Conversions } from '../cloning/convert/conversion'
import { engineKey, type Loadable, type VoiceSpec } from '../speech/voice'
import { loadEngineOf } from '../speech/load-engine'
import { NoSpeech, NothingToSay, type Speech, type SpeechEngine, type TimedWord } from '../speech/engine'
import { BadPack } from '../speech/models/pack'
import type { Runtime } from '../speech/onnx/runtime'
import { readRuntimeOptions } from '../speech/onnx/runtime-options'
import {
  faultMessage,
  chunkFramesMax,
  type Answer,
  type BatchTask,
  type EncodeTask,
  type EnrolTask,
  type FromWorker,
  type Probed,
  type ProbeTask,
  type Stage,
  type SynthesizeTask,
  type Task,
  type Unspoken,
} from './protocol'

type Result = { samples?: Int16Array } & Omit<Extract<Answer, { ok: true }>, 'ok' | 'items'>

class StageError extends Error {
  constructor(
    readonly stage: Stage,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

const warmText = 'Ready.'
/** Longer than the deadline of a request with the fault `hang`. */
const hangMs = 1_000

/** Serves tasks until the parent process exits. Tests replace the engines with `load`. */
export function runWorker(load: (voice: Loadable) => Promise<SpeechEngine> = loadWithRuntime): void {
  followParent()
  const engines = new Map<string, Promise<SpeechEngine>>()
  const streams = new Map<number, Encoder>()
  let converting: Conversions | undefined
  const send = (message: FromWorker) => process.send!(message)

  function engine(voice: Loadable): Promise<SpeechEngine> {
    // `converting` holds the voice's converter.
    const key = engineKey({ engine: voice.engine, model: voice.model })
    let loading = engines.get(key)
    if (!loading) {
      loading = load(voice)
      engines.set(key, loading)
      loading.catch(() => engines.delete(key))
    }
    return loading
  }

  async function perform(task: Exclude<Task, BatchTask>): Promise<Result> {
    switch (task.kind) {
      case 'synthesize':
        return synthesize(task, () => synthesizeAnew(task.voice, task.text, task.speed))
      case 'encode':
        return encode(task)
      case 'enrol':
        return { enrolment: await stage('enrol', () => enrolVoice(task)) }
      case 'measure':
        return { statistics: await stage('enrol', () => measure(task.voice)) }
      case 'analyze':
        return stage('analyze', async () => (await import('./analyze-recording')).analyze(task))
      case 'probe':
        return { probed: await probe(task) }
      case 'abandon':
        streams.delete(task.stream)
        return {}
      case 'warm':
        await warm(task.voice)
        return {}
      case 'try':
        return stage('synthesize', async () =>
          (await import('../speech/onnx/trial')).tryRuntime(readRuntimeOptions(process.env)),
        )
      case 'load':
        await stage('synthesize', () => loadAll(task.voice))
        collectAboveBytes = Math.max(collectAboveBytes, process.memoryUsage.rss() + collectAboveLoadedBytes)
        return {}
    }
  }

  async function loadAll(voice: Loadable): Promise<void> {
    await engine(voice)
    if (voice.conversion) await (await conversions()).converterOf(voice.conversion.model)
  }

  async function warm(voice: VoiceSpec): Promise<void> {
    const pcm = await (await engine(voice)).synthesize(voice, warmText)
    const encoder = await createMp3Encoder({ sampleRate: pcm.sampleRate, bitrateKbps: mp3BitrateKbps(pcm.sampleRate) })
    encoder.append(toInt16(normalizeLoudness(trimSilence(pcm)).samples))
    encoder.finish()
  }

  async function synthesize(task: SynthesizeTask, utter: () => Promise<Speech>): Promise<Result> {
    const pauseFrames = Math.round((task.pauseMs / 1000 / task.speed) * task.sampleRate)
    if (task.text === '') return { samples: new Int16Array(pauseFrames) }
    const spoken = await stage('synthesize', async () => speak(task, utter))
    const remaining = task.speed / (spoken.speed ?? 1)
    const timed = await stage('stretch', () => {
      if (remaining === 1) return spoken
      if (task.fault === 'stretch') throw new Error(faultMessage)
      return stretch(spoken, remaining)
    })
    const output = await stage('resample', () => resample(timed, task.sampleRate))
    const samples = new Int16Array(output.samples.length + pauseFrames)
    samples.set(toInt16(output.samples))
    return { samples, words: spoken.words && timeAnew(spoken.words, 0, remaining) }
  }

  async function speak(task: SynthesizeTask, utter: () => Promise<Speech>): Promise<Speech> {
    if (task.fault === 'synthesize') throw new Error(faultMessage)
    if (task.fault === 'hang') await Bun.sleep(hangMs)
    const { speed, words, ...raw } = await utter().catch((error) => leaveOut(task, error))
    requireSpeech(raw, task, speed)
    const plain = withoutConversion(task.voice, raw)
    const timing = { speed, words: words && timeAnew(words, trimSilence(raw).startSeconds, 1) }
    if (!task.voice.conversion) return { ...normalizeLoudness(plain), ...timing }
    const converted = await (await conversions()).convert(task.voice, plain)
    requireSpeech(converted, task, speed)
    return { ...normalizeLoudness(converted), ...timing }
  }

  function requireSpeech(speech: Pcm, { letters, symbols, voice: { language } }: SynthesizeTask, speed?: number): void {
    const expected = { letters, symbols, language, speed }
    const fault = findFault(speech, expected)
    if (!fault) return
    throw findAbsence(speech, expected) ? new NoSpeech(fault) : new Error(fault)
  }

  function withoutConversion({ adaptation }: VoiceSpec, raw: Pcm): Pcm {
    const trimmed = trimSilence(raw)
    return adaptation ? adapt(trimmed, adaptation) : trimmed
  }

  /** Loads the conversion code on first use, since few voices need it. */
  async function conversions(): Promise<Conversions> {
    const { createConversions } = await import('../cloning/convert/conversion')
    return (converting ??= createConversions(loadRuntime, async (voice, text) =>
      withoutConversion(voice, await synthesizePlainly(voice, text)),
    ))
  }

  async function enrolVoice({ samples, sampleRate, by, ...options }: EnrolTask): Promise<Enrolment> {
    const reference: Pcm = { samples: fromInt16(samples), sampleRate }
    if (!by.conversion) {
      const canSpeak = (voice: VoiceSpec) => engineKey(voice) === engineKey(by)
      return enrol(reference, { ...options, synthesize: synthesizePlainly, canSpeak })
    }
    const { model } = by.conversion
    const converter = await (await conversions()).converterOf(model)
    const { enrolConverted } = await import('../cloning/convert/enrol')
    return enrolConverted(reference, { ...options, converter })
  }

  async function measure(voice: VoiceSpec): Promise<VoiceStatistics> {
    const { tuningTexts } = await import('../speech/tuning-texts')
    return measureVoice(await synthesizePlainly(voice, tuningTexts(voice.language)[0]!))
  }

  function synthesizePlainly(voice: VoiceSpec, text: string): Promise<Pcm> {
    return synthesizeAnew(voice, text, 1)
  }

  /** Drops an engine that failed, since its state is unknown; the next task loads it again. */
  async function synthesizeAnew(voice: VoiceSpec, text: string, speed: number): Promise<Speech> {
    try {
      return await (await engine(voice)).synthesize(voice, text, { speed })
    } catch (error) {
      if (!(error instanceof NothingToSay)) engines.delete(engineKey({ engine: voice.engine, model: voice.model }))
      throw error
    }
  }

  async function encode(task: EncodeTask): Promise<Result> {
    return stage('encode', async () => {
      const { sampleRate } = task
      const encoder =
        streams.get(task.stream) ?? (await createMp3Encoder({ sampleRate, bitrateKbps: mp3BitrateKbps(sampleRate) }))
      streams.set(task.stream, encoder)
      const body = encoder.append(task.samples)
      if (!task.last) return { bytes: body, headBytes: encoder.headBytes }
      streams.delete(task.stream)
      const { tail, head } = encoder.finish()
      return { bytes: Buffer.concat([body, tail]), headBytes: encoder.headBytes, head }
    })
  }

  async function answer(work: () => Promise<Result>, item = 0): Promise<Answer> {
    try {
      const { samples, ...rest } = await work()
      for (let at = 0; samples && at < samples.length; at += chunkFramesMax)
        send({ type: 'chunk', samples: samples.slice(at, at + chunkFramesMax), item })
      return { ok: true, ...rest }
    } catch (error) {
      const at = error instanceof StageError ? error.stage : 'synthesize'
      const message = error instanceof Error ? error.message : String(error)
      return { ok: false, stage: at, message, unspoken: unspokenOf(error) }
    }
  }

  /** Runs each task alone when the batch fails, so that only the faulty ones fail. */
  async function answerBatch({ tasks }: BatchTask): Promise<Answer> {
    const { voice, speed } = tasks[0]!
    const texts = tasks.map(({ text }) => text)
    const speeches = await engine(voice)
      .then((loaded) => loaded.synthesizeBatch!(voice, texts, { speed }))
      .catch(() => undefined)
    const items: Answer[] = []
    for (const [item, task] of tasks.entries()) {
      const utter = async () => speeches?.[item] ?? synthesizeAnew(voice, task.text, speed)
      items.push(await answer(() => synthesize(task, utter), item))
    }
    return { ok: true, items }
  }

  process.on('message', async (task: Task) => {
    send({ type: 'begun' })
    send({ type: 'answer', answer: await (task.kind === 'batch' ? answerBatch(task) : answer(() => perform(task))) })
    collectGarbage()
  })
  send({ type: 'ready' })
}

/** Returns empty speech for a text of signs only, which a voice may have no name for; else throws `error`. */
function leaveOut({ letters, sampleRate }: SynthesizeTask, error: unknown): Speech {
  if (error instanceof NothingToSay && letters === 0) return { samples: new Float32Array(0), sampleRate, words: [] }
  throw error
}

function unspokenOf(error: unknown): Unspoken | undefined {
  const cause = error instanceof StageError ? error.cause : error
  if (cause instanceof NothingToSay) return 'unknown'
  return cause instanceof NoSpeech ? 'absent' : undefined
}

/** Word times after the first `startSeconds` are cut off and the rest is played at `speed`. */
function timeAnew(words: readonly TimedWord[], startSeconds: number, speed: number): TimedWord[] {
  const anew = (seconds: number) => Math.max(0, seconds - startSeconds) / speed
  return words.map((word) => ({
    ...word,
    startSeconds: anew(word.startSeconds),
    endSeconds: anew(word.endSeconds),
  }))
}

let runtime: Promise<Runtime> | undefined

function loadRuntime(): Promise<Runtime> {
  return (runtime ??= openRuntime())
}

async function openRuntime(): Promise<Runtime> {
  return (await import('../speech/onnx/runtime')).openRuntime(readRuntimeOptions(process.env))
}

function loadWithRuntime(voice: Loadable): Promise<SpeechEngine> {
  return loadEngineOf(voice, loadRuntime)
}

/** Answers with a `reason` when the pack is bad. Throws any other error. */
async function probe({ directory, memoryMaxBytes }: ProbeTask): Promise<Probed> {
  const { probePack } = await import('../packs/probe')
  try {
    return { pack: await probePack(directory, { runtime: loadRuntime, memoryMaxBytes }) }
  } catch (error) {
    if (error instanceof BadPack) return { reason: error.message }
    throw error
  }
}

/** Resident memory above which a busy worker collects garbage. An idle worker always does. */
let collectAboveBytes = 110e6
/** Resident memory that a worker with a loaded model may add before it collects. */
const collectAboveLoadedBytes = 60e6
const collectEveryMs = 1_000
const restMs = 300
let collectedAtMs = 0
let rest: NodeJS.Timeout | undefined

/** Collects explicitly; the collector alone lets the process grow to twice the memory that it needs. */
function collectGarbage(): void {
  clearTimeout(rest)
  rest = setTimeout(() => Bun.gc(true), restMs)
  if (performance.now() - collectedAtMs < collectEveryMs || process.memoryUsage.rss() < collectAboveBytes) return
  Bun.gc(true)
  collectedAtMs = performance.now()
}

async function stage<T>(name: Stage, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new StageError(name, error)
  }
}
