/** Administration of accounts, keys, codes and the history, each with its command. */
import {
  accountChanges,
  accountId,
  accountSearch,
  adjustment,
  codeId,
  keyChanges,
  keyId,
  logFilter,
  newAccount,
  newCodes,
  newKey,
  ofAccount,
  onlyAccount,
  page,
  period,
  rotation,
  usageFilter,
} from './fields'
import { lastDays, shortPages, usageCsv } from './account'
import { administrative } from './entry'

export const noLockOut =
  'The last working key of an administrator stays one while no person of an administrator can sign in.'
export const ofRotation =
  'The old key is revoked after the grace time. The answer is the only place where `api_key` of the new one is shown.'
/** `fields`: those that no index serves. */
const shortWith = (fields: string) =>
  `With ${fields} a page may have fewer items than \`limit\`, even none, although \`next_cursor\` is not null: where few of very many match.`
const accountFlag = { idFlag: { account: ofAccount } } as const

const accounts = {
  createAccount: administrative('POST /admin/accounts', 'Create an account', {
    body: { name: 'NewAccount', fields: newAccount },
    answer: 'Account',
    command: {
      words: 'account create',
      examples: [
        "sonant account create --name 'Reading app' --balance 20000",
        'sonant account create --name Ada --email ada@example.org --role admin',
      ],
    },
  }),
  listAccounts: administrative('GET /admin/accounts', 'List accounts, newest first', {
    description: shortWith('`q`'),
    query: { q: accountSearch, ...page },
    answer: 'AccountPage',
    errors: ['invalid_params'],
    command: {
      words: 'account list',
      columns: ['id', 'name', 'role', 'status', 'balance', 'group', 'account_number', 'created_at'],
      examples: ['sonant account list', 'sonant account list --q ada@example.org'],
    },
  }),
  getAccountById: administrative('GET /admin/accounts/{id}', 'Show one account', {
    parameter: accountId,
    answer: 'Account',
    command: { words: 'account show' },
  }),
  updateAccount: administrative('PATCH /admin/accounts/{id}', 'Change an account', {
    description: 'The only enabled administrator stays one, and so does the only one with a working key or a person.',
    parameter: accountId,
    body: { name: 'AccountChanges', fields: accountChanges },
    answer: 'Account',
    errors: ['conflict'],
    command: {
      words: 'account update',
      summary: 'change the given fields',
      examples: [
        'sonant account update 2122197529473504 --role user',
        'sonant account update 2122197529473504 --group none',
      ],
    },
  }),
  disableAccount: administrative('POST /admin/accounts/{id}/disable', 'Disable an account', {
    description:
      'Not that of the only enabled administrator, nor of the only one with a working key or a person. Ends the sessions of its people.',
    parameter: accountId,
    answer: 'Account',
    errors: ['conflict'],
    command: { words: 'account disable', summary: 'refuse all its keys with 403' },
  }),
  enableAccount: administrative('POST /admin/accounts/{id}/enable', 'Enable an account', {
    parameter: accountId,
    answer: 'Account',
    errors: ['conflict'],
    command: { words: 'account enable', summary: 'accept its keys again' },
  }),
  eraseAccount: administrative('POST /admin/accounts/{id}/erase', 'Erase an account', {
    description:
      'Names, e-mail addresses, persons, keys, clones and audio are deleted for ever; history and ledger stay, under the id. Not the only enabled administrator, and not while requests of the account run. A repetition finishes an interrupted erasure.',
    parameter: accountId,
    answer: 'Account',
    errors: ['conflict', 'storage_failed'],
    command: {
      words: 'account erase',
      summary: 'delete names, people, keys, clones and audio for ever',
      isFinal: true,
      examples: [
        'sonant account erase 2122197529473504 --yes',
        'sonant account erase 2122197529473504 --yes --data /srv/sonant',
      ],
    },
  }),
  adjustBalance: administrative(
    'POST /admin/accounts/{id}/adjust',
    'Add units, or subtract with a negative number; never below zero',
    {
      parameter: accountId,
      body: { name: 'Adjustment', fields: adjustment },
      answer: 'AdjustedBalance',
      errors: ['conflict'],
      command: {
        words: 'account adjust',
        examples: [
          "sonant account adjust 2122197529473504 --units 5000 --reason 'invoice 2026-114'",
          'sonant account adjust 2122197529473504 --units -200 --reason correction',
        ],
      },
    },
  ),
}

