/** Administration, as operations of the API description. */
import type { ErrorCode } from '../../errors'
import { usageParameters } from './account'
import { reference, type Operation, type Parameter } from './model'
import { idFilter, idParameter, instantParameter, pageParameters } from './parameters'
import { optionalLinePattern } from './rules'

type Act = {
  readonly summary: string
  readonly description?: string
  readonly answer: string
  readonly body?: string
  readonly parameters?: readonly Parameter[]
  readonly errors?: readonly ErrorCode[]
  readonly tag?: string
}

/** `route`: method and path below `/api/v1`; `answer` and `body`: names of schemas. */
function act(
  id: string,
  route: string,
  { tag = 'Administration', answer, body, errors = [], ...rest }: Act,
): Operation {
  const [method, path] = route.split(' ') as [string, string]
  return {
    method: method.toLowerCase() as Operation['method'],
    path: `/api/v1${path}`,
    id,
    tag,
    audience: 'administrator',
    answer: { description: 'Done.', schema: reference(answer) },
    ...(body && { body: reference(body) }),
    errors: path.includes('{id}') ? ['not_found', ...errors] : errors,
    ...rest,
  }
}

const noLockOut = 'The last working key of an administrator stays one.'
const ofAccount = [idParameter('account; its account number does too')]
const ofKey = [idParameter('key')]
const ofCode = [idParameter('code')]
const ofVoice = [idParameter('voice')]
const ofClone = [idParameter('cloned voice')]
const ofPack = [idParameter('pack: the name of its folder')]
const ofGroup = [idParameter('group')]
const readsQuery: ErrorCode[] = ['invalid_params']

const accounts = [
  act('createAccount', 'POST /admin/accounts', {
    summary: 'Make an account',
    body: 'NewAccount',
    answer: 'Account',
  }),
  act('listAccounts', 'GET /admin/accounts', {
    summary: 'List accounts',
    description: 'Newest first.',
    parameters: [
      {
        name: 'q',
        in: 'query',
        description: 'Looked for in name, e-mail address and account number.',
        schema: { type: 'string', maxLength: 100, pattern: optionalLinePattern },
      },
      ...pageParameters,
    ],
    answer: 'AccountPage',
    errors: readsQuery,
  }),
  act('getAccountById', 'GET /admin/accounts/{id}', {
    summary: 'One account',
    parameters: ofAccount,
    answer: 'Account',
  }),
  act('updateAccount', 'PATCH /admin/accounts/{id}', {
    summary: 'Change an account',
    description: 'The only enabled administrator stays one, and the only one with a working key.',
    parameters: ofAccount,
    body: 'AccountChanges',
    answer: 'Account',
    errors: ['conflict'],
  }),
  act('disableAccount', 'POST /admin/accounts/{id}/disable', {
    summary: 'Disable an account',
    description: 'Not that of the only enabled administrator, nor of the only one with a working key.',
    parameters: ofAccount,
    answer: 'Account',
    errors: ['conflict'],
  }),
  act('enableAccount', 'POST /admin/accounts/{id}/enable', {
    summary: 'Enable an account',
    parameters: ofAccount,
    answer: 'Account',
  }),
  act('adjustBalance', 'POST /admin/accounts/{id}/adjust', {
    summary: 'Add to a balance, or take from it',
    description: 'Never below zero.',
    parameters: ofAccount,
    body: 'Adjustment',
    answer: 'AdjustedBalance',
    errors: ['conflict'],
  }),
]

const keys = [
  act('createKey', 'POST /admin/accounts/{id}/keys', {
    summary: 'Make an API key',
    description: 'The answer is the only place where `api_key` is shown.',
    parameters: ofAccount,
    body: 'NewKey',
    answer: 'CreatedKey',
  }),
  act('listKeys', 'GET /admin/accounts/{id}/keys', {
    summary: 'List the API keys of an account',
    parameters: ofAccount,
    answer: 'KeyList',
  }),
  act('revokeKey', 'POST /admin/keys/{id}/revoke', {
    summary: 'Revoke an API key',
    description: `For ever: it answers 403 from now on. ${noLockOut}`,
    parameters: ofKey,
    answer: 'Key',
    errors: ['conflict'],
  }),
  act('updateKey', 'PATCH /admin/keys/{id}', {
    summary: 'Change an API key',
    description: `null clears a cap, a limit or an expiry. ${noLockOut}`,
    parameters: ofKey,
    body: 'KeyChanges',
    answer: 'Key',
    errors: ['conflict'],
  }),
  act('deleteKey', 'DELETE /admin/keys/{id}', {
    summary: 'Delete an API key',
    description: `As if it had never been: it answers 401 from now on. ${noLockOut}`,
    parameters: ofKey,
    answer: 'Deleted',
    errors: ['conflict'],
  }),
]

const codes = [
  act('createCodes', 'POST /admin/codes', {
    summary: 'Make activation codes',
    description: 'The answer is the only place where they are whole.',
    body: 'NewCodes',
    answer: 'CreatedCodes',
  }),
  act('listCodes', 'GET /admin/codes', {
    summary: 'List activation codes',
    description: 'Newest first.',
    parameters: pageParameters,
    answer: 'CodePage',
    errors: readsQuery,
  }),
  act('voidCode', 'POST /admin/codes/{id}/void', {
    summary: 'Make an unused code worthless',
    parameters: ofCode,
    answer: 'Code',
    errors: ['conflict'],
  }),
]

