/** Operations on API keys: administrators may use them on any account, customers on their own. */
import {
  createKey as insertKey,
  findKey,
  hasAdministratorKey,
  isRevoked,
  listKeys as readKeys,
  updateKey as writeKey,
  type Key,
} from '../account/keys'
import { hasAdministratorPerson } from '../account/persons'
import type { Database } from '../db/database'
import { AppError } from '../errors'
import type { Fields } from '../fields'
import { openKeySpending, readKeySpending, setCap } from '../billing/ledger/ledger'
import { keyChanges, newKey, rotation } from '../operations/fields'
import { readFields } from '../operations/read-fields'
import { instant } from '../paging'
import { requireAccount, requireUnerased } from './accounts'
import { checkExpiry, found, lockOut, runOperation, type Administration } from './administration'

/** Creates a key. Only this answer contains `api_key`. `apiKey` is a key chosen by the operator. */
export function createKey(administration: Administration, accountId: string, fields: Fields, apiKey?: string) {
  const { db, nowMs } = administration
  const { name, cap = null, expires_at: expiresAtMs = null, limits } = readFields(fields, newKey)
  checkExpiry(fields, expiresAtMs, nowMs())
  return runOperation(administration, 'key create', (now) => {
    const account = requireUnerased(db, accountId)
    const created = insertKey(db, {
      ...{ accountId: account.id, name, limits: changeLimits(noLimits, limits), expiresAtMs, nowMs: now, apiKey },
    })
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
    const { name = key.name, cap, expires_at: expiresAtMs, limits } = readFields(fields, keyChanges)
    const changed = { ...key, name, limits: changeLimits(key.limits, limits) }
    if (cap !== undefined) setCap(db, key.id, cap)
    if (expiresAtMs === undefined) return changed
    checkExpiry(fields, expiresAtMs, nowMs)
    ensureLasting(administration, key, expiresAtMs, nowMs)
    return { ...changed, expiresAtMs }
  })
}

/**
 * Creates a key with the settings of another one, which is revoked after `grace_seconds`. Throws `conflict` when the key
 * does not work any more or was replaced before.
 */
export function rotateKey(administration: Administration, id: string, fields: Fields) {
  const { db } = administration
  const { grace_seconds: graceSeconds = 0 } = readFields(fields, rotation)
  return runOperation(administration, 'key rotate', (nowMs) => {
    const key = requireKey(db, id)
    if (isRevoked(key, nowMs) || key.revokesAtMs !== null)
      throw new AppError('conflict', 'The key is revoked, or another one has replaced it.')
    if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) throw new AppError('conflict', 'The key has expired.')
    const { accountId, name, limits, expiresAtMs } = key
    const created = insertKey(db, { accountId, name, limits, expiresAtMs, nowMs })
    openKeySpending(db, created.key.id, readKeySpending(db, id).cap)
    const before = describeKey(db, key)
    const replaced: Key = { ...key, revokesAtMs: nowMs + graceSeconds * 1000 }
    writeKey(db, replaced)
    const shown = describeKey(db, created.key)
    const after = { ...describeKey(db, replaced), replaced_by: shown.id }
    return { subject: id, before, after, result: { ...shown, api_key: created.apiKey } }
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

export function describeKey(db: Database, key: Key, nowMs = Date.now()) {
  const { cap, captured, held } = readKeySpending(db, key.id)
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    prefix: key.prefix,
    status: key.status === 'active' && isRevoked(key, nowMs) ? 'revoked' : key.status,
    cap,
    spent: captured + held,
    limits: key.limits,
    expires_at: instant(key.expiresAtMs),
    ...(key.revokesAtMs !== null && { revokes_at: instant(key.revokesAtMs) }),
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
  if (!refusesLockOut || !isEarlier || hasAdministratorPerson(db)) return
  if (!hasAdministratorKey(db, { nowMs, exceptId: key.id })) throw lockOut()
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

const noLimits: Key['limits'] = { tts: null, clone: null }

/** `changes`: null clears all limits. */
function changeLimits(
  { tts, clone }: Key['limits'],
  changes: { readonly [Name in keyof Key['limits']]: number | null | undefined } | null | undefined,
): Key['limits'] {
  if (changes === null) return noLimits
  return {
    tts: changes?.tts === undefined ? tts : changes.tts,
    clone: changes?.clone === undefined ? clone : changes.clone,
  }
}
