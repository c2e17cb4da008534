/** The rows of clones, written in the transactions of their payment. */
import { countOpenHolds } from '../billing/ledger/ledger'
import { recordFree } from '../billing/paid-request'
import { transact } from '../db/statements'
import { AppError } from '../errors'
import type { ReceivedReference } from '../storage/references'
import { countClones, hasReference, insertClone, keepReference, noteUrl, type Clone } from '../voice/clones'
import type { Cloned, CloneRequest, Cloning } from './cloning'

/** The usage row of a clone, without its price. */
export function usageOf({ caller, requestId, surface }: CloneRequest, voiceId: string) {
  const { accountId, keyId } = caller
  const none = { speed: null, format: null, digest: null }
  return { requestId, kind: 'clone' as const, surface, accountId, keyId, voiceId, ...none }
}

/** Records a duplicate in the history with a charge of 0 units. */
export function recordDuplicate({ db }: Cloning, request: CloneRequest, own: Clone, url: string | undefined): Cloned {
  const remaining = recordFree({ db }, usageOf(request, own.id), () => {
    if (url !== undefined && hasReference(db, own.sha256)) noteUrl(db, url, own.sha256)
  })
  return { clone: own, duplicate: true, units: 0, remaining }
}

/** Throws `conflict` when the account has `clonesMax` clones, including those being made. */
export function ensureRoom({ db, clonesMax }: Cloning, accountId: string): void {
  if (countClones(db, accountId) + countOpenHolds(db, accountId, 'clones') >= clonesMax)
    throw new AppError('conflict', `This account has ${clonesMax} clones, the most allowed; delete one.`)
}

/**
 * Stores the voice and keeps its recording. The recording gets its name inside the transaction, so that a concurrent
 * deletion of its last other clone cannot remove it.
 */
export function recordClone(
  { db }: Cloning,
  { clone, reference, url }: { clone: Clone; reference: ReceivedReference; url: string | undefined },
): void {
  reference.keep()
  keepReference(db, { sha256: reference.sha256, sizeBytes: reference.sizeBytes, nowMs: clone.createdAtMs })
  if (url !== undefined) noteUrl(db, url, reference.sha256)
  insertClone(db, clone)
}

/** Removes the recording when no account has a clone of it. */
export function removeUnusedReference({ db, references }: Pick<Cloning, 'db' | 'references'>, sha256: string): void {
  transact(db, () => {
    if (!hasReference(db, sha256)) references.remove(sha256)
  })
}
