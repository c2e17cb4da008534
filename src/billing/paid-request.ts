/**
 * A paid request, from its claim to its end: claims the request id, holds the units, runs the work, then captures or
 * releases the units. Slow work stands between two short transactions. A crash at any line leaves an open hold, which
 * recovery releases. Knows neither speech nor voices; an operation passes its work as functions.
 */
import type { Database } from '../db/database'
import { retryWhileBusy, transact } from '../db/statements'
import { runWithin, type Deadline } from '../deadline'
import { AppError, asAppError, assert, publicCode } from '../errors'
import type { Faults } from '../faults'
import type { Logger } from '../log'
import { capture, hold, isOpen, readBalance, release, settledUnits } from './ledger/ledger'
import {
  findUsage,
  finishUsage,
  hasDigest,
  startUsage,
  type Outcome,
  type UsageRow,
  type UsageStart,
} from './usage/usage'

export type Billing = {
  readonly db: Database
  /** Upkeep may release a hold after this time; longer than any request lasts. */
  readonly holdTimeoutMs: number
  /** Running requests by id. A shutdown waits for them even when their clients have left. */
  readonly running: Map<string, Promise<unknown>>
  /** Outcomes by request id that could not be written yet, for example on a full disk. */
  readonly unsettled: Map<string, Unsettled>
  readonly log: Logger
}

export type Unsettled = { readonly holdId: number; readonly outcome: Outcome }

/** The part of a result that the history shows. */
export type Product = {
  /** Charges a part of the held units and releases the rest. Without it all are charged. */
  readonly partial?: { readonly units: number; readonly errorCode: string | null }
  /** Name of the audio file in the storage. */
  readonly fileName: string | null
  readonly audioMs: number | null
  readonly processingMs: number
}

/** `usage.characters` units are held. */
export type PaidRequest<Made extends Product> = {
  readonly usage: Omit<UsageStart, 'createdAtMs'>
  readonly faults?: Faults
  /** Checks the request in the transaction of the hold. A request that it refuses is not in the history. */
  readonly admit?: () => void
  readonly make: () => Promise<Made>
  /** Writes the rows of the result in the transaction of the capture. */
  readonly record?: (made: Made) => void
  /** Removes the result after a failed capture. */
  readonly discard: (made: Made) => Promise<void>
  /** Whether a failed capture leaves the result to the customer for free. Otherwise the request fails. */
  readonly keepsUncharged: boolean
}

/** `remaining`: the balance after the charge; null: the result is uncharged. */
export type Paid<Made> = { readonly made: Made; readonly remaining: number | null }

export type Identity = Pick<UsageStart, 'requestId' | 'accountId'> & {
  /** Digest of the request's fields. */
  readonly digest: Uint8Array
  readonly deadline: Deadline
}

/**
 * Runs a request with a new id. Throws `key_cap_reached`, `insufficient_balance`, `storage_failed`, and the errors of
 * `admit` and `make`; a failed capture is an error unless the request `keepsUncharged`.
 */
export async function pay<Made extends Product>(billing: Billing, request: PaidRequest<Made>): Promise<Paid<Made>> {
  const { paid } = await retryWhileBusy(() => start(billing, request))
  return paid
}

/**
 * As `pay`, once per request id: returns the row of an earlier request that succeeded, after waiting for its end.
 * `prepare` runs only when there is no such request. Throws `idempotency_conflict`, and `synthesis_timeout` when the
 * earlier request outlasts the deadline.
 */
export async function payOnce<Made extends Product>(
  billing: Billing,
  identity: Identity,
  prepare: () => PaidRequest<Made>,
): Promise<Paid<Made> | { readonly earlier: UsageRow }> {
  for (;;) {
    // Nothing is awaited between the look-up and the claim, so no other request can interleave.
    const found = await retryWhileBusy(() => findEarlier(billing, identity) ?? start(billing, prepare()))
    if ('earlier' in found) return found
    if ('paid' in found) return found.paid
    // The usage row then holds the outcome.
    await runWithin(identity.deadline, Promise.allSettled([found.running]), waitedTooLong)
  }
}

function waitedTooLong(): AppError {
  return new AppError('synthesis_timeout', 'The request with this Idempotency-Key still runs; try again.')
}

/**
 * Finds an earlier request with the same id; undefined when it failed or there was none. Throws
 * `idempotency_conflict`.
 */
function findEarlier(
  billing: Billing,
  identity: Identity,
): { earlier: UsageRow } | { running: Promise<unknown> } | undefined {
  const { requestId, accountId, digest } = identity
  const row = findUsage(billing.db, requestId)
  if (!row) return undefined
  if (row.accountId !== accountId) throw idempotencyConflict()
  if (row.status === 'failed') return undefined
  if (!hasDigest(billing.db, requestId, digest)) throw idempotencyConflict()
  if (row.status !== 'running') return { earlier: row }
  const running = billing.running.get(requestId)
  if (running) return { running }
  assert(billing.unsettled.has(requestId), 'a running request is at work, or its end could not be written')
  settle(billing)
  return findEarlier(billing, identity)
}

function idempotencyConflict(): AppError {
  const message = 'Idempotency-Key: this key was used for another request; send a new one.'
  return new AppError('idempotency_conflict', message, { param: 'Idempotency-Key' })
}

