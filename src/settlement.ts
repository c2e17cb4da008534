/** How paid operations end that are not charged: their units go back, and the history says how they ended. */
import type { Database } from './db/database'
import { retryWhileBusy, transact } from './db/statements'
import { isOpen, release } from './ledger/ledger'
import type { Logger } from './log'
import { finishUsage, type Outcome } from './usage/usage'

/** What it takes to end a request in the billing. */
export type Billing = {
  readonly db: Database
  /** Outcomes by request id that could not be written down, on a full disk for example. */
  readonly unsettled: Map<string, Unsettled>
  readonly log: Logger
}

export type Unsettled = { readonly holdId: number; readonly outcome: Outcome }

/** What cannot be written down now is written later; throws all the same. */
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
    billing.log.error({ requestId, err: error }, 'units not given back yet')
    throw error
  }
}

/** Gives back the units of requests that ended without a charge, those that could not be written before too. */
export function settle({ db, unsettled }: Pick<Billing, 'db' | 'unsettled'>): void {
  transact(db, () => {
    for (const [requestId, { holdId, outcome }] of unsettled) {
      // One that expired meanwhile (the machine slept, for example) is closed, and must not keep the others waiting.
      if (!isOpen(db, holdId)) continue
      release(db, holdId)
      finishUsage(db, requestId, outcome)
    }
  })
  unsettled.clear()
}
