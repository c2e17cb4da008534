/** The verbs of administration besides `voices`. */
import type { Flag, Flags, Group } from './description'

const id = { takes: 'ID', isRequired: true } as const
const page = {
  limit: { takes: 'N', says: 'maximum number of rows' },
  cursor: { takes: 'TEXT', says: 'the cursor of the previous page' },
} as const satisfies Flags
const period = {
  from: { takes: 'TIME', says: 'start, inclusive: 2026-01-31 or 2026-01-31T12:00:00Z' },
  to: { takes: 'TIME', says: 'end, exclusive' },
} as const satisfies Flags
const limits = {
  'limit-tts': { takes: 'N|none', says: 'speech calls per minute' },
  'limit-clone': { takes: 'N|none', says: 'clone calls per minute' },
} as const satisfies Flags
const account = { takes: 'ID', says: 'id or account number' } as const satisfies Flag
const needed = <F extends Flag>(flag: F) => ({ ...flag, isRequired: true }) as const
const name = { takes: 'TEXT', says: 'a display name' } as const satisfies Flag
const expiresAt = { takes: 'TIME|none', says: 'expiry time' } as const satisfies Flag
const planVoices = { takes: 'ID,ID,…|none', says: 'the voices of the plan' } as const satisfies Flag

export const accountVerb = {
  summary: 'accounts and their balances',
  acts: {
    create: {
      summary: 'create an account',
      flags: {
        name: needed(name),
        email: { takes: 'TEXT|none', says: 'an address' },
        role: { takes: 'user|admin', says: 'the permissions of its keys (default user)' },
        group: { takes: 'ID|none', says: 'its voice plan, by id or name' },
        balance: { takes: 'N', says: 'initial units (default 0)' },
      },
      examples: [
        "sonant account create --name 'Reading app' --balance 20000",
        'sonant account create --name Ada --email ada@example.org --role admin',
      ],
    },
    list: {
      summary: 'list accounts, newest first',
      flags: { q: { takes: 'TEXT', says: 'part of a name, e-mail address or account number' }, ...page },
      examples: ['sonant account list', 'sonant account list --q ada@example.org'],
    },
    show: {
      summary: 'show one account',
      argument: id,
      flags: {},
      examples: ['sonant account show 2122197529473504', 'sonant account show 2122197529473504 --json'],
    },
    update: {
      summary: 'change the given fields',
      argument: id,
      flags: {
        name,
        email: { takes: 'TEXT|none', says: 'an address' },
        role: { takes: 'user|admin', says: 'the permissions of its keys' },
        group: { takes: 'ID|none', says: 'its voice plan, by id or name' },
      },
      examples: [
        'sonant account update 2122197529473504 --role user',
        'sonant account update 2122197529473504 --group none',
      ],
    },
    disable: {
      summary: 'refuse all its keys with 403',
      argument: id,
      flags: {},
      examples: [
        'sonant account disable 2122197529473504',
        'sonant account disable 2122197529473504 --data /srv/sonant',
      ],
    },
    enable: {
      summary: 'accept its keys again',
      argument: id,
      flags: {},
      examples: ['sonant account enable 2122197529473504', 'sonant account enable 2122197529473504 --data /srv/sonant'],
    },
    adjust: {
      summary: 'add units, or subtract with a negative number; never below zero',
      argument: id,
      flags: {
        units: { takes: 'N', says: 'the amount', isRequired: true },
        reason: { takes: 'TEXT', says: 'recorded in the ledger', isRequired: true },
      },
      examples: [
        "sonant account adjust 2122197529473504 --units 5000 --reason 'invoice 2026-114'",
        'sonant account adjust 2122197529473504 --units -200 --reason correction',
      ],
    },
  },
} as const satisfies Group

export const keyVerb = {
  summary: 'API keys',
  acts: {
    create: {
      summary: 'create a key; it is shown only once',
      flags: {
        account: needed(account),
        name: needed(name),
        cap: { takes: 'N|none', says: 'units that the key may spend in total' },
        'expires-at': expiresAt,
        ...limits,
      },
      examples: [
        'sonant key create --account 2122197529473504 --name server',
        'sonant key create --account 2122197529473504 --name trial --cap 500 --expires-at 2027-06-30',
      ],
    },
    list: {
      summary: "list an account's keys, without secrets",
      flags: { account: needed(account) },
      examples: ['sonant key list --account 2122197529473504', 'sonant key list --account 2122197529473504 --json'],
    },
    update: {
      summary: 'change the given fields',
      argument: id,
      flags: {
        name,
        cap: { takes: 'N|none', says: 'units that the key may spend in total' },
        'expires-at': expiresAt,
        ...limits,
      },
      examples: ['sonant key update KEY_ID --cap 1000', 'sonant key update KEY_ID --limit-tts none'],
    },
    revoke: {
      summary: 'revoke a key permanently; it answers 403',
      argument: id,
      flags: {},
      examples: ['sonant key revoke KEY_ID', 'sonant key revoke KEY_ID --data /srv/sonant'],
    },
    delete: {
      summary: 'delete a key; it answers 401',
      argument: id,
      flags: {},
      examples: ['sonant key delete KEY_ID', 'sonant key delete KEY_ID --data /srv/sonant'],
    },
  },
} as const satisfies Group

