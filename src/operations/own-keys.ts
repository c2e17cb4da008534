/** The keys of the own account: operations of its people, and of administrators with a key. An ordinary key has none. */
import { noLockOut, ofRotation } from './administration'
import { operation } from './entry'
import { keyId, newKey, rotation } from './fields'
import { reference } from './schema'

const ofOwnKeys = { tag: 'Own keys', access: 'own keys', limit: 'keys' } as const
const key = { description: 'The key.', schema: reference('Key') } as const
const createdKey = { description: 'The key; `api_key` is shown only here.', schema: reference('CreatedKey') } as const

export const ownKeyOperations = {
  listOwnKeys: operation('GET /api/v1/keys', 'List own API keys', {
    ...ofOwnKeys,
    answer: { description: 'All keys but deleted ones, without secrets.', schema: reference('KeyList') },
  }),
  createOwnKey: operation('POST /api/v1/keys', 'Create an own API key; it is shown only once', {
    ...ofOwnKeys,
    description: 'Only administrators may give a key higher limits than those of the installation.',
    body: { name: 'NewKey', fields: newKey },
    answer: createdKey,
    errors: ['conflict'],
  }),
  rotateOwnKey: operation('POST /api/v1/keys/{id}/rotate', 'Replace an own key by a new one with the same settings', {
    ...ofOwnKeys,
    description: ofRotation,
    parameter: keyId,
    body: { name: 'KeyRotation', fields: rotation },
    answer: createdKey,
    errors: ['not_found', 'conflict'],
  }),
  revokeOwnKey: operation('POST /api/v1/keys/{id}/revoke', 'Revoke an own API key permanently; it answers 403', {
    ...ofOwnKeys,
    description: noLockOut,
    parameter: keyId,
    answer: key,
    errors: ['not_found', 'conflict'],
  }),
  deleteOwnKey: operation('DELETE /api/v1/keys/{id}', 'Delete an own API key; it answers 401', {
    ...ofOwnKeys,
    description: noLockOut,
    parameter: keyId,
    answer: { description: 'The key is unknown from now on.', schema: reference('Deleted') },
    errors: ['not_found', 'conflict'],
  }),
} as const