const keys = {
  createKey: administrative('POST /admin/accounts/{id}/keys', 'Create a key; it is shown only once', {
    description: 'The answer is the only place where `api_key` is shown.',
    parameter: accountId,
    body: { name: 'NewKey', fields: newKey },
    answer: 'CreatedKey',
    errors: ['conflict'],
    command: {
      words: 'key create',
      ...accountFlag,
      secret: 'api_key',
      examples: [
        'sonant key create --account 2122197529473504 --name server',
        'sonant key create --account 2122197529473504 --name trial --cap 500 --expires-at 2027-06-30',
      ],
    },
  }),
  listKeys: administrative('GET /admin/accounts/{id}/keys', "List an account's keys, without secrets", {
    parameter: accountId,
    answer: 'KeyList',
    command: {
      words: 'key list',
      ...accountFlag,
      columns: ['id', 'name', 'prefix', 'status', 'cap', 'spent', 'limits', 'expires_at', 'last_used_at'],
    },
  }),
  updateKey: administrative('PATCH /admin/keys/{id}', 'Change an API key', {
    description: `null clears a cap, a limit or an expiry. ${noLockOut}`,
    parameter: keyId,
    body: { name: 'KeyChanges', fields: keyChanges },
    answer: 'Key',
    errors: ['conflict'],
    command: {
      words: 'key update',
      summary: 'change the given fields',
      examples: ['sonant key update KEY_ID --cap 1000', 'sonant key update KEY_ID --limit-tts none'],
    },
  }),
  rotateKey: administrative('POST /admin/keys/{id}/rotate', 'Replace a key by a new one with the same settings', {
    description: ofRotation,
    parameter: keyId,
    body: { name: 'KeyRotation', fields: rotation },
    answer: 'CreatedKey',
    errors: ['conflict'],
    command: {
      words: 'key rotate',
      secret: 'api_key',
      examples: ['sonant key rotate KEY_ID', 'sonant key rotate KEY_ID --grace-seconds 86400'],
    },
  }),
  revokeKey: administrative('POST /admin/keys/{id}/revoke', 'Revoke a key permanently; it answers 403', {
    description: noLockOut,
    parameter: keyId,
    answer: 'Key',
    errors: ['conflict'],
    command: { words: 'key revoke' },
  }),
  deleteKey: administrative('DELETE /admin/keys/{id}', 'Delete a key; it answers 401', {
    description: noLockOut,
    parameter: keyId,
    answer: 'Deleted',
    errors: ['conflict'],
    command: { words: 'key delete' },
  }),
}

const codes = {
  createCodes: administrative('POST /admin/codes', 'Create activation codes; they are shown in full only once', {
    body: { name: 'NewCodes', fields: newCodes },
    answer: 'CreatedCodes',
    command: {
      words: 'code create',
      columns: ['id', 'code', 'units', 'expires_at', 'note'],
      secret: 'code',
      examples: [
        'sonant code create --units 10000',
        'sonant code create --units 500 --count 20 --note spring --expires-at 2027-06-30',
      ],
    },
  }),
  listCodes: administrative('GET /admin/codes', 'List codes, newest first, masked', {
    query: page,
    answer: 'CodePage',
    errors: ['invalid_params'],
    command: {
      words: 'code list',
      columns: ['id', 'code', 'units', 'status', 'expires_at', 'used_at', 'used_by', 'note'],
      examples: ['sonant code list', 'sonant code list --limit 5'],
    },
  }),
  voidCode: administrative('POST /admin/codes/{id}/void', 'Void an unused code', {
    parameter: codeId,
    answer: 'Code',
    errors: ['conflict'],
    command: { words: 'code void' },
  }),
}

const history = {
  listAllUsage: administrative('GET /admin/usage', 'List requests of all accounts, newest first', {
    description: shortPages,
    query: { ...onlyAccount, ...usageFilter, ...page },
    answer: 'AllUsagePage',
    errors: ['invalid_params'],
    command: {
      words: 'usage list',
      summary: 'list requests of all accounts, newest first (default)',
      showsAddresses: true,
      columns: ['created_at', 'request_id', 'account_id', 'voice_id', 'characters', 'units', 'status', 'error_code'],
      examples: ['sonant usage --limit 20', 'sonant usage list --account 2122197529473504 --from 2026-12-01'],
    },
  }),
  sumAllUsage: administrative('GET /admin/usage/totals', 'Sums of the requests of all accounts', {
    description: 'Of all that match, whatever their number.',
    query: { ...onlyAccount, ...usageFilter },
    answer: 'UsageTotals',
    errors: ['invalid_params'],
    command: {
      words: 'usage totals',
      summary: 'sum up the requests of all accounts',
      examples: ['sonant usage totals --from 2026-11-01', 'sonant usage totals --status failed --json'],
    },
  }),
  sumAllUsageByDay: administrative('GET /admin/usage/daily', 'Sums of the last days, of all accounts', {
    description: 'Oldest first, including days without requests.',
    query: { ...onlyAccount, ...lastDays },
    answer: 'UsageDays',
    errors: ['invalid_params'],
    command: {
      words: 'usage daily',
      summary: 'sum up the last days',
      columns: ['date', 'requests', 'units', 'audio_ms'],
      examples: ['sonant usage daily', 'sonant usage daily --days 7 --account 2122197529473504'],
    },
  }),
  exportAllUsage: administrative('GET /admin/usage.csv', 'Requests of all accounts as CSV', {
    description: 'All that match, newest first. The last column is `account_id`.',
    query: { ...onlyAccount, ...usageFilter },
    answersHead: true,
    answer: usageCsv,
    errors: ['invalid_params'],
    command: {
      words: 'usage export',
      summary: 'export all requests as CSV',
      showsAddresses: true,
      examples: ['sonant usage export --from 2026-11-01 --to 2026-12-01', 'sonant usage export > usage.csv'],
    },
  }),
  listActs: administrative('GET /admin/audit-log', 'List the operations of administrators, newest first', {
    description: `Entries are never deleted, and changed only when an account is erased: its names and addresses go. ${shortWith('`act` or `actor`')}`,
    query: { ...logFilter, ...period, ...page },
    answer: 'ActPage',
    errors: ['invalid_params'],
    command: {
      words: 'audit-log list',
      summary: 'list the operations, newest first; --json shows the state before and after',
      columns: ['created_at', 'actor', 'act', 'subject'],
      examples: ['sonant audit-log', 'sonant audit-log list --from 2026-11-01 --json'],
    },
  }),
}

export const administrativeOperations = { ...accounts, ...keys, ...codes, ...history } as const
