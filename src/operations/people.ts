/** People: signing in, sessions, passwords and invitations. */
import { administrative, operation } from './entry'
import { accountId, email, line, name, pathId, required } from './fields'
import type { Field } from './operation'
import { limits } from '../config'
import { reference, type Schema } from './schema'

const ofPeople = { tag: 'People' } as const
const ofSession = { ...ofPeople, access: 'session' } as const
const ofSignIn = { ...ofPeople, access: 'sign-in' } as const
const signedIn = {
  description: 'Signed in; the cookie holds the secret of the session.',
  schema: reference('SignedIn'),
  headers: ['Set-Cookie'],
} as const
/** `account/passwords` reads passwords: they are not trimmed, and errors must not show them. */
const passwordSchema: Schema<string> = {
  type: 'string',
  minLength: limits.passwordCharactersMin,
  maxLength: limits.passwordBytesMax / 4,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
}
const newPassword = required({
  says: `the new password; at most ${limits.passwordBytesMax} bytes of UTF-8`,
  schema: passwordSchema,
})
const presentPassword = required({ says: 'the password', schema: { ...passwordSchema, minLength: 1 } })
const ownEmail = required({ says: 'the e-mail address, in any case', schema: email })
/** The fields of a sign-in besides the password. */
export const signIn = { email: ownEmail } as const
/** The fields of an accepted invitation or setup link besides the password. */
export const acceptance = {
  token: required({ says: 'the part of the link behind `#`', schema: line(256) }),
  email: ownEmail,
  name: required(name),
} as const
export const personChanges = {
  name,
  email: { takes: 'TEXT', says: 'the e-mail address for signing in', schema: email } as Field<string>,
} as const
const ownPersonChanges = {
  ...personChanges,
  current_password: { says: 'the password; needed for another e-mail address', schema: presentPassword.schema },
} as const
const personId: Field = { ...pathId('person', 'ada@example.org'), says: 'id or e-mail address of the person' }

const sessions = {
  signIn: operation('POST /api/v1/session', 'Sign in', {
    ...ofSignIn,
    description:
      'Unknown addresses and wrong passwords get the same answer. The cookie is for pages of this server: a change with it must have the `Origin` of the server, and a JSON body (`Content-Type: application/json`). With an `Authorization` header the cookie is ignored.',
    body: { name: 'SignIn', fields: { ...signIn, password: presentPassword } },
    answer: signedIn,
    errors: ['wrong_password'],
  }),
  getSession: operation('GET /api/v1/session', 'The person and the account of the session', {
    ...ofSession,
    limit: 'account',
    answer: { description: 'The session lasts.', schema: reference('SignedIn') },
  }),
  signOut: operation('DELETE /api/v1/session', 'Sign out', {
    ...ofSession,
    answer: { description: 'The session has ended.', schema: reference('SignedOut'), headers: ['Set-Cookie'] },
  }),
  listSessions: operation('GET /api/v1/sessions', 'List own sessions, newest first', {
    ...ofSession,
    description: 'A session ends 7 days after its last use and 30 days after its start.',
    limit: 'account',
    answer: { description: 'Where the person is signed in.', schema: reference('SessionList') },
  }),
  endSession: operation('DELETE /api/v1/sessions/{id}', 'End one own session', {
    ...ofSession,
    limit: 'account',
    parameter: pathId('session'),
    answer: { description: 'The session has ended.', schema: reference('Deleted') },
    errors: ['not_found'],
  }),
  signOutEverywhere: operation('DELETE /api/v1/sessions', 'Sign out everywhere', {
    ...ofSession,
    answer: { description: 'All sessions have ended.', schema: reference('SessionsEnded'), headers: ['Set-Cookie'] },
  }),
  changePassword: operation('POST /api/v1/password', 'Change the own password', {
    ...ofSession,
    description: 'Ends the other sessions of the person, and gives this one a new cookie.',
    limit: 'account',
    body: {
      name: 'PasswordChange',
      fields: { current_password: presentPassword, new_password: newPassword },
    },
    answer: { description: 'The new password counts.', schema: reference('SessionsEnded'), headers: ['Set-Cookie'] },
    errors: ['wrong_password', 'conflict'],
  }),
}

