/** Makes a voice from a recording, through the scheduler: decodes and analyzes the recording, then enrols the voice. */
import { limits } from '../config'
import type { Deadline } from '../deadline'
import { AppError } from '../errors'
import type { Place } from '../workers/admission'
import type { MeasuredVoices } from '../cloning/bases'
import type { VoiceStatistics } from '../cloning/adapt/measure'
import { engineKey, type Conversion, type Gender, type VoiceSpec } from '../speech/voice'
import type { Converter } from '../cloning/convert/installed-converter'
import { JobEnded, type Job } from '../workers/job'
import { baseLanguage, languageByDefault } from '../language'
import { cloneDemoMeasure, enrolMeasure, analyzeMeasure } from '../workers/measures'
import { genderOfPitch } from '../cloning/pitch-gender'
import type { Scheduler } from '../workers/scheduler'
import { methodOf } from '../cloning/profiles'
import type { Recording } from '../workers/protocol'
import { stopping, takePlace } from '../workers/refusals'
import { TaskFailed } from '../workers/task-failed'
import { createWork, type RequestWork } from '../workers/work'
import { WorkerGone } from '../workers/worker-process'

export type { Recording } from '../workers/protocol'

export type Queue = {
  /** The result of `letCloneIn`. */
  readonly admitted: Admitted
  /** Includes waiting. */
  readonly deadline: Deadline
  /** An abort before a worker begins drops the work; later it has no effect. */
  readonly signal?: AbortSignal
}

export type EnrolledVoice = {
  readonly method: 'adapted' | 'converted'
  /** BCP 47. */
  readonly language: string
  readonly gender: Gender
  readonly baseVoiceId: string
  /** JSON. */
  readonly profile: string
}

/** `work`: the remaining work. */
export type Admitted = { readonly place: Place; readonly work: RequestWork }

/**
 * Admits all work of a clone, its demo included, so that no later part is refused. The caller releases the place.
 * Throws `rate_limited`.
 */
export function letCloneIn(
  scheduler: Scheduler,
  { queueKey, deadline }: { readonly queueKey: string; readonly deadline: Deadline },
  converter: Converter | undefined,
): Admitted {
  const conversion = converter && { model: converter.model }
  const measures = [analyzeMeasure, enrolMeasure(enroller(conversion)), cloneDemoMeasure(converter !== undefined)]
  const work = createWork(scheduler.speeds, { parts: measures.map((task) => ({ task })) })
  const demand = { key: queueKey, deadlineAtMs: deadline.endAtMs, work }
  return { place: takePlace(scheduler, demand, 'clone'), work }
}

const enroller = (conversion: Pick<Conversion, 'model'> | undefined) => ({ engine: 'flite', conversion }) as const

const channelsMax = 8
/** Fifteen seconds of sound take a few milliseconds; damaged files take longest. */
const decodeTimeoutMs = 4_000

/**
 * Decodes the recording to mono. Throws `unsupported_audio`, `audio_parse_failed`, `duration_exceeded`, `render_failed`
 * (no worker could analyze it), `client_gone`.
 */
export async function analyzeRecording(
  scheduler: Scheduler,
  path: string,
  { param, ...queue }: Queue & { /** The request field of the recording. */ readonly param: string },
): Promise<Recording> {
  const { referenceSecondsMax: secondsMax, referenceBytesMax: sizeBytesMax } = limits
  const decodeLimits = { secondsMax, sizeBytesMax, channelsMax, timeoutMs: decodeTimeoutMs }
  const analyzed = await inJob(
    scheduler,
    queue,
    (job) => job.analyze({ kind: 'analyze', path, limits: decodeLimits }),
    (cause) =>
      cause instanceof TaskFailed
        ? new AppError('audio_parse_failed', `${param}: The recording cannot be decoded.`, { param, cause })
        : new AppError('render_failed', 'The recording could not be read; nothing was charged. Try again.', { cause }),
  )
  if ('recording' in analyzed) return analyzed.recording
  throw new AppError(analyzed.refusal.code, `${param}: ${analyzed.refusal.message}`, { param })
}

