/** `/api/v1/admin`, and administrators' own keys: each route is one call of the administration. */
import { Elysia } from 'elysia'
import {
  adjustBalance,
  createAccount,
  disableAccount,
  enableAccount,
  listAccounts,
  showAccount,
  updateAccount,
} from '../admin/accounts'
import type { Administration } from '../admin/administration'
import { deleteAnyClone, listAccountClones, purgeRecording, reEnrol } from '../admin/clones'
import { listLog } from '../admin/log'
import { createCodes, listCodes, voidCode } from '../admin/codes'
import { createKey, deleteKey, listKeys, requireOwnKey, revokeKey, updateKey } from '../admin/keys'
import { listPacks, removePack, rescanPacks, type Packs } from '../admin/packs'
import { createGroup, deleteGroup, listGroups, listVoices, updateGroup, updateVoice } from '../admin/voices'
import type { Cloning } from '../clone/cloning'
import { listAllRecords } from '../billing/history'
import type { Caller } from '../account/keys'
import type { Operation } from '../config'
import type { Deadline } from '../deadline'
import { withNumbers, type Fields } from '../fields'
import { queryOf, readJsonObject, readOptionalJsonObject } from './body'
import { retryWhileBusy } from '../db/statements'
import type { HttpContext } from './context'

type Call = {
  readonly admin: Administration
  readonly caller: Caller
  readonly id: string
  readonly fields: Fields
  readonly storageUrl: string
  readonly cloning: Cloning
  readonly packs: Packs
  /** Sets the deadline of the request to that of this operation. */
  readonly begin: (operation: Operation) => Deadline
}
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Route = readonly [method: Method, path: string, answer: (call: Call) => unknown]

const routes: readonly Route[] = [
  ['POST', '/admin/accounts', ({ admin, fields }) => createAccount(admin, fields)],
  ['GET', '/admin/accounts', ({ admin, fields }) => listAccounts(admin, fields)],
  ['GET', '/admin/accounts/:id', ({ admin, id }) => showAccount(admin, id)],
  ['PATCH', '/admin/accounts/:id', ({ admin, id, fields }) => updateAccount(admin, id, fields)],
  ['POST', '/admin/accounts/:id/disable', ({ admin, id }) => disableAccount(admin, id)],
  ['POST', '/admin/accounts/:id/enable', ({ admin, id }) => enableAccount(admin, id)],
  ['POST', '/admin/accounts/:id/adjust', ({ admin, id, fields }) => adjustBalance(admin, id, fields)],
  ['POST', '/admin/accounts/:id/keys', ({ admin, id, fields }) => createKey(admin, id, fields)],
  ['GET', '/admin/accounts/:id/keys', ({ admin, id }) => listKeys(admin, id)],
  ['POST', '/admin/keys/:id/revoke', ({ admin, id }) => revokeKey(admin, id)],
  ['PATCH', '/admin/keys/:id', ({ admin, id, fields }) => updateKey(admin, id, fields)],
  ['DELETE', '/admin/keys/:id', ({ admin, id }) => deleteKey(admin, id)],
  ['POST', '/admin/codes', ({ admin, fields }) => createCodes(admin, fields)],
  ['GET', '/admin/codes', ({ admin, fields }) => listCodes(admin, fields)],
  ['POST', '/admin/codes/:id/void', ({ admin, id }) => voidCode(admin, id)],
  ['GET', '/admin/voices', ({ admin }) => listVoices(admin)],
  ['PATCH', '/admin/voices/:id', ({ admin, id, fields }) => updateVoice(admin, id, fields)],
  ['GET', '/admin/packs', ({ packs }) => listPacks(packs)],
  ['POST', '/admin/packs/rescan', ({ packs }) => rescanPacks(packs)],
  ['DELETE', '/admin/packs/:id', ({ admin, packs, id }) => removePack(admin, packs, id)],
  ['POST', '/admin/groups', ({ admin, fields }) => createGroup(admin, fields)],
  ['GET', '/admin/groups', ({ admin }) => listGroups(admin)],
  ['PATCH', '/admin/groups/:id', ({ admin, id, fields }) => updateGroup(admin, id, fields)],
  ['DELETE', '/admin/groups/:id', ({ admin, id }) => deleteGroup(admin, id)],
  ['GET', '/admin/clones', ({ admin, fields }) => listAccountClones(admin, fields)],
  ['DELETE', '/admin/clones/:id', ({ admin, cloning, id }) => deleteAnyClone(admin, cloning, id)],
  ['POST', '/admin/clones/:id/purge', ({ admin, cloning, id }) => purgeRecording(admin, cloning, id)],
  [
    'POST',
    '/admin/clones/:id/re-enrol',
    ({ admin, cloning, id, begin }) => reEnrol(admin, cloning, cloning, id, begin('reEnrol')),
  ],
  ['GET', '/admin/usage', ({ admin, fields, storageUrl }) => listAllRecords(admin.db, fields, storageUrl)],
  ['GET', '/admin/audit-log', ({ admin, fields }) => listLog(admin, fields)],
  ['GET', '/keys', ({ admin, caller }) => listKeys(admin, caller.accountId)],
  ['POST', '/keys', ({ admin, caller, fields }) => createKey(admin, caller.accountId, fields)],
  ['POST', '/keys/:id/revoke', ({ admin, caller, id }) => revokeKey(own(admin, caller, id), id)],
  ['DELETE', '/keys/:id', ({ admin, caller, id }) => deleteKey(own(admin, caller, id), id)],
]

function own(admin: Administration, { accountId }: Caller, id: string): Administration {
  requireOwnKey(admin.db, accountId, id)
  return admin
}

export function adminRoutes({ begin, db, access, speaking, cloning, packs, addresses }: HttpContext) {
  const app = new Elysia()
  for (const [method, path, answer] of routes)
    app.route(
      method,
      `/api/v1${path}`,
      async ({ request, params }: { request: Request; params?: { id?: string } }) => {
        const caller = access.administrator(request)
        const fields = await readFields(request, method)
        const actor = `account ${caller.accountId}, key ${caller.keyId}`
        const admin = { db, catalogue: speaking.catalogue, actor, refusesLockOut: true, nowMs: Date.now }
        const { storageUrl } = addresses(request)
        const call = {
          admin,
          caller,
          id: params?.id ?? '',
          fields,
          storageUrl,
          cloning,
          packs,
          begin: (operation: Operation) => begin(request, operation),
        }
        return retryWhileBusy(() => answer(call))
      },
      { parse: 'none' },
    )
  return app
}

async function readFields(request: Request, method: Method): Promise<Fields> {
  if (method === 'GET') return withNumbers(queryOf(request), ['limit'])
  return method === 'PATCH' ? readJsonObject(request) : readOptionalJsonObject(request)
}
