/** Joining an account by an invitation or by the setup link: the new person is signed in. */
import { logOperation } from '../account/audit-log'
import { requireInvitation, requireSetup, useInvitation, type Invitation } from '../account/invitations'
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

/** Runs `guess`, which throws `invalid_params` for a wrong token. Throws `rate_limited` after too many. */
export type TokenGuess = <T>(guess: () => T) => T

type Joining = NewSession & { readonly guessToken: TokenGuess }

/** Each kind of link, as the audit log names it. */
const links = { invitation: requireInvitation, 'setup link': requireSetup } as const

/**
 * Makes a person of the fields `token`, `email`, `password` and `name`. Of two at the same time one wins. Throws
 * `invalid_params`, `conflict`, `account_disabled`, `rate_limited`.
 */
export function acceptInvitation(db: Database, fields: Fields, joining: Joining): Promise<SignedIn> {
  return join(db, 'invitation', fields, joining)
}

/** Makes the first person of the administrator's account, as `acceptInvitation`. */
export function acceptSetup(db: Database, fields: Fields, joining: Joining): Promise<SignedIn> {
  return join(db, 'setup link', fields, joining)
}

async function join(
  db: Database,
  kind: keyof typeof links,
  fields: Fields,
  { guessToken, ...session }: Joining,
): Promise<SignedIn> {
  const requireOpen = (nowMs: number): Invitation => links[kind](db, token, nowMs)
  // Only the holder of a link may cause the work of a hash.
  const { token } = readFields(fields, { token: acceptance.token })
  guessToken(() => requireOpen(Date.now()))
  const { email, name } = readFields(fields, acceptance)
  checkEmail(email)
  const password = readNewPassword(fields, 'password')
  const passwordHash = await hashPassword(password)
  return retryWhileBusy(() =>
    transact(db, () => {
      const nowMs = Date.now()
      const { id, accountId } = requireOpen(nowMs)
      if (countPersons(db, accountId) >= limits.personsPerAccountMax)
        throw new AppError('conflict', `The account has ${limits.personsPerAccountMax} persons, which is the most.`)
      const person = createPerson(db, { accountId, email, name, passwordHash, nowMs })
      useInvitation(db, id, nowMs)
      const after = { id: person.id, account_id: accountId }
      logOperation(db, { actor: `${kind} ${id}`, act: 'account join', subject: accountId, before: null, after }, nowMs)
      return { person, secret: openSession(db, person, session, nowMs) }
    }),
  )
}