export type EnrolRequest = Queue & {
  /** BCP 47; undefined when unknown. */
  readonly language: string | undefined
  /** Makes a converted voice; without a converter the voice is adapted. */
  readonly converter: Converter | undefined
}

/** Throws `render_failed`, `client_gone`. */
export async function enrolVoice(
  scheduler: Scheduler,
  { voices }: { readonly voices: readonly VoiceSpec[] },
  { samples, sampleRate }: Recording,
  { language, converter, ...queue }: EnrolRequest,
): Promise<EnrolledVoice> {
  const bases = voices.map(({ id, engine, language, sampleRate, settings, adaptation, model, gender }) => ({
    ...{ id, engine, language, sampleRate, settings, adaptation, model, gender },
  }))
  const enrolment = await inJob(
    scheduler,
    queue,
    async (job) => {
      const measured = await measureInstalled(scheduler, job, bases, language ?? languageByDefault)
      const task = { kind: 'enrol', samples, sampleRate, language, measured } as const
      const conversion = converter && { model: converter.model }
      const made = await job.enrol({ ...task, bases, by: enroller(conversion) })
      const base = bases.find(({ id }) => id === made.base)!
      if (converter || !base.model) return made
      // Only a worker with the base's model can tune the voice.
      return job.enrol({ ...task, bases: [base], by: base })
    },
    (cause) =>
      new AppError('render_failed', 'No voice could be made from the recording; nothing was charged. Try again.', {
        cause,
      }),
  )
  const { base } = enrolment
  const baseModel = bases.find(({ id }) => id === base)?.model?.fingerprint
  const profile = { ...enrolment.profile, ...(baseModel && { baseModel }) }
  return {
    method: methodOf(profile),
    language: enrolment.language,
    gender: genderOfPitch(profile.target.pitchHz),
    baseVoiceId: base,
    profile: JSON.stringify(profile),
  }
}

/** Limit per gender, unknown gender included: a model may have hundreds of speakers. */
const measuredVoicesMax = 4

/** Measured statistics by voice, for each scheduler. */
const measurements = new WeakMap<Scheduler, Map<string, VoiceStatistics>>()

/** Measures the installed voices of the language. Skips voices that fail to speak. */
async function measureInstalled(
  scheduler: Scheduler,
  job: Job,
  bases: readonly VoiceSpec[],
  language: string,
): Promise<MeasuredVoices> {
  const known = measurements.get(scheduler) ?? new Map<string, VoiceStatistics>()
  measurements.set(scheduler, known)
  const counts = new Map<unknown, number>()
  const candidates = bases.filter((base) => {
    if (!base.model || base.adaptation || baseLanguage(base.language) !== baseLanguage(language)) return false
    const count = (counts.get(base.gender ?? null) ?? 0) + 1
    counts.set(base.gender ?? null, count)
    return count <= measuredVoicesMax
  })
  const measured: Record<string, VoiceStatistics> = {}
  const measure = async (voice: VoiceSpec): Promise<void> => {
    const key = JSON.stringify([voice.id, engineKey(voice), voice.settings])
    try {
      const statistics = known.get(key) ?? (await job.measure({ kind: 'measure', voice }))
      known.set(key, statistics)
      measured[voice.id] = statistics
    } catch (error) {
      if (!(error instanceof TaskFailed) && !(error instanceof WorkerGone)) throw error
    }
  }
  await Promise.all(candidates.map(measure))
  return measured
}

async function inJob<T>(
  scheduler: Scheduler,
  { admitted, deadline, signal }: Queue,
  work: (job: Job) => Promise<T>,
  failed: (cause: unknown) => AppError,
): Promise<T> {
  const job = scheduler.openJob({ key: admitted.place.key, background: false, ...admitted })
  const timer = setTimeout(() => job.end(), deadline.remainingMs())
  let hasLeft = false
  const leave = () => {
    if (job.begun) return
    hasLeft = true
    job.end()
  }
  signal?.addEventListener('abort', leave)
  try {
    return await work(job)
  } catch (error) {
    if (hasLeft) throw new AppError('client_gone', 'The client left before the voice was made.')
    throw scheduler.closed && error instanceof JobEnded ? stopping() : failed(error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
    job.end()
  }
}
