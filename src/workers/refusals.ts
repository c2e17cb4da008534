/** Takes a place in the scheduler, and turns a refusal into the caller's error. */
import { AppError } from '../errors'
import type { Demand, Place } from './admission'
import { advisedLength } from './pace'
import type { Scheduler } from './scheduler'

/** The product of the request: speech of a text of so many characters, or a clone. */
type Purpose =
  | {
      readonly characters: number
      /** Called before the refusal of a text that takes too long. `share`: the part of it that would fit. */
      readonly onTooLong?: (share: number) => void
    }
  | 'clone'

/**
 * The caller must leave the place. Throws `rate_limited` with `retryAfterSeconds`, and `synthesis_timeout` (too long).
 */
export function takePlace({ admission }: Pick<Scheduler, 'admission'>, demand: Demand, purpose: Purpose): Place {
  const answer = admission.admit(demand)
  if (!('reason' in answer)) return answer
  if (answer.reason === 'too_long') {
    if (purpose !== 'clone') purpose.onTooLong?.(answer.share)
    throw new AppError('synthesis_timeout', describeTooLong(purpose, answer.share))
  }
  const { reason, retryAfterSeconds } = answer
  const message = `The ${subjects[reason]}; nothing was charged. Try again in ${retryAfterSeconds} s.`
  throw new AppError('rate_limited', message, { retryAfterSeconds })
}

/** `share`: the part that would fit. */
function describeTooLong(purpose: Purpose, share: number): string {
  if (purpose === 'clone')
    return 'Making a voice takes longer here than a request may last; nothing was charged. Try again later.'
  const characters = advisedLength(share * purpose.characters)
  const advice = characters >= 1 ? `Split the text: about ${characters} characters fit.` : 'Use another voice.'
  return `This voice takes longer for this text than a request may last; nothing was charged. ${advice}`
}

const subjects = {
  full: 'synthesis queue is full',
  busy: 'service is busy with earlier requests, and this one would not finish in time',
}

export function stopping(): AppError {
  return new AppError('shutting_down', 'The service is stopping; nothing was charged.', { retryAfterSeconds: 5 })
}