export const codeVerb = {
  summary: 'activation codes',
  acts: {
    create: {
      summary: 'create activation codes; they are shown in full only once',
      flags: {
        units: { takes: 'N', says: 'units per code', isRequired: true },
        count: { takes: 'N', says: 'number of codes (default 1)' },
        'expires-at': expiresAt,
        note: { takes: 'TEXT|none', says: 'a note for administrators' },
      },
      examples: [
        'sonant code create --units 10000',
        'sonant code create --units 500 --count 20 --note spring --expires-at 2027-06-30',
      ],
    },
    list: {
      summary: 'list codes, newest first, masked',
      flags: page,
      examples: ['sonant code list', 'sonant code list --limit 5'],
    },
    void: {
      summary: 'void an unused code',
      argument: id,
      flags: {},
      examples: ['sonant code void CODE_ID', 'sonant code void CODE_ID --data /srv/sonant'],
    },
  },
} as const satisfies Group

export const groupVerb = {
  summary: 'voice plans',
  acts: {
    create: {
      summary: 'create a voice plan',
      flags: { name: needed(name), voices: planVoices },
      examples: [
        'sonant group create --name starter --voices en-ross,en-clara',
        'sonant group create --name empty --voices none',
      ],
    },
    list: { summary: 'list the voice plans', flags: {}, examples: ['sonant group list', 'sonant group list --json'] },
    update: {
      summary: 'change the given fields; --voices replaces all voices',
      argument: id,
      flags: { name, voices: planVoices },
      examples: ['sonant group update GROUP_ID --name premium', 'sonant group update GROUP_ID --voices en-ross,zh-mei'],
    },
    delete: {
      summary: 'delete a voice plan that no account uses',
      argument: id,
      flags: {},
      examples: ['sonant group delete GROUP_ID', 'sonant group delete GROUP_ID --data /srv/sonant'],
    },
  },
} as const satisfies Group

export const cloneVerb = {
  summary: 'cloned voices and their recordings',
  acts: {
    list: {
      summary: "list an account's cloned voices",
      flags: { account: needed(account) },
      examples: ['sonant clone list --account 2122197529473504', 'sonant clone list --account 2122197529473504 --json'],
    },
    delete: {
      summary: 'delete the voice, its demo, and its recording unless another clone uses it',
      argument: id,
      flags: {},
      examples: ['sonant clone delete cv-ID', 'sonant clone delete cv-ID --data /srv/sonant'],
    },
    purge: {
      summary: 'delete the recording at once; the voices made from it stay',
      argument: id,
      flags: {},
      examples: ['sonant clone purge cv-ID', 'sonant clone purge cv-ID --data /srv/sonant'],
    },
    're-enrol': {
      summary: 'rebuild the voice from its recording with the current method',
      argument: id,
      flags: {},
      examples: ['sonant clone re-enrol cv-ID', 'sonant clone re-enrol cv-ID --data /srv/sonant'],
    },
  },
} as const satisfies Group

const requests = {
  account: { takes: 'ID', says: 'only this account' },
  key: { takes: 'ID', says: 'only this key' },
  ...period,
} as const satisfies Flags
const addresses = {
  'base-url': { takes: 'URL', says: "the server's setting" },
  'storage-url': { takes: 'URL', says: "the server's setting" },
} as const satisfies Flags

export const usageVerb = {
  summary: 'the history of requests; also as CSV',
  defaultAct: 'list',
  acts: {
    list: {
      summary: 'list requests of all accounts, newest first (default act)',
      flags: { ...requests, ...page, ...addresses },
      examples: ['sonant usage --limit 20', 'sonant usage list --account 2122197529473504 --from 2026-12-01'],
    },
    export: {
      summary: 'export all requests as CSV',
      flags: { ...requests, ...addresses },
      examples: ['sonant usage export > usage.csv', 'sonant usage export --from 2026-11-01 --to 2026-12-01'],
    },
  },
} as const satisfies Group

export const auditLogVerb = {
  summary: 'the log of administrative acts',
  defaultAct: 'list',
  acts: {
    list: {
      summary: 'list the acts, newest first; --json shows the state before and after',
      flags: { ...period, ...page },
      examples: ['sonant audit-log', 'sonant audit-log list --from 2026-11-01 --json'],
    },
  },
} as const satisfies Group
