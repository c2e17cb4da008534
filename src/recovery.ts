/** Puts in order what requests left behind that never came to their end: their units go back, their rows are closed. */
import type { Database } from './db/database'
import { transact } from './db/statements'
import { openHolds, release } from './ledger/ledger'
import { finishUsage } from './usage/usage'

/** After a crash: nothing is under way any more. Returns how many requests were closed. */
export function releaseAll(db: Database): number {
  return releaseHolds(db, openHolds(db))
}

/** While the service runs: holds that no request can still be working on. */
export function releaseExpired(db: Database, nowMs: number): number {
  return releaseHolds(db, openHolds(db, nowMs))
}

function releaseHolds(db: Database, holds: readonly number[]): number {
  if (holds.length > 0)
    transact(db, () => {
      for (const hold of holds) finishUsage(db, release(db, hold), { status: 'failed', errorCode: 'internal_error' })
    })
  return holds.length
}
