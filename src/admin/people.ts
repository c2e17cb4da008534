/** Administrative operations on the people of an account. The audit log names persons by id only: it is never erased. */
import { createInvitation } from '../account/invitations'
import { generatePassword, hashPassword } from '../account/passwords'
import { deletePerson, findPerson, listPersons as readPersons, setPasswordHash, type Person } from '../account/persons'
import { endSessions } from '../account/sessions'
import type { Database } from '../db/database'
import { retryWhileBusy } from '../db/statements'
import { instant } from '../paging'
import { requireAccount } from './accounts'
import { found, runOperation, type Administration } from './administration'

/** Invites one person to an account. Only this answer contains the link. */
export function invitePerson(administration: Administration, accountId: string, baseUrl: string) {
  const { db } = administration
  return runOperation(administration, 'account invite', (nowMs) => {
    const account = requireAccount(db, accountId)
    const { id, token, expiresAtMs } = createInvitation(db, { accountId: account.id, nowMs })
    const expires_at = instant(expiresAtMs)
    const result = { url: `${baseUrl}/console/invitation#${token}`, expires_at }
    return { subject: account.id, before: null, after: { id, expires_at }, result }
  })
}

export function listPersons({ db }: Administration, accountId: string) {
  const { id } = requireAccount(db, accountId)
  const items = readPersons(db, id).map(({ createdAtMs, accountId: account_id, ...person }) => {
    return { ...person, account_id, created_at: instant(createdAtMs) }
  })
  return { items, next_cursor: null }
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
