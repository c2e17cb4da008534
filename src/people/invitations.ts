/** Accepting an invitation: a person joins an account and is signed in. */
import { logOperation } from '../account/audit-log'
import { requireInvitation, useInvitation } from '../account/invitations'
import { hashPassword, readNewPassword } from '../account/passwords'
import { countPersons, createPerson } from '../account/persons'
import { limits } from '../config'
import type { Database } from '../db/database'
import { retryWhileBusy, transact } from '../db/statements'
import { AppError } from '../errors'
import type { Fields } from '../fields'
import { acceptance } from '../operations/people'
import { checkEmail, readFields } from '../operations/read-fields'
import { openSession, type NewSession, type SignedIn } from './sessions'

/**
 * Makes a person of the fields `token`, `email`, `password` and `name`. Of two at the same time one wins. Throws
 * `invalid_params`, `conflict`, `account_disabled`, `rate_limited`.
 */
export async function acceptInvitation(db: Database, fields: Fields, session: NewSession): Promise<SignedIn> {
  // Only the holder of an invitation may cause the work of a hash.
  const { token } = readFields(fields, { token: acceptance.token })
  requireInvitation(db, token, Date.now())
  const { email, name } = readFields(fields, acceptance)
  checkEmail(email)
  const password = readNewPassword(fields, 'password')
  const passwordHash = await hashPassword(password)
  return retryWhileBusy(() =>
    transact(db, () => {
      const nowMs = Date.now()
      const { id, accountId } = requireInvitation(db, token, nowMs)
      if (countPersons(db, accountId) >= limits.personsPerAccountMax)
        throw new AppError('conflict', `The account has ${limits.personsPerAccountMax} persons, which is the most.`)
      const person = createPerson(db, { accountId, email, name, passwordHash, nowMs })
      useInvitation(db, id, nowMs)
      const after = { id: person.id, account_id: accountId }
      logOperation(
        db,
        { actor: `invitation ${id}`, act: 'account join', subject: accountId, before: null, after },
        nowMs,
      )
      return { person, secret: openSession(db, person, session, nowMs) }
    }),
  )
}
