/** Why the pool takes or finishes no more work, as callers are told. */
import { AppError } from '../errors'
import type { Pool } from './pool'

export function queueFull(pool: Pool): AppError {
  return new AppError('rate_limited', 'The synthesis queue is full; try again later.', {
    retryAfterSeconds: pool.retryAfterSeconds,
  })
}

export function stopping(): AppError {
  return new AppError('shutting_down', 'The service is stopping; nothing was charged.', { retryAfterSeconds: 5 })
}
