/**
 * The code of the administrative operations, for the HTTP interface and the command line alike. Operations that one of
 * them runs in its own way are bound there.
 */
import { listAllDays, readFilter, streamCsv, sumRecords } from '../billing/history'
import type { Fields } from '../fields'
import type { OperationId, OperationsWith } from '../operations/table'
import {
  adjustBalance,
  createAccount,
  disableAccount,
  enableAccount,
  listAccounts,
  showAccount,
  updateAccount,
} from './accounts'
import type { Administration, VoiceAdministration } from './administration'
import { deleteAnyClone, listAccountClones, purgeRecording, type Stores } from './clones'
import { createCodes, listCodes, voidCode } from './codes'
import { eraseAccount } from './erasure'
import { createKey, deleteKey, listKeys, revokeKey, rotateKey, updateKey } from './keys'
import { listAllUsage } from './history'
import { listLog } from './log'
import { listPacks, removePack, type Packs } from './packs'
import {
  cancelInvitation,
  invitePerson,
  listInvitations,
  listPersons,
  removePerson,
  resetPassword,
  updatePerson,
} from './people'
import { moveVoice } from './voice-order'
import { createGroup, deleteGroup, listGroups, listVoices, updateGroup, updateVoice } from './voices'

export type AdministrativeCall = {
  readonly admin: Administration
  /** The parameter of the path; empty without one. */
  readonly id: string
  readonly fields: Fields
  /** Aborted when the client has left. */
  readonly signal?: AbortSignal
  readonly baseUrl: string
  readonly storageUrl: string
  readonly stores: Stores
}

export type VoiceCall = AdministrativeCall & { readonly admin: VoiceAdministration; readonly packs: Packs }

type CallOf<Id extends OperationId> = Id extends OperationsWith<'usesVoices', true> ? VoiceCall : AdministrativeCall

type AdministrativeHandlers = {
  readonly [Id in OperationsWith<'access', 'administrator'>]: (call: CallOf<Id>) => unknown
}

export const administrativeHandlers = {
  createAccount: ({ admin, fields }) => createAccount(admin, fields),
  listAccounts: ({ admin, fields }) => listAccounts(admin, fields),
  getAccountById: ({ admin, id }) => showAccount(admin, id),
  updateAccount: ({ admin, id, fields }) => updateAccount(admin, id, fields),
  disableAccount: ({ admin, id }) => disableAccount(admin, id),
  enableAccount: ({ admin, id }) => enableAccount(admin, id),
  eraseAccount: ({ admin, stores, id }) => eraseAccount(admin, stores, id),
  adjustBalance: ({ admin, id, fields }) => adjustBalance(admin, id, fields),
  invitePerson: ({ admin, id, baseUrl }) => invitePerson(admin, id, baseUrl),
  listPersons: ({ admin, id }) => listPersons(admin, id),
  listInvitations: ({ admin, id }) => listInvitations(admin, id),
  cancelInvitation: ({ admin, id }) => cancelInvitation(admin, id),
  updatePerson: ({ admin, id, fields }) => updatePerson(admin, id, fields),
  resetPassword: ({ admin, id }) => resetPassword(admin, id),
  removePerson: ({ admin, id }) => removePerson(admin, id),
  createKey: ({ admin, id, fields }) => createKey(admin, id, fields),
  listKeys: ({ admin, id }) => listKeys(admin, id),
  updateKey: ({ admin, id, fields }) => updateKey(admin, id, fields),
  rotateKey: ({ admin, id, fields }) => rotateKey(admin, id, fields),
  revokeKey: ({ admin, id }) => revokeKey(admin, id),
  deleteKey: ({ admin, id }) => deleteKey(admin, id),
  createCodes: ({ admin, fields }) => createCodes(admin, fields),
  listCodes: ({ admin, fields }) => listCodes(admin, fields),
  voidCode: ({ admin, id }) => voidCode(admin, id),
  listAllVoices: ({ admin, packs }) => listVoices(admin, packs.registry),
  updateVoice: ({ admin, packs, id, fields }) => updateVoice(admin, id, fields, packs.registry),
  moveVoice: ({ admin, packs, id, fields }) => moveVoice(admin, id, fields, packs.registry),
  listPacks: ({ packs }) => listPacks(packs),
  removePack: ({ admin, packs, id }) => removePack(admin, packs, id),
  createGroup: ({ admin, fields }) => createGroup(admin, fields),
  listGroups: ({ admin }) => listGroups(admin),
  updateGroup: ({ admin, id, fields }) => updateGroup(admin, id, fields),
  deleteGroup: ({ admin, id }) => deleteGroup(admin, id),
  listClones: ({ admin, fields, storageUrl }) => listAccountClones(admin, fields, storageUrl),
  deleteAnyClone: ({ admin, stores, id }) => deleteAnyClone(admin, stores, id),
  purgeRecording: ({ admin, stores, id }) => purgeRecording(admin, stores, id),
  listAllUsage: ({ admin, fields, storageUrl }) => listAllUsage(admin, fields, storageUrl),
  sumAllUsage: ({ admin, fields, signal }) => sumRecords(admin.db, readFilter(fields, undefined), signal),
  sumAllUsageByDay: ({ admin, fields }) => listAllDays(admin.db, fields, admin.nowMs()),
  /** Returns the pieces of the file. */
  exportAllUsage: ({ admin, fields, storageUrl }) =>
    streamCsv(admin.db, readFilter(fields, undefined), storageUrl, { withAccounts: true }),
  listActs: ({ admin, fields }) => listLog(admin, fields),
} satisfies Partial<AdministrativeHandlers>

export type SharedOperationId = keyof typeof administrativeHandlers
