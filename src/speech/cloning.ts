/** From a recording to a voice, through the pool: the recording is decoded and looked at, then a voice is made of it. */
import { limits } from '../config'
import { AppError } from '../errors'
import type { VoiceSpec } from './engine'
import { JobEnded, type Job, type Pool } from './pool'
import type { Recording } from './protocol'
import { queueFull, stopping } from './refusals'
import { TaskFailed } from './task-failed'

export type { Recording } from './protocol'

export type Queue = {
  /** Whose turn it is in the fair queue. */
  readonly queueKey: string
  /** Waiting included. */
  readonly timeoutMs: number
  /** Aborted before a worker has begun, the work is dropped; later it has no effect. */
  readonly signal?: AbortSignal
}

export type EnrolledVoice = {
  /** BCP 47. */
  readonly language: string
  readonly gender: 'female' | 'male'
  readonly baseVoiceId: string
  /** JSON. */
  readonly profile: string
}

/**
 * Men's voices have their median pitch at 85 to 155 Hz, women's at 165 to 255 Hz (Baken and Orlikoff, 2000). A man who
 * shouts is taken for a woman; the vocal tract, as far as it can be measured here, would not tell him either.
 */
const femaleHzMin = 160
const channelsMax = 8
/** Fifteen seconds take a few milliseconds; damaged files take longest. */
const decodeTimeoutMs = 4_000

/**
 * What is in the recording, mono. Throws `unsupported_audio`, `audio_parse_failed`, `duration_exceeded`,
 * `render_failed` (nobody could look at it), `rate_limited` (queue full), `client_gone`.
 */
export async function examineRecording(
  pool: Pool,
  path: string,
  { param, ...queue }: Queue & { /** The field that it came in. */ readonly param: string },
): Promise<Recording> {
  const { referenceSecondsMax: secondsMax, referenceBytesMax: sizeBytesMax } = limits
  const decodeLimits = { secondsMax, sizeBytesMax, channelsMax, timeoutMs: decodeTimeoutMs }
  const examined = await inJob(
    pool,
    queue,
    (job) => job.examine({ kind: 'examine', path, limits: decodeLimits }),
    (cause) =>
      cause instanceof TaskFailed
        ? new AppError('audio_parse_failed', `${param}: The recording cannot be decoded.`, { param, cause })
        : new AppError('render_failed', 'The recording could not be read; nothing was charged. Try again.', { cause }),
  )
  if ('recording' in examined) return examined.recording
  throw new AppError(examined.refusal.code, `${param}: ${examined.refusal.message}`, { param })
}

/** Throws `render_failed`, `rate_limited` (queue full), `client_gone`. */
export async function enrolVoice(
  pool: Pool,
  { voices }: { readonly voices: readonly VoiceSpec[] },
  { samples, sampleRate }: Recording,
  { language, ...queue }: Queue & { readonly language: string | undefined },
): Promise<EnrolledVoice> {
  const bases = voices.map(({ id, engine, language, sampleRate, settings, adaptation }) => ({
    ...{ id, engine, language, sampleRate, settings, adaptation },
  }))
  const enrolment = await inJob(
    pool,
    queue,
    (job) => job.enrol({ kind: 'enrol', samples, sampleRate, language, bases }),
    (cause) =>
      new AppError('render_failed', 'No voice could be made from the recording; nothing was charged. Try again.', {
        cause,
      }),
  )
  const { profile, base } = enrolment
  return {
    language: enrolment.language,
    gender: profile.target.pitchHz >= femaleHzMin ? 'female' : 'male',
    baseVoiceId: base,
    profile: JSON.stringify(profile),
  }
}

async function inJob<T>(
  pool: Pool,
  { queueKey: key, timeoutMs, signal }: Queue,
  work: (job: Job) => Promise<T>,
  failed: (cause: unknown) => AppError,
): Promise<T> {
  if (pool.full) throw queueFull(pool)
  const job = pool.openJob({ key, background: false })
  const deadline = setTimeout(() => job.end(), timeoutMs)
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
    throw pool.closed && error instanceof JobEnded ? stopping() : failed(error)
  } finally {
    clearTimeout(deadline)
    signal?.removeEventListener('abort', leave)
    job.end()
  }
}
