/**
 * Administrative operations, shared by the HTTP interface and the command line. Both pass the fields on unread and show
 * the answer unchanged. Every operation and its entry in the audit log are one transaction.
 */
import { logOperation } from '../account/audit-log'
import { hasAdministratorKey } from '../account/keys'
import { hasAdministratorPerson } from '../account/persons'
import type { Database } from '../db/database'
import { transact } from '../db/statements'
import { AppError } from '../errors'
import { optionalTexts, refuse, type Fields } from '../fields'
import type { Catalogue } from '../voice/catalogue'

export type Administration = {
  readonly db: Database
  /** The actor in the audit log: an account and its key, or the user of the command line. */
  readonly actor: string
  /**
   * Whether operations that leave no administrator with a working key or a person are refused. Over HTTP such an
   * operation would lock all administrators out. The command line needs no key and can create one.
   */
  readonly refusesLockOut: boolean
  readonly nowMs: () => number
}

/** Only operations that need voices get a catalogue: on the command line, finding installed voices takes a while. */
export type VoiceAdministration = Administration & { readonly catalogue: Catalogue }

/** A change for the audit log, without secrets, and the answer. */
type Change<T> = {
  readonly subject: string
  readonly before: unknown
  readonly after: unknown
  readonly result: T
}

/**
 * Runs `work` in a transaction and logs it. `name` is the operation as on the command line. Throws `conflict` for a
 * lock-out, see `refusesLockOut`.
 */
export function runOperation<T>(administration: Administration, name: string, work: (nowMs: number) => Change<T>): T {
  const { db, actor, refusesLockOut, nowMs } = administration
  return transact(db, () => {
    const now = nowMs()
    const { result, ...change } = work(now)
    if (refusesLockOut && !hasAdministratorKey(db, { nowMs: now }) && !hasAdministratorPerson(db)) throw lockOut()
    logOperation(db, { actor, act: name, ...change }, now)
    return result
  })
}

export function lockOut(): AppError {
  const message = 'No administrator would have a working API key; make another one first, or use the command line.'
  return new AppError('conflict', message)
}

/** Returns `value`. Throws `not_found` when it is undefined. */
export function found<T>(value: T | undefined, what: string, id: string): T {
  if (value !== undefined) return value
  throw new AppError('not_found', `There is no ${what} ${JSON.stringify(id.slice(0, 64))}.`)
}

/**
 * Reads ids of catalogue voices, or of `kept` ones, which need not be installed now. Throws `invalid_params`, which
 * names the first unknown id.
 */
export function optionalVoices(
  { catalogue }: VoiceAdministration,
  fields: Fields,
  kept: readonly string[] = [],
): string[] | undefined {
  const voices = optionalTexts(fields, 'voices', catalogue.voices.length + kept.length)
  const unknown = voices?.find((id) => !catalogue.find(id) && !kept.includes(id))
  if (unknown !== undefined)
    throw new AppError('invalid_params', `voices: there is no voice ${JSON.stringify(unknown.slice(0, 64))}.`, {
      param: 'voices',
    })
  return voices
}

/** Refuses an `expires_at` that is not in the future. */
export function checkExpiry({ expires_at: given }: Fields, expiresAtMs: number | null, nowMs: number): void {
  if (expiresAtMs !== null && expiresAtMs <= nowMs)
    throw refuse('expires_at', given, 'a time in the future is required')
}
