/** The caller's own account and its history: operations of customers. */
import { onlyKey, page, pathId, period } from './fields'
import type { Operation } from './operation'
import { codePattern } from './rules'
import { reference, text } from './schema'

const ofUsage = { tag: 'Usage', access: 'key', limit: 'usage' } as const

export const accountOperations = {
  getBalance: {
    route: 'GET /api/v1/balance',
    tag: 'Account',
    summary: 'Balance',
    access: 'key',
    limit: 'balance',
    answer: { description: 'Characters left.', schema: reference('Balance') },
  },
  getAccount: {
    route: 'GET /api/v1/account',
    tag: 'Account',
    summary: 'Own account and key',
    access: 'key',
    limit: 'account',
    answer: { description: 'The account, and the key that was used.', schema: reference('OwnAccount') },
  },
  redeemCode: {
    route: 'POST /api/v1/activation',
    tag: 'Account',
    summary: 'Redeem an activation code',
    description: 'A code works once. Unknown, used, void and expired codes are answered alike.',
    access: 'key',
    limit: 'activation',
    body: {
      name: 'ActivationRequest',
      fields: {
        code: {
          says: 'XXXX-XXXX-XXXX-XXXX, in any case, with or without hyphens',
          schema: { type: 'string', maxLength: 64, pattern: codePattern },
          isRequired: true,
        },
      },
    },
    answer: { description: 'The characters are credited.', schema: reference('Activation') },
  },
  listUsage: {
    ...ofUsage,
    route: 'GET /api/v1/usage',
    summary: 'History of requests',
    description: 'Newest first.',
    query: { ...page, ...onlyKey, ...period },
    answer: { description: 'One page.', schema: reference('UsagePage') },
    errors: ['invalid_params'],
  },
  sumUsageByDay: {
    ...ofUsage,
    route: 'GET /api/v1/usage/daily',
    summary: 'Sums of the last days',
    description: 'Oldest first, days without requests too.',
    query: {
      days: {
        takes: 'N',
        says: 'how many days, today included',
        schema: { type: 'integer', minimum: 1, maximum: 366, default: 30 },
      },
    },
    answer: { description: 'The sums.', schema: reference('UsageDays') },
    errors: ['invalid_params'],
  },
  exportUsage: {
    ...ofUsage,
    route: 'GET /api/v1/usage.csv',
    summary: 'History of requests as CSV',
    description: 'All of it, newest first.',
    query: { ...onlyKey, ...period },
    answersHead: true,
    answer: {
      description: 'RFC 4180, with a line of names.',
      contentType: 'text/csv',
      schema: text('The columns are the fields of a usage record.'),
    },
    errors: ['invalid_params'],
  },
  getUsageRecord: {
    ...ofUsage,
    route: 'GET /api/v1/usage/{requestId}',
    summary: 'One request',
    parameter: { ...pathId('request'), says: 'its `request_id`' },
    answer: { description: 'The request.', schema: reference('UsageRecord') },
    errors: ['not_found'],
  },
} as const satisfies Readonly<Record<string, Operation>>
