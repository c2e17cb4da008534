/** Persons, sessions and invitations: schemas of the API description. */
import { boolean, instant, integer, list, object, orNull, reference, text } from '../../operations/schema'

const person = {
  id: text('Id of the person.', { format: 'uuid' }),
  email: text('The e-mail address with which the person signs in.'),
  name: text('Name of the person.'),
  created_at: instant('Time of joining.'),
}
const end = { type: 'null', description: 'There is one page.' } as const

export const peopleSchemas = {
  Person: object(person),
  AccountPerson: object({ ...person, account_id: text('Id of the account.', { format: 'uuid' }) }),
  PersonList: object({ items: list(reference('AccountPerson')), next_cursor: end }),
  Session: object({
    id: text('Id of the session.', { format: 'uuid' }),
    device: orNull(text('Browser and system, as `Firefox on Linux`; null: unknown.')),
    current: boolean('Whether it is the session of this request.'),
    created_at: instant('Time of the sign-in.'),
    last_used_at: instant('Time of the last request.'),
    expires_at: instant('Time at which it ends if it is not used again.'),
  }),
  SessionList: object({ items: list(reference('Session')), next_cursor: end }),
  SignedOut: object({ ok: { const: true } }),
  SessionsEnded: object({ ok: { const: true }, ended: integer('How many sessions have ended.', { minimum: 0 }) }),
  Invitation: object({
    url: text('The link to hand over; its secret part is behind `#`.', { format: 'uri' }),
    expires_at: instant('Time of expiry.'),
  }),
  OpenInvitation: object({
    id: text('Id of the invitation.', { format: 'uuid' }),
    created_at: instant('Time at which it was made.'),
    expires_at: instant('Time of expiry.'),
    invited_by: text('Who made it, as in the audit log.'),
  }),
  InvitationList: object({ items: list(reference('OpenInvitation')), next_cursor: end }),
  ResetPassword: object({
    id: person.id,
    email: person.email,
    password: text('The new password. No other answer contains it.'),
  }),
}
