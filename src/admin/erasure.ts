/**
 * Erases an account by pseudonym: names, e-mail addresses, persons, keys, clones and audio go; history and ledger stay,
 * under the ids of the account and its keys. Names, persons and keys go in one transaction, clones and audio after it in
 * steps. An erasure that a crash interrupts is finished by the next start, or by erasing the account again.
 */
import type { Account } from '../account/accounts'
import { eraseAccountRows, eraseNamesInLog, listUnfinishedErasures, noteSoundErased } from '../account/erasure'
import { countOpenHolds, setCap } from '../billing/ledger/ledger'
import { scanUsage } from '../billing/usage/scan'
import { removeUnusedReference } from '../clone/records'
import type { Database } from '../db/database'
import { retryWhileBusy, transact } from '../db/statements'
import { nextTurn } from '../db/turns'
import { AppError } from '../errors'
import { deleteClone, listClones, type ListedClone } from '../voice/clones'
import { describeAccount, ensureOtherAdministrator, requireAccount } from './accounts'
import { runOperation, type Administration } from './administration'
import type { Stores } from './clones'

/** Work of one step, which takes a few milliseconds; other requests go on between the steps. */
const requestsPerStep = 500
const clonesPerStep = 10

/**
 * Erases the account; a repetition finishes an interrupted erasure. Throws `conflict` for the only enabled administrator
 * and while requests of the account run, `storage_failed` when files are left.
 */
export async function eraseAccount(administration: Administration, stores: Stores, id: string) {
  const { db } = administration
  const account = requireAccount(db, id)
  await retryWhileBusy(() => eraseRows(administration, account.id))
  await eraseSound(db, stores, account.id)
  return describeAccount(db, requireAccount(db, account.id))
}

/** Finishes the erasures that a crash interrupted, unless the server stops. */
export async function finishErasures(db: Database, stores: Stores, isStopping: () => boolean): Promise<void> {
  for (const id of listUnfinishedErasures(db)) await eraseSound(db, stores, id, isStopping)
}

function eraseRows(administration: Administration, id: string): void {
  const { db } = administration
  transact(db, () => {
    const account = requireAccount(db, id)
    if (account.erasedAtMs !== null) return
    runOperation(administration, 'account erase', (nowMs) => {
      ensureErasable(db, account)
      // A request that authenticated before the erasure cannot hold units any more.
      for (const keyId of eraseAccountRows(db, id, nowMs)) setCap(db, keyId, 0)
      const before = { role: account.role, status: account.status }
      return { subject: id, before, after: describeAccount(db, requireAccount(db, id)), result: undefined }
    })
  })
}

function ensureErasable(db: Database, account: Account): void {
  ensureOtherAdministrator(db, account)
  const running = countOpenHolds(db, account.id, 'speech') + countOpenHolds(db, account.id, 'clones')
  if (running > 0)
    throw new AppError(
      'conflict',
      `The account has running requests (${running}); disable it, and erase it when they have ended.`,
    )
}

/** Deletes clones, demos, recordings and audio, and the names of clones in the audit log. Repeatable. */
async function eraseSound(db: Database, stores: Stores, accountId: string, isStopping = () => false): Promise<void> {
  const clones = listClones(db, accountId)
  for (let at = 0; at < clones.length; at += clonesPerStep) {
    if (isStopping()) return
    await eraseClones(db, stores, clones.slice(at, at + clonesPerStep))
    await nextTurn()
  }
  for (const { rows } of scanUsage(db, { accountId }, undefined, requestsPerStep)) {
    if (isStopping()) return
    await stores.storage.erase(rows.flatMap(({ fileName }) => fileName ?? []))
    // Names of clones that were deleted earlier, and a demo that a crash left.
    const cloneIds = rows.filter(({ kind }) => kind === 'clone').map(({ voiceId }) => voiceId)
    for (const id of cloneIds) await stores.storage.removeDemosOf(id)
    if (cloneIds.length > 0) await retryWhileBusy(() => transact(db, () => eraseNamesInLog(db, cloneIds)))
    await nextTurn()
  }
  await retryWhileBusy(() => transact(db, () => noteSoundErased(db, accountId)))
}

/** Removes the demos before and after the rows, as `forgetClone` does. */
async function eraseClones(db: Database, { storage, references }: Stores, clones: readonly ListedClone[]) {
  for (const { demoName } of clones) await storage.remove(demoName)
  await retryWhileBusy(() =>
    transact(db, () => {
      for (const clone of clones) deleteClone(db, clone)
      eraseNamesInLog(
        db,
        clones.map(({ id }) => id),
      )
    }),
  )
  for (const { demoName, sha256 } of clones) {
    await storage.remove(demoName)
    await retryWhileBusy(() => removeUnusedReference({ db, references }, sha256))
  }
}
