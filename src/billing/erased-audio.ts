/**
 * Erased audio: the file of a request goes, its row in the history stays. A file that the history names and that is
 * missing counts as erased, so a crash leaves nothing to repair.
 */
import type { Database } from '../db/database'
import { AppError } from '../errors'
import type { Storage } from '../storage/storage'
import { findUsage } from './usage/usage'

/** Erases the audio of a request of the account. Throws `not_found` without such audio, `gone`, `storage_failed`. */
export async function eraseAudio(
  { db, storage }: { readonly db: Database; readonly storage: Storage },
  requestId: string,
  accountId: string,
) {
  const row = findUsage(db, requestId.toLowerCase())
  if (row?.accountId !== accountId || row.fileName === null)
    throw new AppError('not_found', 'There is no audio of that request in the history of this account.')
  if (!(await storage.find(row.fileName))) throw audioGone()
  await storage.erase([row.fileName])
  return { ok: true, deleted: row.requestId }
}

/** Whether a request made an audio file of this name. */
export function wasMade(db: Database, name: string): boolean {
  const requestId = /^([0-9a-f]{32})\./.exec(name)?.[1]
  return requestId !== undefined && findUsage(db, requestId)?.fileName === name
}

export function audioGone(): AppError {
  return new AppError('gone', 'The audio of this request was erased.')
}
