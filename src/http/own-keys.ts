/** The keys of the caller's own account, by the administrative operations on keys. */
import type { Administration } from '../admin/administration'
import { createKey, deleteKey, listKeys, requireOwnKey, revokeKey, rotateKey } from '../admin/keys'
import { countKeys } from '../account/keys'
import { limits, type RateLimits } from '../config'
import { retryWhileBusy } from '../db/statements'
import { AppError } from '../errors'
import { newKey } from '../operations/fields'
import { readFields } from '../operations/read-fields'
import { actorOf } from './admin'
import type { HttpContext } from './context'
import type { Call, Handlers } from './routes'

type OwnKeysCall = Call<'own keys'>

export function ownKeyHandlers({ db, rateLimits }: HttpContext) {
  /** An operation on a user's key cannot lock administrators out. */
  function administrationOf({ caller }: OwnKeysCall): Administration {
    return { db, actor: actorOf(caller), refusesLockOut: caller.role === 'admin', nowMs: Date.now }
  }

  /** Runs `work` on a key of the caller. Throws `not_found` for a key of another account. */
  function onOwnKey<T>(call: OwnKeysCall, work: (administration: Administration) => T): Promise<T> {
    return retryWhileBusy(() => {
      requireOwnKey(db, call.caller.accountId, call.id)
      return work(administrationOf(call))
    })
  }

  function ensureRoom(accountId: string): void {
    if (countKeys(db, accountId) >= limits.ownKeysMax)
      throw new AppError('conflict', `The account has ${limits.ownKeysMax} keys, which is the most; delete one first.`)
  }

  return {
    listOwnKeys: (call) => listKeys(administrationOf(call), call.caller.accountId),

    createOwnKey: (call) =>
      retryWhileBusy(() => {
        const { accountId, role } = call.caller
        if (role !== 'admin') ensureUsualLimits(call, rateLimits)
        ensureRoom(accountId)
        return createKey(administrationOf(call), accountId, call.fields)
      }),

    rotateOwnKey: (call) =>
      onOwnKey(call, (administration) => {
        ensureRoom(call.caller.accountId)
        return rotateKey(administration, call.id, call.fields)
      }),

    revokeOwnKey: (call) => onOwnKey(call, (administration) => revokeKey(administration, call.id)),

    deleteOwnKey: (call) => onOwnKey(call, (administration) => deleteKey(administration, call.id)),
  } satisfies Partial<Handlers>
}

/** Throws `invalid_params` for limits above those of the installation; 0 is none. */
function ensureUsualLimits({ fields }: OwnKeysCall, rateLimits: RateLimits): void {
  const { limits: given } = readFields(fields, newKey)
  for (const name of ['tts', 'clone'] as const) {
    const max = rateLimits[name]
    const value = given?.[name] ?? 0
    if (max > 0 && value > max)
      throw new AppError(
        'invalid_params',
        `limits.${name}: found ${value}; a whole number from 1 to ${max} is allowed.`,
        {
          param: 'limits',
        },
      )
  }
}
