/** Recovers from requests that never ended: removes their audio, releases their holds and closes their usage rows. */
import { isCramped, uncramp, type Database } from '../db/database'
import { transact } from '../db/statements'
import { openHolds, release, type OpenHold } from './ledger/ledger'
import type { Logger } from '../log'
import type { Storage } from '../storage/storage'
import { findUsage, finishUsage } from './usage/usage'

/** Removes the audio that interrupted requests had stored. Runs after a crash, before `releaseAll`. */
export async function removeUnrecorded(db: Database, storage: Storage): Promise<void> {
  for (const { requestId } of openHolds(db)) {
    const { kind, voiceId, format } = findUsage(db, requestId)!
    await (kind === 'clone' ? storage.removeDemosOf(voiceId) : storage.remove(`${requestId}.${format}`))
  }
}

/** Releases holds that no request works on any more, such as those left by a crash. Returns the closed request ids. */
export function releaseAll(db: Database, holds: readonly OpenHold[] = openHolds(db)): string[] {
  return close(db, holds)
}

/** The recovery of a start. On a full disk it has to wait. */
export type Recovery = {
  readonly isDone: boolean
  /** Throws when the disk fails or is full. */
  run(): void
}

/** Notes the holds that are open now, all left by an earlier process. Changes nothing before `run`. */
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
 * Releases expired holds that no request works on, while the service runs. A running request keeps its hold at any time
 * of the clock, because clocks are set and machines sleep.
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