/** Claims and starts the work. The promise is wrapped, so that a caller which awaits the start does not await the end. */
function start<Made extends Product>(billing: Billing, request: PaidRequest<Made>): { paid: Promise<Paid<Made>> } {
  const { requestId } = request.usage
  const holdId = claim(billing, request)
  const paid = finish(billing, request, holdId).finally(() => billing.running.delete(requestId))
  billing.running.set(requestId, paid)
  return { paid }
}

type Claim = Pick<PaidRequest<Product>, 'usage' | 'admit'>

/** Claims the request id and holds the units, or records the ledger's refusal. Returns the hold's id. */
export function claim({ db, holdTimeoutMs }: Pick<Billing, 'db' | 'holdTimeoutMs'>, { usage, admit }: Claim): number {
  const { requestId, accountId, keyId, kind, characters: units } = usage
  const purpose = kind === 'tts' ? 'speech' : 'clones'
  const nowMs = Date.now()
  let isAdmitted = false
  try {
    return transact(db, () => {
      admit?.()
      isAdmitted = true
      startUsage(db, { ...usage, createdAtMs: nowMs })
      return hold(db, { accountId, keyId, requestId, purpose, units, nowMs, expiresAtMs: nowMs + holdTimeoutMs })
    })
  } catch (error) {
    if (isAdmitted && error instanceof AppError)
      transact(db, () => {
        startUsage(db, { ...usage, createdAtMs: nowMs })
        finishUsage(db, requestId, failure(error))
      })
    throw error
  }
}

function failure(error: unknown): Outcome {
  return { status: 'failed', errorCode: publicCode(asAppError(error).code) }
}

async function finish<Made extends Product>(
  billing: Billing,
  request: PaidRequest<Made>,
  holdId: number,
): Promise<Paid<Made>> {
  const { requestId } = request.usage
  let made: Made
  try {
    made = await request.make()
  } catch (error) {
    await releaseHold(billing, requestId, holdId, failure(error)).catch(() => {})
    throw error
  }
  try {
    return { made, remaining: await retryWhileBusy(() => charge(billing, request, holdId, made)) }
  } catch (error) {
    billing.log.error({ requestId, err: error }, 'charging failed')
    if (request.keepsUncharged) return giveAway(billing, request, holdId, made)
    try {
      await request.discard(made)
    } finally {
      await releaseHold(billing, requestId, holdId, failure(error)).catch(() => {})
    }
    throw error
  }
}

/** Captures the hold and closes the usage row in one transaction. Returns the balance after it. */
export function charge<Made extends Product>(
  { db }: Pick<Billing, 'db'>,
  { usage, record, faults }: Pick<PaidRequest<Made>, 'usage' | 'record' | 'faults'>,
  holdId: number,
  made: Made,
): number {
  const { fileName, audioMs, processingMs, partial } = made
  const units = partial?.units ?? usage.characters
  return transact(db, () => {
    record?.(made)
    const remaining = settledUnits(capture(db, holdId, { units, nowMs: Date.now() }))
    if (faults?.name === 'charge_failed') throw new Error('fault on demand')
    const charged = { units, remaining, fileName, audioMs, processingMs }
    const outcome: Outcome = partial ? { status: 'partial', ...charged, ...partial } : { status: 'charged', ...charged }
    finishUsage(db, usage.requestId, outcome)
    return remaining
  })
}

/**
 * Leaves the result uncharged. Throws `storage_failed` when that cannot be recorded either, because audio without a
 * finished usage row must not be published.
 */
async function giveAway<Made extends Product>(
  billing: Billing,
  request: PaidRequest<Made>,
  holdId: number,
  made: Made,
): Promise<Paid<Made>> {
  const { requestId } = request.usage
  const { fileName, audioMs, processingMs } = made
  try {
    await releaseHold(billing, requestId, holdId, { status: 'uncharged', fileName, audioMs, processingMs })
    return { made, remaining: null }
  } catch (error) {
    billing.unsettled.set(requestId, { holdId, outcome: { status: 'failed', errorCode: 'storage_failed' } })
    await request.discard(made)
    throw new AppError('storage_failed', 'The request could not be recorded; nothing was charged. Try again.', {
      cause: error,
    })
  }
}

/**
 * Releases the hold and writes the outcome. Throws `storage_failed` when that fails now; the next `settle` then writes
 * it.
 */
async function releaseHold(billing: Billing, requestId: string, holdId: number, outcome: Outcome): Promise<void> {
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

/**
 * Records a request that succeeded and costs nothing. `record` writes its rows in the same transaction. Returns the
 * balance.
 */
export function recordFree(
  { db }: Pick<Billing, 'db'>,
  usage: Omit<UsageStart, 'createdAtMs' | 'characters'>,
  record: () => void,
): number {
  return transact(db, () => {
    const remaining = settledUnits(readBalance(db, usage.accountId))
    startUsage(db, { ...usage, characters: 0, createdAtMs: Date.now() })
    const nothingMade = { fileName: null, audioMs: null, processingMs: 0 }
    finishUsage(db, usage.requestId, { status: 'charged', units: 0, remaining, ...nothingMade })
    record()
    return remaining
  })
}
