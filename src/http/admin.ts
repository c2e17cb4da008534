/** Administration: binds the operations that the command line has too, and adds those of HTTP. */
import type { Caller } from '../account/keys'
import { reEnrol } from '../admin/clones'
import { cancelInstall, installPack, listInstalls, searchHub, showHubPack } from '../admin/installs'
import { administrativeHandlers, type SharedOperationId, type VoiceCall } from '../admin/operations'
import { rescanPacks } from '../admin/packs'
import { retryWhileBusy } from '../db/statements'
import type { HttpContext } from './context'
import { csvResponse } from './csv'
import type { Call, Handlers } from './routes'

type AdministratorCall = Call<'administrator'>

export function adminHandlers({ db, speaking, cloning, packs, installer, hubDesk, addresses }: HttpContext) {
  function administrationOf({ caller }: AdministratorCall) {
    return { db, catalogue: speaking.catalogue, actor: actorOf(caller), refusesLockOut: true, nowMs: Date.now }
  }

  function shared(run: (call: VoiceCall) => unknown) {
    return (call: AdministratorCall) => {
      const { id, fields, request } = call
      const { baseUrl, storageUrl } = addresses(request)
      const { signal } = request
      const admin = administrationOf(call)
      return retryWhileBusy(() => run({ admin, id, fields, signal, baseUrl, storageUrl, stores: cloning, packs }))
    }
  }

  const handlers = Object.entries(administrativeHandlers).map(([id, run]) => [id, shared(run)])
  const sharedHandlers = Object.fromEntries(handlers) as Record<SharedOperationId, (call: AdministratorCall) => unknown>
  return {
    ...sharedHandlers,
    async exportAllUsage(call) {
      const pieces = await sharedHandlers.exportAllUsage(call)
      return csvResponse(call.request, pieces as Generator<string>)
    },
    searchHub: async ({ fields, deadline }) => searchHub(await hubDesk(), fields, deadline),
    showHubPack: async ({ fields, deadline }) => showHubPack(await hubDesk(), fields, deadline),
    listInstalls: () => listInstalls(installer),
    cancelInstall: (call) => cancelInstall(administrationOf(call), installer, call.id),
    installPack: (call) => installPack(administrationOf(call), installer, call.fields),
    rescanPacks: () => rescanPacks(packs),
    reEnrolClone: (call) => reEnrol(administrationOf(call), cloning, cloning, call.id, call.deadline),
  } satisfies Partial<Handlers>
}

/** The caller in the audit log. */
export function actorOf({ accountId, keyId, session }: Caller): string {
  return `account ${accountId}, ${session ? `person ${session.personId}` : `key ${keyId}`}`
}
