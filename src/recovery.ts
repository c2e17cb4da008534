/** Puts in order what requests left behind that never came to their end: their units go back, their rows are closed. */
import { isCramped, uncramp, type Database } from './db/database'
import { transact } from './db/statements'
import { openHolds, release, type OpenHold } from './ledger/ledger'
import type { Logger } from './log'
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
export function releaseAll(db: Database, holds: readonly OpenHold[] = openHolds(db)): string[] {
  return close(db, holds)
}

/** What a start has to put in order, and on a full disk cannot yet. */
export type Recovery = {
  readonly isDone: boolean
  /** Throws when the disk does not take it. */
  run(): void
}

/** Of the holds that are open now nothing is under way any more. Nothing is changed before `run`. */
export function createRecovery(db: Database, log: Logger): Recovery {
  const left = new Set(openHolds(db).map(({ id }) => id))
  return {
    get isDone() {
      return left.size === 0 && !isCramped(db)
    },
    run() {
      if (isCramped(db)) uncramp(db)
      const abandoned = openHolds(db).filter(({ id }) => left.has(id))
      const closed = releaseAll(db, abandoned)
      left.clear()
      if (closed.length > 0)
        log.warn({ requests: closed.length }, 'requests of an earlier process were closed and released')
    },
  }
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
