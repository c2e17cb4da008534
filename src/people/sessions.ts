/** Sessions of people: signing in and out, the list of one's own sessions, and the change of the password. */
import { findAccount } from '../account/accounts'
import { ensureConsoleKey } from '../account/keys'
import {
  checkPassword,
  hashPassword,
  readNewPassword,
  readPassword,
  wrongPassword,
  type Attempt,
} from '../account/passwords'
import { findPerson, readPasswordHash, setPasswordHash, type Person } from '../account/persons'
import {
  createSession,
  endOf,
  endSession,
  endSessions,
  listSessions,
  replaceSecret,
  type Session,
} from '../account/sessions'
import { openKeySpending } from '../billing/ledger/ledger'
import type { Database } from '../db/database'
import { retryWhileBusy, transact } from '../db/statements'
import { AppError } from '../errors'
import type { Fields } from '../fields'
import { signIn as signInFields } from '../operations/people'
import { checkEmail, readFields } from '../operations/read-fields'
import { instant } from '../paging'
import { describeOwnAccount, describePerson } from './describe'

/** Limits wrong passwords of one e-mail address. `admit` throws `rate_limited` after too many. */
export type Throttle = (email: string) => Attempt

export type SignedIn = { readonly person: Person; readonly secret: string }

/** The device of a new session. `ends`: the session that the client had until now. */
export type NewSession = { readonly device: string | null; readonly ends: OwnSession | undefined }

type OwnSession = { readonly id: string; readonly personId: string }

/**
 * Signs in with the fields `email` and `password`. Unknown addresses and wrong passwords get one wording after equal
 * work. Throws `invalid_params`, `wrong_password`, `account_disabled`, `rate_limited`.
 */
export async function signIn(
  db: Database,
  fields: Fields,
  { throttle, ...session }: NewSession & { readonly throttle: Throttle },
): Promise<SignedIn> {
  const { email } = readFields(fields, signInFields)
  checkEmail(email)
  const password = readPassword(fields, 'password')
  const found = findPerson(db, email)
  const hash = found && readPasswordHash(db, found.id)
  await checkPassword(hash, password, throttle(email))
  return retryWhileBusy(() =>
    transact(db, () => {
      // The password may have been changed, or the person removed, while it was checked.
      const person = found && readPasswordHash(db, found.id) === hash ? found : undefined
      if (!person) throw wrongPassword('password')
      return { person, secret: openSession(db, person, session, Date.now()) }
    }),
  )
}

/** Begins a session and returns its secret. Must run in a transaction. Throws `account_disabled`. */
export function openSession(db: Database, person: Person, { device, ends }: NewSession, nowMs: number): string {
  const { id: personId, accountId } = person
  if (findAccount(db, accountId)!.status === 'disabled')
    throw new AppError('account_disabled', 'The account is disabled.')
  const key = ensureConsoleKey(db, accountId, nowMs)
  if (key.isNew) openKeySpending(db, key.id, null)
  if (ends) endSession(db, ends.personId, ends.id)
  return createSession(db, { personId, device, nowMs }).secret
}

export function describeSignedIn(db: Database, person: Person) {
  return { person: describePerson(person), account: describeOwnAccount(db, person.accountId) }
}

/** Lists the sessions of a person, newest first. `update` adds uses that are not written yet. */
export function listOwnSessions(db: Database, { id, personId }: OwnSession, update: (session: Session) => Session) {
  const items = listSessions(db, personId, Date.now()).map(update)
  return {
    items: items.map((session) => ({
      id: session.id,
      device: session.device,
      current: session.id === id,
      created_at: instant(session.createdAtMs),
      last_used_at: instant(session.lastUsedAtMs),
      expires_at: instant(endOf(session)),
    })),
    next_cursor: null,
  }
}

/** Ends one session of the person. Throws `not_found`, also for a session of another person. */
export function endOwnSession(db: Database, personId: string, id: string) {
  return transact(db, () => {
    if (!endSession(db, personId, id))
      throw new AppError('not_found', `There is no session ${JSON.stringify(id.slice(0, 64))}.`)
    return { ok: true, deleted: id }
  })
}

/** Ends all sessions of the person, or all but one. */
export function endOwnSessions(db: Database, personId: string, exceptId?: string) {
  return transact(db, () => ({ ok: true, ended: endSessions(db, personId, exceptId) }))
}

/**
 * Changes the password, ends the person's other sessions and gives this one a new secret. Throws `invalid_params`, `wrong_password` for a wrong
 * present one, `rate_limited`.
 */
export async function changePassword(db: Database, session: OwnSession, fields: Fields, throttle: Throttle) {
  const present = readPassword(fields, 'current_password')
  const next = readNewPassword(fields, 'new_password')
  const person = findPerson(db, session.personId)
  const hash = person && readPasswordHash(db, person.id)
  await checkPassword(hash, present, { ...throttle(person?.email ?? ''), param: 'current_password' })
  const nextHash = await hashPassword(next)
  return retryWhileBusy(() =>
    transact(db, () => {
      if (readPasswordHash(db, session.personId) !== hash)
        throw new AppError('conflict', 'The password was changed meanwhile; sign in again.')
      setPasswordHash(db, session.personId, nextHash)
      const answer = endOwnSessions(db, session.personId, session.id)
      return { answer, secret: replaceSecret(db, session.id, Date.now()) }
    }),
  )
}
