/** The caller's own account and its history: operations of customers. */
import { limits } from '../config'
import { page, pathId, usageFilter } from './fields'
import { operation } from './entry'
import type { Fields } from './operation'
import { codePattern } from './rules'
import { reference, text, whole, type Schema } from './schema'

const ofAccount = { tag: 'Account', access: 'key' } as const
const ofUsage = { tag: 'Usage', access: 'key', limit: 'usage' } as const

export const shortPages =
  'Newest first. With `voice_id` or `status` a page may have fewer records than `limit`, even none, although `next_cursor` is not null: where few of very many requests match.'
export const lastDays: Fields = {
  days: {
    takes: 'N',
    says: 'how many days, today included',
    schema: whole(1, limits.usageDaysMax, { default: 30 }),
  },
}
export const usageCsv = {
  description: 'RFC 4180, with a line of names.',
  contentType: 'text/csv',
  schema: text('The columns are the fields of a usage record.'),
}

export const activation = {
  code: {
    says: 'XXXX-XXXX-XXXX-XXXX, in any case, with or without hyphens',
    schema: { type: 'string', maxLength: 64, pattern: codePattern } as Schema<string>,
    isRequired: true,
  },
} as const

export const accountOperations = {
  getBalance: operation('GET /api/v1/balance', 'Balance', {
    ...ofAccount,
    limit: 'balance',
    answer: { description: 'Characters left.', schema: reference('Balance') },
  }),
  getAccount: operation('GET /api/v1/account', 'Own account and key', {
    ...ofAccount,
    limit: 'account',
    answer: { description: 'The account, and the key of the request.', schema: reference('OwnAccount') },
  }),
  getStatus: operation('GET /api/v1/status', 'How busy the service is', {
    ...ofAccount,
    tag: 'Service',
    description: 'For people. `GET /readyz` is for programs that watch the service, and needs no key.',
    limit: 'balance',
    answer: { description: 'The present state.', schema: reference('Status') },
  }),
  redeemCode: operation('POST /api/v1/activation', 'Redeem an activation code', {
    ...ofAccount,
    description: 'A code works once. Unknown, used, void and expired codes get the same answer.',
    limit: 'activation',
    body: { name: 'ActivationRequest', fields: activation },
    answer: { description: 'The characters are credited.', schema: reference('Activation') },
  }),
  listMovements: operation('GET /api/v1/ledger', 'Every movement of the balance', {
    ...ofUsage,
    description:
      'Newest first. The sum of `units` is the balance: characters held for running requests are no movement.',
    query: page,
    answer: { description: 'One page.', schema: reference('MovementPage') },
    errors: ['invalid_params'],
  }),
  listUsage: operation('GET /api/v1/usage', 'History of requests', {
    ...ofUsage,
    description: shortPages,
    query: { ...page, ...usageFilter },
    answer: { description: 'One page.', schema: reference('UsagePage') },
    errors: ['invalid_params'],
  }),
  sumUsageByDay: operation('GET /api/v1/usage/daily', 'Sums of the last days', {
    ...ofUsage,
    description: 'Oldest first, including days without requests.',
    query: lastDays,
    answer: { description: 'The sums.', schema: reference('UsageDays') },
    errors: ['invalid_params'],
  }),
  sumUsage: operation('GET /api/v1/usage/totals', 'Sums of the requests that match a filter', {
    ...ofUsage,
    description: 'Of all of them, whatever their number.',
    query: usageFilter,
    answer: { description: 'The sums.', schema: reference('UsageTotals') },
    errors: ['invalid_params'],
  }),
  exportUsage: operation('GET /api/v1/usage.csv', 'History of requests as CSV', {
    ...ofUsage,
    description: 'All of it, newest first.',
    query: usageFilter,
    answersHead: true,
    answer: usageCsv,
    errors: ['invalid_params'],
  }),
  getUsageRecord: operation('GET /api/v1/usage/{requestId}', 'One request', {
    ...ofUsage,
    parameter: { ...pathId('request'), says: 'its `request_id`' },
    answer: { description: 'The request.', schema: reference('UsageRecord') },
    errors: ['not_found'],
  }),
  eraseAudio: operation('DELETE /api/v1/usage/{requestId}/audio', 'Erase the audio of a request', {
    ...ofUsage,
    description:
      'The request stays in the history. The address of the audio, and a repeat of the request with its `Idempotency-Key`, get 410 from then on. Copies in caches stay.',
    parameter: { ...pathId('request'), says: 'its `request_id`' },
    answer: { description: 'The file is deleted.', schema: reference('Deleted') },
    errors: ['not_found', 'gone', 'storage_failed'],
  }),
}
