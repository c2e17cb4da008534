/** Administrative operations on the people of an account. The audit log names persons by id only. */
import {
  cancelInvitation as deleteInvitation,
  createInvitation,
  listInvitations as readInvitations,
} from '../account/invitations'
import { generatePassword, hashPassword } from '../account/passwords'
import {
  deletePerson,
  findPerson,
  listPersons as readPersons,
  setPasswordHash,
  updatePerson as writePerson,
  type Person,
} from '../account/persons'
import { endSessions } from '../account/sessions'
import type { Database } from '../db/database'
import { retryWhileBusy } from '../db/statements'
import type { Fields } from '../fields'
import { personChanges } from '../operations/people'
import { checkEmail, readFields } from '../operations/read-fields'
import { instant } from '../paging'
import { requireAccount, requireUnerased } from './accounts'
import { found, runOperation, type Administration } from './administration'

/** Invites one person to an account. Only this answer contains the link. */
export function invitePerson(administration: Administration, accountId: string, baseUrl: string) {
  const { db } = administration
  return runOperation(administration, 'account invite', (nowMs) => {
    const account = requireUnerased(db, accountId)
    const { id, token, expiresAtMs } = createInvitation(db, { accountId: account.id, nowMs })
    const expires_at = instant(expiresAtMs)
    const result = { url: `${baseUrl}/console/invitation#${token}`, expires_at }
    return { subject: account.id, before: null, after: { id, expires_at }, result }
  })
}

/** Lists the open invitations of an account. */
export function listInvitations({ db, nowMs }: Administration, accountId: string) {
  const { id: ofAccount } = requireAccount(db, accountId)
  const items = readInvitations(db, ofAccount, nowMs()).map(({ id, createdAtMs, expiresAtMs, invitedBy }) => {
    return { id, created_at: instant(createdAtMs), expires_at: instant(expiresAtMs), invited_by: invitedBy }
  })
  return { items, next_cursor: null }
}

/** Ends an open invitation. Throws `not_found` also when it was used or has expired. */
export function cancelInvitation(administration: Administration, id: string) {
  const { db } = administration
  return runOperation(administration, 'account cancel-invitation', (nowMs) => {
    const accountId = found(deleteInvitation(db, id, nowMs), 'open invitation', id)
    return { subject: accountId, before: { id }, after: null, result: { ok: true, deleted: id } }
  })
}

export function listPersons({ db }: Administration, accountId: string) {
  const { id } = requireAccount(db, accountId)
  return { items: readPersons(db, id).map(describePerson), next_cursor: null }
}

/** Changes name or e-mail address. Throws `conflict` when another person has the address. */
export function updatePerson(administration: Administration, idOrEmail: string, fields: Fields) {
  const { db } = administration
  return runOperation(administration, 'account update-person', () => {
    const person = requirePerson(db, idOrEmail)
    const { name = person.name, email = person.email } = readFields(fields, personChanges)
    checkEmail(email)
    const changed = { ...person, name, email }
    writePerson(db, changed)
    const { id, accountId: account_id } = person
    const changes = { name: name !== person.name, email: email !== person.email }
    const change = { subject: id, before: { id, account_id }, after: { id, account_id, changed: changes } }
    return { ...change, result: describePerson(changed) }
  })
}

function describePerson({ createdAtMs, accountId: account_id, ...person }: Person) {
  return { ...person, account_id, created_at: instant(createdAtMs) }
}

/** Gives a person a random password, which only this answer contains, and ends the person's sessions. */
export async function resetPassword(administration: Administration, idOrEmail: string) {
  const { db } = administration
  requirePerson(db, idOrEmail)
  const password = generatePassword()
  const hash = await hashPassword(password)
  return retryWhileBusy(() =>
    runOperation(administration, 'account reset-password', () => {
      const { id, email, accountId } = requirePerson(db, idOrEmail)
      setPasswordHash(db, id, hash)
      endSessions(db, id)
      const change = { id, account_id: accountId }
      return { subject: id, before: change, after: change, result: { id, email, password } }
    }),
  )
}

/** Removes a person; the sessions end. The account stays. */
export function removePerson(administration: Administration, idOrEmail: string) {
  const { db } = administration
  return runOperation(administration, 'account remove-person', () => {
    const { id, accountId } = requirePerson(db, idOrEmail)
    deletePerson(db, id)
    return { subject: id, before: { id, account_id: accountId }, after: null, result: { ok: true, deleted: id } }
  })
}

function requirePerson(db: Database, idOrEmail: string): Person {
  return found(findPerson(db, idOrEmail), 'person', idOrEmail)
}
