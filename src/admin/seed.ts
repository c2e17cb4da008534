/**
 * A seed file: accounts with their keys, groups, activation codes and voices as JSON, for repeatable tests. Each item
 * runs the administrative operation that creates it, with the secrets of the file.
 */
import { AppError } from '../errors'
import { isFields, readText, refuse, type Fields } from '../fields'
import { transact } from '../db/statements'
import { createAccount, disableAccount } from './accounts'
import type { Administration, VoiceAdministration } from './administration'
import { createCodes, voidCode } from './codes'
import { createKey, revokeKey } from './keys'
import { createGroup, updateVoice } from './voices'

const secretRules = { charactersMax: 256 }
const parts = ['groups', 'accounts', 'codes', 'voices'] as const

/**
 * Creates all items of the seed, or none. Errors name the place in the file; a malformed seed throws `invalid_params`.
 */
export function plantSeed(administration: VoiceAdministration, seed: unknown): void {
  const fields = asFields('seed', seed)
  const unknown = Object.keys(fields).find((name) => !parts.some((part) => part === name))
  if (unknown !== undefined) throw refuse('seed', unknown, `${parts.join(', ')} are allowed`)
  transact(administration.db, () => {
    forEach(fields, 'groups', (group) => createGroup(administration, group))
    forEach(fields, 'accounts', (account) => plantAccount(administration, account))
    forEach(fields, 'codes', (code) => {
      const { items } = createCodes(administration, code, readText(code, 'code', secretRules))
      if (code.status === 'void') voidCode(administration, items[0]!.id)
    })
    forEach(fields, 'voices', (voice) => updateVoice(administration, readText(voice, 'id', secretRules), voice))
  })
}

function plantAccount(administration: Administration, account: Fields): void {
  const { id } = createAccount(administration, account)
  forEach(account, 'keys', (key) => {
    const created = createKey(administration, id, { name: 'seed', ...key }, readText(key, 'api_key', secretRules))
    if (key.status === 'revoked') revokeKey(administration, created.id)
  })
  if (account.status === 'disabled') disableAccount(administration, id)
}

function forEach(fields: Fields, name: string, plant: (item: Fields) => unknown): void {
  const list = fields[name] ?? []
  if (!Array.isArray(list)) throw refuse(name, list, 'an array is allowed')
  for (const [i, item] of list.entries()) {
    try {
      plant(asFields('item', item))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      throw new AppError(error.code, `${name}[${i}]: ${error.message}`, { param: name })
    }
  }
}

function asFields(name: string, value: unknown): Fields {
  if (isFields(value)) return value
  throw refuse(name, value, 'an object is required')
}
