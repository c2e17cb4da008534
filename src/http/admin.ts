/** Administration, and administrators' own keys: binds the operations that the command line has too, and adds those of HTTP. */
import { reEnrol } from '../admin/clones'
import { installPack } from '../admin/installs'
import { createKey, deleteKey, listKeys, requireOwnKey, revokeKey } from '../admin/keys'
import { administrativeHandlers, type SharedOperationId, type VoiceCall } from '../admin/operations'
import { rescanPacks } from '../admin/packs'
import { retryWhileBusy } from '../db/statements'
import type { HttpContext } from './context'
import type { Call, Handlers } from './routes'

type AdministratorCall = Call<'administrator'>

export function adminHandlers({ db, speaking, cloning, packs, installer, addresses }: HttpContext) {
  function administrationOf({ caller }: AdministratorCall) {
    const { accountId, keyId, session } = caller
    const actor = `account ${accountId}, ${session ? `person ${session.personId}` : `key ${keyId}`}`
    return { db, catalogue: speaking.catalogue, actor, refusesLockOut: true, nowMs: Date.now }
  }

  function shared(run: (call: VoiceCall) => unknown) {
    return (call: AdministratorCall) => {
      const { id, fields, request } = call
      const { baseUrl, storageUrl } = addresses(request)
      const admin = administrationOf(call)
      return retryWhileBusy(() => run({ admin, id, fields, baseUrl, storageUrl, stores: cloning, packs }))
    }
  }

  /** Throws `not_found` for a key of another account. */
  function ownKeyAdministration(call: AdministratorCall) {
    requireOwnKey(db, call.caller.accountId, call.id)
    return administrationOf(call)
  }

  const handlers = Object.entries(administrativeHandlers).map(([id, run]) => [id, shared(run)])
  return {
    ...(Object.fromEntries(handlers) as Record<SharedOperationId, (call: AdministratorCall) => unknown>),
    installPack: (call) => installPack(administrationOf(call), installer, call.fields),
    rescanPacks: () => rescanPacks(packs),
    reEnrolClone: (call) => reEnrol(administrationOf(call), cloning, cloning, call.id, call.deadline),
    listOwnKeys: (call) => listKeys(administrationOf(call), call.caller.accountId),
    createOwnKey: (call) => retryWhileBusy(() => createKey(administrationOf(call), call.caller.accountId, call.fields)),
    revokeOwnKey: (call) => retryWhileBusy(() => revokeKey(ownKeyAdministration(call), call.id)),
    deleteOwnKey: (call) => retryWhileBusy(() => deleteKey(ownKeyAdministration(call), call.id)),
  } satisfies Partial<Handlers>
}
