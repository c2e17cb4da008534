/** The verbs of administration besides `voices`. */
import type { Flag, Flags, Group } from './description'

const id = { takes: 'ID', isRequired: true } as const
const page = {
  limit: { takes: 'N', says: 'how many at most' },
  cursor: { takes: 'TEXT', says: 'where the page before ended' },
} as const satisfies Flags
const period = {
  from: { takes: 'TIME', says: 'the first moment, as 2026-01-31 or 2026-01-31T12:00:00Z' },
  to: { takes: 'TIME', says: 'the first moment behind it' },
} as const satisfies Flags
const limits = {
  'limit-tts': { takes: 'N|none', says: 'speech calls per minute' },
  'limit-clone': { takes: 'N|none', says: 'clone calls per minute' },
} as const satisfies Flags
const account = { takes: 'ID', says: 'its id or its account number' } as const satisfies Flag
const needed = <F extends Flag>(flag: F) => ({ ...flag, isRequired: true }) as const
const name = { takes: 'TEXT', says: 'for people' } as const satisfies Flag
const expiresAt = { takes: 'TIME|none', says: 'when it ends' } as const satisfies Flag
const planVoices = { takes: 'ID,ID,…|none', says: 'the voices of the plan' } as const satisfies Flag

export const accountVerb = {
  summary: 'accounts and their balances',
  acts: {
    create: {
      summary: 'make an account',
      flags: {
        name: needed(name),
        email: { takes: 'TEXT|none', says: 'an address' },
        role: { takes: 'user|admin', says: 'what its keys may do (default user)' },
        group: { takes: 'ID|none', says: 'its voice plan, by id or name' },
        balance: { takes: 'N', says: 'units to begin with (default 0)' },
      },
      examples: [
        "sonant account create --name 'Reading app' --balance 20000",
        'sonant account create --name Ada --email ada@example.org --role admin',
      ],
    },
    list: {
      summary: 'newest first',
      flags: { q: { takes: 'TEXT', says: 'in a name, an e-mail address or an account number' }, ...page },
      examples: ['sonant account list', 'sonant account list --q ada@example.org'],
    },
    show: {
      summary: 'one account',
      argument: id,
      flags: {},
      examples: ['sonant account show 2122197529473504', 'sonant account show 2122197529473504 --json'],
    },
    update: {
      summary: 'change what is given',
      argument: id,
      flags: {
        name,
        email: { takes: 'TEXT|none', says: 'an address' },
        role: { takes: 'user|admin', says: 'what its keys may do' },
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
      summary: 'let its keys work again',
      argument: id,
      flags: {},
      examples: ['sonant account enable 2122197529473504', 'sonant account enable 2122197529473504 --data /srv/sonant'],
    },
    adjust: {
      summary: 'add units, or take some with a negative number; never below zero',
      argument: id,
      flags: {
        units: { takes: 'N', says: 'how many', isRequired: true },
        reason: { takes: 'TEXT', says: 'for the books', isRequired: true },
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
      summary: 'make a key; it is shown this once',
      flags: {
        account: needed(account),
        name: needed(name),
        cap: { takes: 'N|none', says: 'units that it may spend in all' },
        'expires-at': expiresAt,
        ...limits,
      },
      examples: [
        'sonant key create --account 2122197529473504 --name server',
        'sonant key create --account 2122197529473504 --name trial --cap 500 --expires-at 2027-06-30',
      ],
    },
    list: {
      summary: "an account's keys, without secrets",
      flags: { account: needed(account) },
      examples: ['sonant key list --account 2122197529473504', 'sonant key list --account 2122197529473504 --json'],
    },
    update: {
      summary: 'change what is given',
      argument: id,
      flags: {
        name,
        cap: { takes: 'N|none', says: 'units that it may spend in all' },
        'expires-at': expiresAt,
        ...limits,
      },
      examples: ['sonant key update KEY_ID --cap 1000', 'sonant key update KEY_ID --limit-tts none'],
    },
    revoke: {
      summary: 'for ever; it answers 403',
      argument: id,
      flags: {},
      examples: ['sonant key revoke KEY_ID', 'sonant key revoke KEY_ID --data /srv/sonant'],
    },
    delete: {
      summary: 'as if it had never been; it answers 401',
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
      summary: 'make activation codes; they are shown whole this once',
      flags: {
        units: { takes: 'N', says: 'what each is worth', isRequired: true },
        count: { takes: 'N', says: 'how many codes (default 1)' },
        'expires-at': expiresAt,
        note: { takes: 'TEXT|none', says: 'for yourself' },
      },
      examples: [
        'sonant code create --units 10000',
        'sonant code create --units 500 --count 20 --note spring --expires-at 2027-06-30',
      ],
    },
    list: {
      summary: 'newest first, masked',
      flags: page,
      examples: ['sonant code list', 'sonant code list --limit 5'],
    },
    void: {
      summary: 'make an unused code worthless',
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
      summary: 'make a voice plan',
      flags: { name: needed(name), voices: planVoices },
      examples: [
        'sonant group create --name starter --voices en-ross,en-clara',
        'sonant group create --name empty --voices none',
      ],
    },
    list: { summary: 'every voice plan', flags: {}, examples: ['sonant group list', 'sonant group list --json'] },
    update: {
      summary: 'change what is given; --voices replaces them all',
      argument: id,
      flags: { name, voices: planVoices },
      examples: ['sonant group update GROUP_ID --name premium', 'sonant group update GROUP_ID --voices en-ross,zh-mei'],
    },
    delete: {
      summary: 'unless accounts use it',
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
      summary: "an account's cloned voices",
      flags: { account: needed(account) },
      examples: ['sonant clone list --account 2122197529473504', 'sonant clone list --account 2122197529473504 --json'],
    },
    delete: {
      summary: 'the voice, its demo, and its recording unless others cloned from it too',
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
      summary: 'make the voice anew from its recording, by the method of new ones',
      argument: id,
      flags: {},
      examples: ['sonant clone re-enrol cv-ID', 'sonant clone re-enrol cv-ID --data /srv/sonant'],
    },
  },
} as const satisfies Group

const requests = {
  account: { takes: 'ID', says: 'of one account' },
  key: { takes: 'ID', says: 'of one key' },
  ...period,
} as const satisfies Flags
const addresses = {
  'base-url': { takes: 'URL', says: 'as the server was given it' },
  'storage-url': { takes: 'URL', says: 'as the server was given it' },
} as const satisfies Flags

export const usageVerb = {
  summary: 'the history of requests; also as CSV',
  defaultAct: 'list',
  acts: {
    list: {
      summary: 'requests of all accounts, newest first; also without the word list',
      flags: { ...requests, ...page, ...addresses },
      examples: ['sonant usage --limit 20', 'sonant usage list --account 2122197529473504 --from 2026-12-01'],
    },
    export: {
      summary: 'all of them as CSV',
      flags: { ...requests, ...addresses },
      examples: ['sonant usage export > usage.csv', 'sonant usage export --from 2026-11-01 --to 2026-12-01'],
    },
  },
} as const satisfies Group

export const auditLogVerb = {
  summary: 'what administrators did',
  defaultAct: 'list',
  acts: {
    list: {
      summary: 'who did what, newest first; --json shows what was before and after',
      flags: { ...period, ...page },
      examples: ['sonant audit-log', 'sonant audit-log list --from 2026-11-01 --json'],
    },
  },
} as const satisfies Group
