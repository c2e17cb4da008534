/** Fields that several operations share. */
import { limits, unitsMax } from '../config'
import { faultHeader, faultNames } from '../faults'
import type { Field, Fields } from './operation'
import { cursorPattern, emailPattern, idPattern, linePattern, optionalLinePattern, time, voiceIdPattern } from './rules'
import { oneOf, orNull, whole, type Schema } from './schema'

export const line = (maxLength: number): Schema<string> => {
  return { type: 'string', minLength: 1, maxLength, pattern: linePattern }
}
const word: Schema<string> = { type: 'string', minLength: 1 }
const generatedId: Schema<string> = { type: 'string', pattern: idPattern }

export const required = <F extends Field>(field: F) => ({ ...field, isRequired: true }) as const

/** Parameters of paths. */
export const accountId: Field = {
  takes: 'ID',
  says: 'id of the account; its account number does too',
  schema: word,
  example: '2122197529473504',
}
export const keyId = pathId('key', 'KEY_ID')
export const codeId = pathId('code', 'CODE_ID')
export const cloneId = pathId('cloned voice', 'cv-ID')
export const groupId = pathId('group', 'GROUP_ID')
export const voiceId: Field = { ...pathId('voice'), takes: 'VOICE' }
export const packName: Field = { takes: 'NAME', says: 'name of the folder of the pack', schema: word }

export function pathId(of: string, example?: string): Field {
  return { takes: 'ID', says: `id of the ${of}`, schema: word, example }
}

export const page: Fields = {
  limit: {
    takes: 'N',
    says: 'maximum number of rows',
    schema: whole(1, limits.pageItemsMax, { default: limits.pageItems }),
  },
  cursor: {
    takes: 'TEXT',
    says: 'the cursor of the previous page',
    schema: { description: 'The `next_cursor` of the previous page.', type: 'string', pattern: cursorPattern },
  },
}
export const period: Fields = {
  from: { takes: 'TIME', says: 'start, inclusive: 2026-01-31 or 2026-01-31T12:00:00Z', schema: time },
  to: { takes: 'TIME', says: 'end, exclusive', schema: time },
}
/** Filters by ids; an unknown id finds nothing. */
export const onlyAccount: Fields = {
  account_id: { takes: 'ID', says: 'only this account', schema: generatedId, flag: 'account' },
}
/** Which records of the history. */
export const usageFilter: Fields = {
  key_id: { takes: 'ID', says: 'only this key', schema: generatedId, flag: 'key' },
  voice_id: {
    takes: 'ID',
    says: 'only this voice',
    schema: { type: 'string', pattern: voiceIdPattern },
    flag: 'voice',
  },
  status: {
    takes: 'charged|partial|uncharged|failed',
    says: 'only requests that ended so',
    schema: oneOf(['charged', 'partial', 'uncharged', 'failed']),
  },
  ...period,
}
/** Which operations of the audit log. */
export const logFilter: Fields = {
  act: { takes: 'TEXT', says: 'only this operation, such as `key create`', schema: line(100) },
  actor: { takes: 'TEXT', says: 'only of this actor: a part of it, such as an id', schema: line(100) },
  subject: { takes: 'ID', says: 'only on the object of this id', schema: line(100) },
}
export const ofAccount: Field = {
  takes: 'ID',
  says: 'id or account number',
  schema: generatedId,
  example: '2122197529473504',
  isRequired: true,
  flag: 'account',
}

export const name: Field<string> = { takes: 'TEXT', says: 'a display name', schema: line(100) }
export const email: Schema<string> = { type: 'string', maxLength: 254, pattern: emailPattern }
const accountEmail: Field<string | null> = { takes: 'TEXT|none', says: 'an e-mail address', schema: orNull(email) }
const role = { takes: 'user|admin', says: 'the permissions of its keys', schema: oneOf(['user', 'admin']) } as const
const group: Field<string | null> = {
  takes: 'ID|none',
  says: 'its voice plan, by id or name',
  schema: orNull(line(100)),
}
export const newAccount = {
  name: required(name),
  email: accountEmail,
  role: { ...role, says: `${role.says} (default user)` },
  group,
  balance: { takes: 'N', says: 'initial units (default 0)', schema: whole(0, unitsMax) },
} as const
export const accountSearch: Field<string> = {
  takes: 'TEXT',
  says: 'part of a name, e-mail address or account number',
  schema: { type: 'string', maxLength: 100, pattern: optionalLinePattern },
}
export const accountChanges = { name, email: accountEmail, role, group } as const

export const adjustment = {
  units: {
    takes: 'N',
    says: 'the amount',
    schema: whole(-unitsMax, unitsMax, {
      description: 'Characters to add, or to take where negative; not 0.',
      not: { const: 0 },
    }),
    isRequired: true,
  },
  reason: { takes: 'TEXT', says: 'recorded in the ledger', schema: line(500), isRequired: true },
} as const

const expiresAt: Field<number | null> = {
  takes: 'TIME|none',
  says: 'expiry time',
  schema: { description: 'Expiry time, in the future; null: never.', ...orNull(time) },
}
const perMinute = orNull(whole(1, 100_000))
export const keyChanges = {
  name,
  cap: { takes: 'N|none', says: 'units that the key may spend in total', schema: orNull(whole(0, unitsMax)) },
  expires_at: expiresAt,
  limits: {
    says: 'own limits of the key; null: those of the installation',
    schema: { type: ['object', 'null'] },
    fields: {
      tts: { takes: 'N|none', says: 'speech calls per minute', schema: perMinute, flag: 'limit-tts' },
      clone: { takes: 'N|none', says: 'clone calls per minute', schema: perMinute, flag: 'limit-clone' },
    },
  },
} as const
export const newKey = { ...keyChanges, name: required(name) } as const
export const rotation = {
  grace_seconds: {
    takes: 'N',
    says: 'seconds for which the old key goes on working (default 0)',
    schema: whole(0, limits.keyGraceSecondsMax),
  },
} as const

export const newCodes = {
  units: { takes: 'N', says: 'units per code', schema: whole(1, 1_000_000_000), isRequired: true },
  count: { takes: 'N', says: 'number of codes (default 1)', schema: whole(1, 1000) },
  expires_at: expiresAt,
  note: { takes: 'TEXT|none', says: 'a note for administrators', schema: orNull(line(500)) },
} as const

const faultPattern = `(${faultNames.join('|')}|latency=([0-9]{1,4}|[1-5][0-9]{4}|60000))`

/** The header that asks for a fault. */
export const fault: Fields = {
  [faultHeader]: {
    says: `only with \`serve --ephemeral\`, else ignored: makes the request fail there. One of ${faultNames.map((one) => `\`${one}\``).join(', ')}, or \`latency=<ms>\`, or both with a comma between`,
    schema: { type: 'string', pattern: `^${faultPattern}( ?, ?${faultPattern})*$` },
  },
}

export const idempotencyKey: Fields = {
  'Idempotency-Key': {
    says: '32 hexadecimal characters of your own. A repeat with the same fields gets the first answer and is not charged again',
    schema: { type: 'string', pattern: '^[0-9a-fA-F]{32}$' },
  },
}
