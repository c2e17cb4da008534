/** Sessions, passwords and invitations over HTTP. */
import { findPerson, type Person } from '../account/persons'
import { describePerson } from '../people/describe'
import { nameDevice } from '../people/device'
import { acceptInvitation, acceptSetup } from '../people/joining'
import {
  changePassword,
  describeSignedIn,
  endOwnSession,
  endOwnSessions,
  listOwnSessions,
  signIn,
  type NewSession,
  type SignedIn,
} from '../people/sessions'
import { updateOwnPerson } from '../people/own-person'
import { retryWhileBusy } from '../db/statements'
import { assert } from '../errors'
import type { HttpContext } from './context'
import type { Handlers } from './routes'

export function peopleHandlers({ db, access, sessions, sessionUse }: HttpContext) {
  const newSession = (request: Request): NewSession => {
    return { device: nameDevice(request.headers.get('user-agent')), ends: sessions.presentOf(request) }
  }

  const joining = (request: Request) => ({ ...newSession(request), guessToken: access.guessTokenOf(request) })

  function welcome(request: Request, { person, secret }: SignedIn) {
    sessions.setCookie(request, secret)
    return describeSignedIn(db, person)
  }

  return {
    async signIn({ request, fields }) {
      const throttle = access.throttleOf(request)
      return welcome(request, await signIn(db, fields, { ...newSession(request), throttle }))
    },

    async acceptInvitation({ request, fields }) {
      return welcome(request, await acceptInvitation(db, fields, joining(request)))
    },

    async setUp({ request, fields }) {
      return welcome(request, await acceptSetup(db, fields, joining(request)))
    },

    getSession: ({ caller }) => describeSignedIn(db, personOf(caller.session.personId)),

    async signOut({ request, caller }) {
      const { personId, id } = caller.session
      await retryWhileBusy(() => endOwnSession(db, personId, id))
      sessions.setCookie(request, undefined)
      return { ok: true }
    },

    listSessions: ({ caller }) => listOwnSessions(db, caller.session, sessionUse.update),

    async endSession({ request, caller, id }) {
      const ended = await retryWhileBusy(() => endOwnSession(db, caller.session.personId, id))
      if (id === caller.session.id) sessions.setCookie(request, undefined)
      return ended
    },

    async signOutEverywhere({ request, caller }) {
      const ended = await retryWhileBusy(() => endOwnSessions(db, caller.session.personId))
      sessions.setCookie(request, undefined)
      return ended
    },

    async changePassword({ request, caller, fields }) {
      const { answer, secret } = await changePassword(db, caller.session, fields, access.throttleOf(request))
      sessions.setCookie(request, secret)
      return answer
    },
    async updateOwnPerson({ request, caller, fields }) {
      const throttle = access.throttleOf(request)
      return describePerson(await updateOwnPerson(db, caller.session.personId, fields, throttle))
    },
  } satisfies Partial<Handlers>

  function personOf(id: string): Person {
    const person = findPerson(db, id)
    assert(person, 'every session has its person')
    return person
  }
}
