/** Operations on API keys: administrators may use them on any account, customers on their own. */
import {
  createKey as insertKey,
  findKey,
  hasAdministratorKey,
  listKeys as readKeys,
  updateKey as writeKey,
  type Key,
} from '../account/keys'
import { unitsMax } from '../config'
import type { Database } from '../db/database'
import { AppError } from '../errors'
import {
  nullableInteger,
  nullableInstant,
  optionalFields,
  optionalText,
  readText,
  refuse,
  type Fields,
} from '../fields'
import { openKeySpending, readKeySpending, setCap } from '../billing/ledger/ledger'
import { instant } from '../paging'
import { requireAccount } from './accounts'
import { found, lockOut, nameRules, runOperation, type Administration } from './administration'

const keyLimitMax = 100_000

/** Creates a key. Only this answer contains `api_key`. `apiKey` is a key chosen by the operator. */
export function createKey(administration: Administration, accountId: string, fields: Fields, apiKey?: string) {
  const { db, nowMs } = administration
  const name = readText(fields, 'name', nameRules)
  const cap = readCap(fields) ?? null
  const limits = readLimits(fields, noLimits) ?? noLimits
  const expiresAtMs = readExpiry(fields, nowMs()) ?? null
  return runOperation(administration, 'key create', (now) => {
    const account = requireAccount(db, accountId)
    const created = insertKey(db, { accountId: account.id, name, limits, expiresAtMs, nowMs: now, apiKey })
    openKeySpending(db, created.key.id, cap)
    const shown = describeKey(db, created.key)
    return { subject: shown.id, before: null, after: shown, result: { ...shown, api_key: created.apiKey } }
  })
}

export function listKeys({ db }: Administration, accountId: string) {
  const { id } = requireAccount(db, accountId)
  return { items: readKeys(db, id).map((key) => describeKey(db, key)), next_cursor: null }
}

/** Changes the given fields. `null` clears the cap, all limits, a single limit or the expiry. */
export function updateKey(administration: Administration, id: string, fields: Fields) {
  const { db } = administration
  return change(administration, 'key update', id, (key, nowMs) => {
    const cap = readCap(fields)
    if (cap !== undefined) setCap(db, key.id, cap)
    const name = optionalText(fields, 'name', nameRules) ?? key.name
    const expiresAtMs = readExpiry(fields, nowMs)
    if (expiresAtMs !== undefined) ensureLasting(administration, key, expiresAtMs, nowMs)
    return {
      ...key,
      name,
      limits: readLimits(fields, key.limits) ?? key.limits,
      expiresAtMs: expiresAtMs === undefined ? key.expiresAtMs : expiresAtMs,
    }
  })
}

/** Revokes a key for ever: requests with it are answered with 403. */
export function revokeKey(administration: Administration, id: string) {
  return change(administration, 'key revoke', id, (key) => ({ ...key, status: 'revoked' }))
}

/** Deletes a key: it is unknown from then on. Its entries stay in the ledger. */
export function deleteKey(administration: Administration, id: string) {
  change(administration, 'key delete', id, (key) => ({ ...key, status: 'deleted' }))
  return { ok: true, deleted: id }
}

/** Throws `not_found` unless the account has a key of that id. */
export function requireOwnKey(db: Database, accountId: string, id: string): void {
  if (requireKey(db, id).accountId !== accountId)
    throw new AppError('not_found', `There is no key ${JSON.stringify(id)}.`)
}

export function describeKey(db: Database, key: Key) {
  const { cap, captured, held } = readKeySpending(db, key.id)
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    prefix: key.prefix,
    status: key.status,
    cap,
    spent: captured + held,
    limits: key.limits,
    expires_at: instant(key.expiresAtMs),
    created_at: instant(key.createdAtMs),
    last_used_at: instant(key.lastUsedAtMs),
  }
}

/** Throws `conflict` when an earlier expiry of the only working administrator key would cause a later lock-out. */
function ensureLasting(
  { db, refusesLockOut }: Administration,
  key: Key,
  expiresAtMs: number | null,
  nowMs: number,
): void {
  const isEarlier = (expiresAtMs ?? Infinity) < (key.expiresAtMs ?? Infinity)
  if (refusesLockOut && isEarlier && !hasAdministratorKey(db, { nowMs, exceptId: key.id })) throw lockOut()
}

function change(administration: Administration, name: string, id: string, edit: (key: Key, nowMs: number) => Key) {
  const { db } = administration
  return runOperation(administration, name, (nowMs) => {
    const key = requireKey(db, id)
    const before = describeKey(db, key)
    const edited = edit(key, nowMs)
    writeKey(db, edited)
    const result = describeKey(db, edited)
    return { subject: key.id, before, after: result, result }
  })
}

function requireKey(db: Database, id: string): Key {
  const key = findKey(db, id)
  return found(key?.status === 'deleted' ? undefined : key, 'key', id)
}

function readExpiry(fields: Fields, nowMs: number): number | null | undefined {
  const expiresAtMs = nullableInstant(fields, 'expires_at')
  if (typeof expiresAtMs === 'number' && expiresAtMs <= nowMs)
    throw refuse('expires_at', fields.expires_at, 'a time in the future is required')
  return expiresAtMs
}

function readCap(fields: Fields): number | null | undefined {
  return nullableInteger(fields, 'cap', { min: 0, max: unitsMax })
}

const noLimits: Key['limits'] = { tts: null, clone: null }

function readLimits(fields: Fields, earlier: Key['limits']): Key['limits'] | undefined {
  const limits = optionalFields(fields, 'limits')
  if (limits === undefined) return undefined
  if (limits === null) return noLimits
  const read = (name: 'tts' | 'clone') => {
    const value = nullableInteger(limits, name, { min: 1, max: keyLimitMax })
    return value === undefined ? earlier[name] : value
  }
  try {
    return { tts: read('tts'), clone: read('clone') }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError('invalid_params', `limits.${error.message}`, { param: 'limits' })
  }
}