const compute = [
  act('showCompute', 'GET /admin/compute', {
    summary: 'What neural voices are computed with',
    description: 'The provider that works best, how each one did when it was tried, and the models in memory.',
    answer: 'Compute',
  }),
]

const voices = [
  act('listAllVoices', 'GET /admin/voices', {
    summary: 'List all voices',
    description: 'In catalogue order, deactivated ones too.',
    answer: 'ManagedVoiceList',
  }),
  act('updateVoice', 'PATCH /admin/voices/{id}', {
    summary: 'Change a voice',
    description: 'One that becomes featured without a position comes last among the featured ones.',
    parameters: ofVoice,
    body: 'VoiceChanges',
    answer: 'ManagedVoice',
  }),
  act('listPacks', 'GET /admin/packs', {
    summary: 'List the installed packs',
    description: 'Each is a folder with a model, whose voices join the catalogue when it is `ready`.',
    answer: 'PackList',
  }),
  act('rescanPacks', 'POST /admin/packs/rescan', {
    summary: 'Look for new and changed packs now',
    description: 'Those that were refused are tried again. What is found is tried one after the other.',
    answer: 'PackList',
  }),
  act('removePack', 'DELETE /admin/packs/{id}', {
    summary: 'Delete a pack',
    description: 'With its files. Its voices are gone at once; what is set for them stays, should they come back.',
    parameters: ofPack,
    answer: 'Deleted',
  }),
  act('createGroup', 'POST /admin/groups', {
    summary: 'Make a group',
    description: 'A group is a voice plan: its accounts have exactly its voices.',
    body: 'NewGroup',
    answer: 'Group',
    errors: ['conflict'],
  }),
  act('listGroups', 'GET /admin/groups', { summary: 'List groups', answer: 'GroupList' }),
  act('updateGroup', 'PATCH /admin/groups/{id}', {
    summary: 'Change a group',
    parameters: ofGroup,
    body: 'GroupChanges',
    answer: 'Group',
    errors: ['conflict'],
  }),
  act('deleteGroup', 'DELETE /admin/groups/{id}', {
    summary: 'Delete a group',
    description: 'Not one that accounts use.',
    parameters: ofGroup,
    answer: 'Deleted',
    errors: ['conflict'],
  }),
]

const clones = [
  act('listClones', 'GET /admin/clones', {
    summary: 'List the cloned voices of an account',
    description: 'Oldest first.',
    parameters: [{ ...idFilter('account_id', 'Id of the account; its account number does too.'), required: true }],
    answer: 'ManagedCloneList',
    errors: [...readsQuery, 'not_found'],
  }),
  act('deleteAnyClone', 'DELETE /admin/clones/{id}', {
    summary: 'Delete a cloned voice',
    description: 'With its demo, and with its recording unless others cloned from it too.',
    parameters: ofClone,
    answer: 'Deleted',
    errors: ['storage_failed'],
  }),
  act('purgeRecording', 'POST /admin/clones/{id}/purge', {
    summary: 'Delete the recording of a cloned voice',
    description: 'At once. The voices made from it stay.',
    parameters: ofClone,
    answer: 'ManagedClone',
    errors: ['storage_failed'],
  }),
  act('reEnrolClone', 'POST /admin/clones/{id}/re-enrol', {
    summary: 'Make a cloned voice anew from its recording',
    description: 'With what this version knows; its id stays.',
    parameters: ofClone,
    answer: 'ManagedClone',
    errors: ['render_failed', 'storage_failed'],
  }),
]

const history = [
  act('listAllUsage', 'GET /admin/usage', {
    summary: 'History of requests of all accounts',
    description: 'Newest first.',
    parameters: [...pageParameters, idFilter('account_id', 'Only requests of this account.'), ...usageParameters],
    answer: 'AllUsagePage',
    errors: readsQuery,
  }),
  act('listActs', 'GET /admin/audit-log', {
    summary: 'Log of acts',
    description: 'What administrators did, newest first. Nothing in it is ever changed.',
    parameters: [...pageParameters, instantParameter('from'), instantParameter('to')],
    answer: 'ActPage',
    errors: readsQuery,
  }),
]

const tag = 'Own keys'
const ownKeys = [
  act('listOwnKeys', 'GET /keys', { tag, summary: 'List own API keys', answer: 'KeyList' }),
  act('createOwnKey', 'POST /keys', {
    tag,
    summary: 'Make an own API key',
    description: 'The answer is the only place where `api_key` is shown.',
    body: 'NewKey',
    answer: 'CreatedKey',
  }),
  act('revokeOwnKey', 'POST /keys/{id}/revoke', {
    tag,
    summary: 'Revoke an own API key',
    description: `For ever: it answers 403 from now on. ${noLockOut}`,
    parameters: ofKey,
    answer: 'Key',
    errors: ['conflict'],
  }),
  act('deleteOwnKey', 'DELETE /keys/{id}', {
    tag,
    summary: 'Delete an own API key',
    description: `As if it had never been: it answers 401 from now on. ${noLockOut}`,
    parameters: ofKey,
    answer: 'Deleted',
    errors: ['conflict'],
  }),
]

export const adminOperations: readonly Operation[] = [
  ...ownKeys,
  ...accounts,
  ...keys,
  ...codes,
  ...voices,
  ...compute,
  ...clones,
  ...history,
]
