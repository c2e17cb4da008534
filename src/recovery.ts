/** Puts in order what requests left behind that never came to their end: their units go back, their rows are closed. */
import type { Database } from './db/database'
import { transact } from './db/statements'
import { openHolds, release, type OpenHold } from './ledger/ledger'
import type { Storage } from './storage/storage'
import { findUsage, finishUsage } from './usage/usage'

/** After a crash, before `releaseAll`: sound that requests under way had stored already, and nobody was told of. */
export async function removeUnrecorded(db: Database, storage: Storage): Promise<void> {
  for (const { requestId } of openHolds(db)) {
    const { kind, voiceId, format } = findUsage(db, requestId)!
    await (kind === 'clone' ? storage.removeDemosOf(voiceId) : storage.remove(`${requestId}.${format}`))
  }
}

/** After a crash: nothing is under way any more. Returns the ids of the requests that were closed. */
export function releaseAll(db: Database): string[] {
  return close(db, openHolds(db))
}

/**
 * While the service runs: holds that no request works on. One that is at work keeps its hold however late the clock
 * says that it is, for clocks are set and machines sleep.
 */
export function releaseExpired(db: Database, nowMs: number, isAtWork: (requestId: string) => boolean): string[] {
  return close(
    db,
    openHolds(db, nowMs).filter(({ requestId }) => !isAtWork(requestId)),
  )
}

function close(db: Database, holds: readonly OpenHold[]): string[] {
  if (holds.length > 0)
    transact(db, () => {
      for (const { id, requestId } of holds) {
        release(db, id)
        finishUsage(db, requestId, { status: 'failed', errorCode: 'internal_error' })
      }
    })
  return holds.map(({ requestId }) => requestId)
}
