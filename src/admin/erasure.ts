/**
 * Erases an account by pseudonym: names, e-mail addresses, persons, keys, clones and audio go; history and ledger stay,
 * under the ids of the account and its keys. The rows go in one transaction, the files after it. An erasure that a crash
 * interrupts is finished by the next start, or by erasing the account again.
 */
import type { Account } from '../account/accounts'
import { eraseAccountRows, eraseNamesInLog, listUnfinishedErasures, noteFilesErased } from '../account/erasure'
import { countOpenHolds, setCap } from '../billing/ledger/ledger'
import { scanUsage } from '../billing/usage/scan'
import { removeUnusedReference } from '../clone/records'
import type { Database } from '../db/database'
import { retryWhileBusy, transact } from '../db/statements'
import { AppError } from '../errors'
import { deleteClonesOf } from '../voice/clones'
import { describeAccount, ensureOtherAdministrator, requireAccount } from './accounts'
import { runOperation, type Administration } from './administration'
import type { Stores } from './clones'

const requestsPerStep = 500

/**
 * Erases the account; a repetition finishes an interrupted erasure. Throws `conflict` for the only enabled administrator
 * and while requests of the account run, `storage_failed` when files are left.
 */
export async function eraseAccount(administration: Administration, stores: Stores, id: string) {
  const { db } = administration
  const account = requireAccount(db, id)
  const recordings = await retryWhileBusy(() => eraseRows(administration, account.id))
  for (const sha256 of recordings) await retryWhileBusy(() => removeUnusedReference({ db, ...stores }, sha256))
  await eraseFiles(db, stores, account.id)
  return describeAccount(db, requireAccount(db, account.id))
}

/** Finishes the erasures that a crash interrupted, unless the server stops. */
export async function finishErasures(db: Database, stores: Stores, isStopping: () => boolean): Promise<void> {
  for (const id of listUnfinishedErasures(db)) await eraseFiles(db, stores, id, isStopping)
}

/** Erases the rows and returns the recordings of the clones. */
function eraseRows(administration: Administration, id: string): string[] {
  const { db } = administration
  return transact(db, () => {
    const account = requireAccount(db, id)
    if (account.erasedAtMs !== null) return []
    return runOperation(administration, 'account erase', (nowMs) => {
      ensureErasable(db, account)
      const clones = deleteClonesOf(db, id)
      const cloneIds = clones.map((clone) => clone.id)
      eraseNamesInLog(db, cloneIds)
      // A request that authenticated before the erasure cannot hold units any more.
      for (const keyId of eraseAccountRows(db, id, nowMs)) setCap(db, keyId, 0)
      const before = { role: account.role, status: account.status }
      const after = describeAccount(db, requireAccount(db, id))
      return { subject: id, before, after, result: clones.map(({ sha256 }) => sha256) }
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

/** Deletes audio, demos of clones, and their names in the audit log. Repeatable. */
async function eraseFiles(
  db: Database,
  { storage }: Stores,
  accountId: string,
  isStopping = () => false,
): Promise<void> {
  for (const { rows } of scanUsage(db, { accountId }, undefined, requestsPerStep)) {
    if (isStopping()) return
    await storage.erase(rows.flatMap(({ fileName }) => fileName ?? []))
    const cloneIds = rows.filter(({ kind }) => kind === 'clone').map(({ voiceId }) => voiceId)
    for (const id of cloneIds) await storage.removeDemosOf(id)
    if (cloneIds.length > 0) await retryWhileBusy(() => transact(db, () => eraseNamesInLog(db, cloneIds)))
  }
  await retryWhileBusy(() => transact(db, () => noteFilesErased(db, accountId)))
}
