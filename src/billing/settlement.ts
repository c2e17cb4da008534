/** Ends paid operations that are not charged: releases their holds and writes the outcome to the history. */
import type { Database } from '../db/database'
import { retryWhileBusy, transact } from '../db/statements'
import { isOpen, release } from './ledger/ledger'
import type { Logger } from '../log'
import { finishUsage, type Outcome } from './usage/usage'

/** Everything needed to end a request in the ledger and the history. */
export type Billing = {
  readonly db: Database
  /** Outcomes by request id that could not be written yet, for example on a full disk. */
  readonly unsettled: Map<string, Unsettled>
  readonly log: Logger
}

export type Unsettled = { readonly holdId: number; readonly outcome: Outcome }

/**
 * Releases the hold and writes the outcome. Throws `storage_failed` when that fails now; the next `settle` then writes
 * it.
 */
export async function releaseHold(
  billing: Billing,
  requestId: string,
  holdId: number,
  outcome: Outcome,
): Promise<void> {
  billing.unsettled.set(requestId, { holdId, outcome })
  try {
    await retryWhileBusy(() => settle(billing))
  } catch (error) {
    billing.log.error({ requestId, err: error }, 'units not released yet')
    throw error
  }
}

/** Releases the holds of all unsettled requests and writes their outcomes. */
export function settle({ db, unsettled }: Pick<Billing, 'db' | 'unsettled'>): void {
  transact(db, () => {
    for (const [requestId, { holdId, outcome }] of unsettled) {
      // An expired hold, for example after the machine slept, is released already and must not block the others.
      if (!isOpen(db, holdId)) continue
      release(db, holdId)
      finishUsage(db, requestId, outcome)
    }
  })
  unsettled.clear()
}
