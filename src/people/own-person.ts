/** The change of the own name and e-mail address. */
import { checkPassword, readPassword } from '../account/passwords'
import { findPerson, readPasswordHash, updatePerson, type Person } from '../account/persons'
import { sessionEnded } from '../account/sessions'
import type { Database } from '../db/database'
import { retryWhileBusy, transact } from '../db/statements'
import { AppError } from '../errors'
import type { Fields } from '../fields'
import { personChanges } from '../operations/people'
import { checkEmail, readFields } from '../operations/read-fields'
import type { Throttle } from './sessions'

/**
 * Changes the fields `name` and `email` that are given. Another e-mail address needs `current_password`, so that no other
 * person takes them over at a browser that was left open. Throws `invalid_params`, `wrong_password`, `conflict`,
 * `rate_limited`, `invalid_session`.
 */
export async function updateOwnPerson(
  db: Database,
  personId: string,
  fields: Fields,
  throttle: Throttle,
): Promise<Person> {
  const { name, email } = readFields(fields, personChanges)
  if (email !== undefined) checkEmail(email)
  const present = requirePerson(db, personId)
  const hash = readPasswordHash(db, personId)
  const takesPassword = email !== undefined && email !== present.email
  if (takesPassword) {
    const password = readPassword(fields, 'current_password')
    await checkPassword(hash, password, { ...throttle(present.email), param: 'current_password' })
  }
  return retryWhileBusy(() =>
    transact(db, () => {
      const person = requirePerson(db, personId)
      if (takesPassword && readPasswordHash(db, personId) !== hash)
        throw new AppError('conflict', 'The password was changed meanwhile; sign in again.')
      updatePerson(db, { id: personId, name: name ?? person.name, email: email ?? person.email })
      return requirePerson(db, personId)
    }),
  )
}

/** The session ends with its person, who may be removed while the password is checked. */
function requirePerson(db: Database, id: string): Person {
  const person = findPerson(db, id)
  if (!person) throw sessionEnded()
  return person
}
