/** Takes a place in the scheduler, and turns a refusal into the caller's error. */
import { AppError } from '../errors'
import type { Demand, Place } from './admission'
import type { Scheduler } from './scheduler'

/** The product of the request. */
type Purpose = 'speech' | 'clone'

/**
 * The caller must leave the place. Throws `rate_limited` with `retryAfterSeconds`, and `synthesis_timeout` (too long).
 */
export function takePlace({ admission }: Pick<Scheduler, 'admission'>, demand: Demand, purpose: Purpose): Place {
  const answer = admission.admit(demand)
  if (!('reason' in answer)) return answer
  if (answer.reason === 'too_long') throw new AppError('synthesis_timeout', tooLong[purpose])
  const { reason, retryAfterSeconds } = answer
  const message = `The ${subjects[reason]}; nothing was charged. Try again in ${retryAfterSeconds} s.`
  throw new AppError('rate_limited', message, { retryAfterSeconds })
}

const tooLong: Record<Purpose, string> = {
  speech: 'This voice takes longer for this text than a request may last; nothing was charged. Split the text.',
  clone: 'Making a voice takes longer here than a request may last; nothing was charged. Try again later.',
}

const subjects = {
  full: 'synthesis queue is full',
  busy: 'service is busy with earlier requests, and this one would not finish in time',
}

export function stopping(): AppError {
  return new AppError('shutting_down', 'The service is stopping; nothing was charged.', { retryAfterSeconds: 5 })
}