const person = { description: 'The person.', schema: reference('Person') } as const
const ownPerson = {
  updateOwnPerson: operation('PATCH /api/v1/person', 'Change the own name or e-mail address', {
    ...ofSession,
    description: 'Another e-mail address takes the password.',
    limit: 'account',
    body: { name: 'OwnPersonChanges', fields: ownPersonChanges },
    answer: person,
    errors: ['wrong_password', 'conflict'],
  }),
}

const invitations = {
  setUp: operation('POST /api/v1/setup', "Join the administrator's account by the setup link", {
    ...ofSignIn,
    description:
      'The link is `setup_url` in the ready line of the first start. It works once, within 24 hours, while no person of an administrator exists. All other tokens get the same answer.',
    body: { name: 'Setup', fields: { ...acceptance, password: newPassword } },
    answer: signedIn,
    errors: ['conflict'],
  }),
  acceptInvitation: operation('POST /api/v1/invitations/accept', 'Join an account by an invitation', {
    ...ofSignIn,
    description: 'An invitation works once. Unknown, used and expired tokens get the same answer.',
    body: {
      name: 'InvitationAcceptance',
      fields: { ...acceptance, password: newPassword },
    },
    answer: signedIn,
    errors: ['conflict'],
  }),
  invitePerson: administrative('POST /admin/accounts/{id}/invitations', 'Invite a person to an account', {
    description: 'The answer is the only place where the link is shown. It works once, within 7 days.',
    parameter: accountId,
    answer: 'Invitation',
    errors: ['conflict'],
    command: { words: 'account invite', showsAddresses: true, secret: 'url' },
  }),
  listInvitations: administrative('GET /admin/accounts/{id}/invitations', "List an account's open invitations", {
    description: 'Oldest first, without those that were used or have expired.',
    parameter: accountId,
    answer: 'InvitationList',
    command: { words: 'account invitations', columns: ['id', 'created_at', 'expires_at', 'invited_by'] },
  }),
  cancelInvitation: administrative('DELETE /admin/invitations/{id}', 'Cancel an open invitation', {
    parameter: pathId('invitation', 'INVITATION_ID'),
    answer: 'Deleted',
    command: { words: 'account cancel-invitation' },
  }),
}

const persons = {
  listPersons: administrative('GET /admin/accounts/{id}/persons', "List an account's persons, oldest first", {
    parameter: accountId,
    answer: 'PersonList',
    command: { words: 'account persons', columns: ['id', 'email', 'name', 'created_at'] },
  }),
  updatePerson: administrative('PATCH /admin/persons/{id}', "Change a person's name or e-mail address", {
    parameter: personId,
    body: { name: 'PersonChanges', fields: personChanges },
    answer: 'AccountPerson',
    errors: ['conflict'],
    command: {
      words: 'account update-person',
      examples: [
        "sonant account update-person ada@example.org --name 'Ada King'",
        'sonant account update-person ada@example.org --email ada@example.com',
      ],
    },
  }),
  resetPassword: administrative('POST /admin/persons/{id}/reset-password', 'Give a person a new random password', {
    description: 'The answer is the only place where it is shown. The sessions of the person end.',
    parameter: personId,
    answer: 'ResetPassword',
    command: { words: 'account reset-password', secret: 'password' },
  }),
  removePerson: administrative('DELETE /admin/persons/{id}', 'Remove a person; the sessions end, the account stays', {
    parameter: personId,
    answer: 'Deleted',
    errors: ['conflict'],
    command: { words: 'account remove-person' },
  }),
}

export const peopleOperations = { ...sessions, ...ownPerson, ...invitations, ...persons } as const
