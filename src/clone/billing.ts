/** The billing of clones: free duplicates, the hold of the fee and its capture. Each is one transaction. */
import { transact } from '../db/statements'
import { AppError, publicCode } from '../errors'
import { capture, countOpenHolds, hold, readBalance, settledUnits } from '../billing/ledger/ledger'
import type { ReceivedReference } from '../storage/references'
import { finishUsage, startUsage } from '../billing/usage/usage'
import { countClones, hasReference, insertClone, keepReference, noteUrl, type Clone } from '../voice/clones'
import { cloneUnits, type Cloned, type CloneRequest, type Cloning } from './cloning'

const noAudio = { fileName: null, audioMs: null } as const

function usageStart({ caller, requestId }: CloneRequest, voiceId: string, characters: number) {
  const { accountId, keyId } = caller
  const createdAtMs = Date.now()
  const none = { speed: null, format: null, digest: null }
  return { requestId, kind: 'clone' as const, accountId, keyId, createdAtMs, voiceId, characters, ...none }
}

/** Records a duplicate in the history with a charge of 0 units. */
export function recordDuplicate({ db }: Cloning, request: CloneRequest, own: Clone, url: string | undefined): Cloned {
  return transact(db, () => {
    const remaining = settledUnits(readBalance(db, request.caller.accountId))
    startUsage(db, usageStart(request, own.id, 0))
    finishUsage(db, request.requestId, { status: 'charged', units: 0, remaining, ...noAudio, durationMs: 0 })
    if (url !== undefined && hasReference(db, own.sha256)) noteUrl(db, url, own.sha256)
    return { clone: own, duplicate: true, units: 0, remaining }
  })
}

/**
 * Holds the fee and returns the hold's id; writes a refusal of the ledger to the history. Throws `conflict` when the
 * account has `clonesMax` clones, including those being made, and `key_cap_reached`, `insufficient_balance`.
 */
export function holdFee({ db, holdTimeoutMs, clonesMax }: Cloning, request: CloneRequest, voiceId: string): number {
  const { caller, requestId } = request
  const { accountId, keyId } = caller
  const start = () => startUsage(db, usageStart(request, voiceId, cloneUnits))
  try {
    return transact(db, () => {
      if (countClones(db, accountId) + countOpenHolds(db, accountId, 'clones') >= clonesMax)
        throw new AppError('conflict', `This account has ${clonesMax} clones, the most allowed; delete one.`)
      start()
      const nowMs = Date.now()
      const expiresAtMs = nowMs + holdTimeoutMs
      return hold(db, { accountId, keyId, requestId, purpose: 'clones', units: cloneUnits, nowMs, expiresAtMs })
    })
  } catch (error) {
    if (error instanceof AppError && error.code !== 'conflict')
      transact(db, () => {
        start()
        finishUsage(db, requestId, { status: 'failed', errorCode: publicCode(error.code) })
      })
    throw error
  }
}

export type Paid = {
  readonly clone: Clone
  readonly holdId: number
  readonly reference: ReceivedReference
  readonly url: string | undefined
  readonly durationMs: number
}

/**
 * Stores the voice, keeps its recording, captures the fee and closes the usage row. Returns the balance after it. The
 * recording gets its name inside the transaction, so that a concurrent deletion of its last other clone cannot remove
 * it.
 */
export function captureFee(
  { db }: Cloning,
  { requestId, faults }: CloneRequest,
  { clone, holdId, reference, url, durationMs }: Paid,
): number {
  return transact(db, () => {
    reference.keep()
    keepReference(db, { sha256: reference.sha256, sizeBytes: reference.sizeBytes, nowMs: clone.createdAtMs })
    if (url !== undefined) noteUrl(db, url, reference.sha256)
    insertClone(db, clone)
    const remaining = settledUnits(capture(db, holdId, Date.now()))
    if (faults?.name === 'charge_failed') throw new Error('fault on demand')
    finishUsage(db, requestId, { status: 'charged', units: cloneUnits, remaining, ...noAudio, durationMs })
    return remaining
  })
}

/** Removes the recording when no account has a clone of it. */
export function removeUnusedReference({ db, references }: Pick<Cloning, 'db' | 'references'>, sha256: string): void {
  transact(db, () => {
    if (!hasReference(db, sha256)) references.remove(sha256)
  })
}
