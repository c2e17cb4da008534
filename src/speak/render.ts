/**
 * Renders one request from text to bytes. Several utterances are submitted to the scheduler at once. Their audio is
 * encoded in order and written as it comes. The head of the file needs the totals and is written last.
 */
import { countCharacters } from '../billing/ledger/characters'
import type { AudioFormat } from '../audio/encode/encoder'
import { encodingSampleRate } from '../audio/encode/formats'
import { lengthen, type Deadline } from '../deadline'
import type { TimedWord } from '../speech/engine'
import type { Planned } from '../speech/text/blocks'
import { silenceMs } from '../speech/text/plan'
import type { Storage } from '../storage/storage'
import type { Place } from '../workers/admission'
import { JobEnded, type Job, type Sound } from '../workers/job'
import { soundMeasure, utteranceMeasure } from '../workers/measures'
import { stopping, takePlace } from '../workers/refusals'
import type { Scheduler } from '../workers/scheduler'
import { createWork, type RequestWork } from '../workers/work'
import { openAudioWriter, type ByteSink } from './audio-writer'
import { measureAgain } from './measure-again'
import { asRenderError } from './render-error'
import { planRequest, type RequestPlan, type TextToSpeak } from './request-plan'
import { createUtterer, joinWords } from './utter'

export type RenderRequest = TextToSpeak & {
  readonly speed: number
  readonly format: AudioFormat
  /** Hz; undefined: the voice's own sample rate. */
  readonly mp3SampleRate: number | undefined
  /** Hz; undefined: the rate of the API. */
  readonly wavSampleRate?: number
  /** Key in the fair queue; null for background work. */
  readonly queueKey: string | null
  /** Deadline of the whole request, queueing included. */
  readonly deadline: Deadline
  /** A text that takes a slow voice long gets a later deadline, up to this one. */
  readonly latest?: Deadline
  /** Place of the admitted request that this rendering is a part of. */
  readonly place?: Place
  /** Drops the request when aborted before its first task begins; later it has no effect. */
  readonly signal?: AbortSignal
  readonly fault?: RenderFault
  /** Called after each utterance. `share`: the part of the text that is done, 0 to 1. */
  readonly onProgress?: (progress: { readonly share: number; readonly audioMs: number }) => void
}

/** Fault to inject: the stage that fails, or `hang` for a synthesis that takes too long. */
export type RenderFault = 'synthesize' | 'hang' | 'stretch' | 'encode' | 'store'

export type Rendering = {
  readonly sampleRate: number
  readonly audioMs: number
  /** Word times in the audio; undefined if an engine reports none, and for texts of several blocks. */
  readonly words: readonly TimedWord[] | undefined
  /** Milliseconds from the start of the first task to the last byte. */
  readonly processingMs: number
}

/**
 * Renders `text` into `sink`. Throws `rate_limited` (too much work waits), `synthesis_failed`, `synthesis_timeout`
 * (also when the text takes too long even on an idle machine), `speed_processing_failed`, `transcode_failed`,
 * `client_gone`, `shutting_down`, and any error of the sink.
 */
export async function render(scheduler: Scheduler, request: RenderRequest, sink: ByteSink): Promise<Rendering> {
  const plan = planRequest(request)
  const sampleRate = outputSampleRate(request)
  const work = workOf(scheduler, request, plan, sampleRate)
  const deadline = deadlineFor(scheduler, request, work)
  const place = placeFor(scheduler, request, { deadline, work, voices: plan.cast.voices })
  const job = scheduler.openJob({ key: request.queueKey ?? '', background: request.queueKey === null, place, work })
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    job.end()
  }, deadline.remainingMs())
  const leave = () => {
    if (!job.begun) job.end()
  }
  request.signal?.addEventListener('abort', leave)
  if (request.signal?.aborted) leave()
  try {
    const startedAtMs = performance.now()
    const { frames, words } = await speakAll({ scheduler, job, request, plan, sampleRate, sink })
    if (timedOut) throw new JobEnded()
    return {
      sampleRate,
      words,
      audioMs: Math.round((frames / sampleRate) * 1000),
      processingMs: Math.round(performance.now() - (job.begunAtMs ?? startedAtMs)),
    }
  } catch (error) {
    if (scheduler.closed && error instanceof JobEnded) throw stopping()
    throw asRenderError(error, request.format, timedOut)
  } finally {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', leave)
    job.end()
    if (!request.place) place?.leave()
  }
}

/** The deadline of the request, or a later one that leaves time for `work`. */
function deadlineFor({ admission }: Scheduler, { deadline, latest }: RenderRequest, work: RequestWork): Deadline {
  if (!latest) return deadline
  const endAtMs = admission.deadlineFor(work, { usualAtMs: deadline.endAtMs, latestAtMs: latest.endAtMs })
  return endAtMs > deadline.endAtMs ? lengthen(deadline, endAtMs - deadline.endAtMs) : deadline
}

