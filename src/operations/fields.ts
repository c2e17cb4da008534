/** Fields that several operations share. */
import { unitsMax } from '../config'
import { faultHeader, faultNames } from '../faults'
import type { Field, Fields } from './operation'
import { cursorPattern, emailPattern, idPattern, linePattern, time } from './rules'
import { orNull, type Schema } from './schema'

export const line = (maxLength: number): Schema => {
  return { type: 'string', minLength: 1, maxLength, pattern: linePattern }
}
const word: Schema = { type: 'string', minLength: 1 }
const generatedId: Schema = { type: 'string', pattern: idPattern }

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
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
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
export const onlyKey: Fields = { key_id: { takes: 'ID', says: 'only this key', schema: generatedId, flag: 'key' } }
export const ofAccount: Field = {
  takes: 'ID',
  says: 'id or account number',
  schema: generatedId,
  example: '2122197529473504',
  isRequired: true,
  flag: 'account',
}

export const name: Field = { takes: 'TEXT', says: 'a display name', schema: line(100) }
const email: Field = {
  takes: 'TEXT|none',
  says: 'an e-mail address',
  schema: orNull({ type: 'string', maxLength: 254, pattern: emailPattern }),
}
const role: Field = {
  takes: 'user|admin',
  says: 'the permissions of its keys',
  schema: { type: 'string', enum: ['user', 'admin'] },
}
const group: Field = { takes: 'ID|none', says: 'its voice plan, by id or name', schema: orNull(line(100)) }
export const newAccount: Fields = {
  name: required(name),
  email,
  role: { ...role, says: `${role.says} (default user)` },
  group,
  balance: {
    takes: 'N',
    says: 'initial units (default 0)',
    schema: { type: 'integer', minimum: 0, maximum: unitsMax },
  },
}
export const accountChanges: Fields = { name, email, role, group }

export const expiresAt: Field = {
  takes: 'TIME|none',
  says: 'expiry time',
  schema: { description: 'Expiry time, in the future; null: never.', ...orNull(time) },
}
const perMinute: Schema = orNull({ type: 'integer', minimum: 1, maximum: 100_000 })
export const keyChanges: Fields = {
  name,
  cap: {
    takes: 'N|none',
    says: 'units that the key may spend in total',
    schema: orNull({ type: 'integer', minimum: 0, maximum: unitsMax }),
  },
  expires_at: expiresAt,
  limits: {
    says: 'own limits of the key; null: those of the installation',
    schema: { type: ['object', 'null'] },
    fields: {
      tts: { takes: 'N|none', says: 'speech calls per minute', schema: perMinute, flag: 'limit-tts' },
      clone: { takes: 'N|none', says: 'clone calls per minute', schema: perMinute, flag: 'limit-clone' },
    },
  },
}
export const newKey: Fields = { ...keyChanges, name: required(name) }

const faultPattern = `(${faultNames.join('|')}|latency=([0-9]{1,4}|[1-5][0-9]{4}|60000))`

/** The header that asks for a fault. */
export const fault: Fields = {
  [faultHeader]: {
    says: `only with \`serve --ephemeral\`, else ignored: makes the request fail there. One of ${faultNames.map((one) => `\`${one}\``).join(', ')}, or \`latency=<ms>\`, or both with a comma between`,
    schema: { type: 'string', pattern: `^${faultPattern}( ?, ?${faultPattern})*$` },
  },
}