/** Background work takes no place. */
function placeFor(
  scheduler: Scheduler,
  { queueKey, place, fault, text, speed, deadline: usual }: RenderRequest,
  {
    deadline,
    work,
    voices,
  }: { readonly deadline: Deadline; readonly work: RequestWork; readonly voices: RequestPlan['cast']['voices'] },
) {
  if (queueKey === null) return undefined
  if (!place) {
    // A request with the fault `hang` is always admitted, so that it can time out.
    const deadlineAtMs = fault === 'hang' ? Infinity : deadline.endAtMs
    const demand = { key: queueKey, deadlineAtMs, work, isLong: deadline !== usual }
    const onTooLong = (share: number) => void measureAgain(scheduler, voices.values(), { speed, share })
    return takePlace(scheduler, demand, { characters: countCharacters(text), onTooLong })
  }
  place.work = work
  return place
}

function workOf(
  scheduler: Scheduler,
  { speed, format }: RenderRequest,
  { known, cast: { voices } }: RequestPlan,
  sampleRate: number,
): RequestWork {
  const parts = known
    .filter(({ utterance: { text } }) => text !== '')
    .map(({ utterance: { voiceId, text } }) => {
      const voice = voices.get(voiceId)!
      return { task: utteranceMeasure(voice, text.length, speed), sound: soundMeasure(voice, text.length) }
    })
  const encode = format === 'wav' ? undefined : { format, sampleRate, speed }
  return createWork(scheduler.speeds, { parts, encode, ...scheduler.readiness([...voices.values()], parts.length) })
}

function outputSampleRate({ format, voice, mp3SampleRate: forced, wavSampleRate }: RenderRequest): number {
  const rate = encodingSampleRate(format, voice.sampleRate)
  if (format === 'wav') return wavSampleRate ?? rate
  return format === 'mp3' ? (forced ?? rate) : rate
}

type RenderState = {
  scheduler: Scheduler
  job: Job
  request: RenderRequest
  plan: RequestPlan
  /** Hz. */
  sampleRate: number
  sink: ByteSink
}

async function speakAll({
  scheduler,
  job,
  request,
  plan: { planned, cast },
  sampleRate,
  sink,
}: RenderState): Promise<{ frames: number; words: readonly TimedWord[] | undefined }> {
  const { format, fault } = request
  const append = openAudioWriter(job, { format, sampleRate, fails: fault === 'encode' }, sink)
  const utterer = createUtterer(job, cast, { sampleRate, speed: request.speed, fault })
  const inFlight: { sound: Promise<Sound>; planned: Planned }[] = []
  let words: TimedWord[] | undefined = []
  const submit = () => {
    const next = planned.next()
    if (next.done) return
    const sound = utterer.utter(next.value.utterance)
    // The loop below awaits it later; until then a rejection must not count as unhandled.
    sound.catch(() => {})
    inFlight.push({ sound, planned: next.value })
  }
  for (let i = 0; i < utterancesAheadMax; i++) submit()
  let frames = 0
  let ended = false
  while (inFlight.length > 0) {
    const { sound, planned: spoken } = inFlight.shift()!
    const { chunks, words: timed } = await sound
    submit()
    words = spoken.block > 0 ? undefined : joinWords(words, timed, frames / sampleRate)
    for (const [i, samples] of chunks.entries()) {
      frames += samples.length
      ended = inFlight.length === 0 && i === chunks.length - 1
      await append(samples, ended)
    }
    request.onProgress?.({ share: spoken.share, audioMs: Math.round((frames / sampleRate) * 1000) })
  }
  // Signs without a name in the voice are silent. Add silence, because players reject an empty file.
  const silence = new Int16Array(frames === 0 ? Math.round((silenceMs / 1000) * sampleRate) : 0)
  if (!ended) await append(silence, true)
  const { leftOut } = utterer
  if (leftOut > 0)
    scheduler.log.warn({ voice: request.voice.id, characters: leftOut }, 'unspoken characters became pauses')
  return { frames: frames + silence.length, words }
}

/** Most utterances of one request in synthesis or waiting for the encoder. The limit bounds memory. */
const utterancesAheadMax = 16

/**
 * Renders into a new file of the storage. The file appears under `name` only when it is complete and durable.
 * `processingMs` includes storing it. Throws `storage_failed` and the errors of `render`.
 */
export async function renderToStorage(
  scheduler: Scheduler,
  storage: Storage,
  name: string,
  request: RenderRequest,
): Promise<Rendering> {
  const file = await storage.create(name, { failing: request.fault === 'store' })
  try {
    const rendering = await render(scheduler, request, file)
    const renderedAtMs = performance.now()
    await file.commit()
    return { ...rendering, processingMs: Math.round(rendering.processingMs + performance.now() - renderedAtMs) }
  } catch (error) {
    await file.abort()
    throw error
  }
}
