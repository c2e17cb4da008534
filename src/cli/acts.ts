/** The administrative acts of the command line: each is one call of the administration, as each route under `/admin` is. */
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
import { deleteAnyClone, listAccountClones, purgeRecording, reEnrol, type Stores } from '../admin/clones'
import { operationTimeoutsMs, type RawSettings } from '../config'
import { listPacks, removePack, type Packs } from '../admin/packs'
import { createCodes, listCodes, voidCode } from '../admin/codes'
import { createKey, deleteKey, listKeys, revokeKey, updateKey } from '../admin/keys'
import { listLog } from '../admin/log'
import { createGroup, deleteGroup, listGroups, updateGroup, updateVoice } from '../admin/voices'
import type { FindConverter } from '../cloned-speaker'
import { startDeadline } from '../deadline'
import type { Fields } from '../fields'
import { listAllRecords, readFilter, streamCsv } from '../history'
import { createCliPool } from './pool'
import { rescanPacksHere } from './shelf'

export type Call = {
  readonly admin: Administration
  /** What is acted on, for acts that take an ID. */
  readonly id: string
  readonly fields: Fields
  readonly storageUrl: string
  /** Of the data directory. */
  readonly stores: Stores
  readonly packs: Packs
  /** As given. */
  readonly flags: RawSettings
  readonly converter: FindConverter
}

/** What a flag takes, as the help shows it; with `|none` the word `none` clears what was there. */
export type Kind =
  | 'ID'
  | 'ID|none'
  | 'TEXT'
  | 'TEXT|none'
  | 'N'
  | 'N|none'
  | 'TIME'
  | 'TIME|none'
  | 'user|admin'
  | 'true|false'
  | 'auto|cpu|webgpu|cuda|coreml|dml|none'
  | 'ID,ID,…|none'

export type Flags = Readonly<Record<string, Kind>>

export type Act = {
  readonly summary: string
  readonly takesId?: true
  readonly required?: Flags
  readonly optional?: Flags
  /** Of a list, for people; JSON has them all. */
  readonly columns?: readonly string[]
  /** What must be kept because it is not shown again. */
  readonly secret?: string
  /** Pieces of text are printed as they are; a promise is waited for. */
  run(call: Call): unknown
}

const page = { limit: 'N', cursor: 'TEXT' } as const
const limits = { 'limit-tts': 'N|none', 'limit-clone': 'N|none' } as const
const period = { from: 'TIME', to: 'TIME' } as const

export const acts: Readonly<Record<string, Readonly<Record<string, Act>>>> = {
  account: {
    create: {
      summary: 'make an account',
      required: { name: 'TEXT' },
      optional: { email: 'TEXT|none', role: 'user|admin', group: 'ID|none', balance: 'N' },
      run: ({ admin, fields }) => createAccount(admin, fields),
    },
    list: {
      summary: 'newest first; --q looks for a name, an e-mail address, an account number',
      optional: { q: 'TEXT', ...page },
      columns: ['id', 'name', 'role', 'status', 'balance', 'group', 'account_number', 'created_at'],
      run: ({ admin, fields }) => listAccounts(admin, fields),
    },
    show: { summary: 'one account', takesId: true, run: ({ admin, id }) => showAccount(admin, id) },
    update: {
      summary: 'change what is given',
      takesId: true,
      optional: { name: 'TEXT', email: 'TEXT|none', role: 'user|admin', group: 'ID|none' },
      run: ({ admin, id, fields }) => updateAccount(admin, id, fields),
    },
    disable: {
      summary: 'refuse all its keys with 403',
      takesId: true,
      run: ({ admin, id }) => disableAccount(admin, id),
    },
    enable: { summary: 'let its keys work again', takesId: true, run: ({ admin, id }) => enableAccount(admin, id) },
    adjust: {
      summary: 'add units, or take some with a negative number; never below zero',
      takesId: true,
      required: { units: 'N', reason: 'TEXT' },
      run: ({ admin, id, fields }) => adjustBalance(admin, id, fields),
    },
  },
  key: {
    create: {
      summary: 'make a key; it is shown this once',
      required: { account: 'ID', name: 'TEXT' },
      optional: { cap: 'N|none', 'expires-at': 'TIME|none', ...limits },
      secret: 'api_key',
      run: ({ admin, fields }) => createKey(admin, accountOf(fields), fields),
    },
    list: {
      summary: "an account's keys, without secrets",
      required: { account: 'ID' },
      columns: ['id', 'name', 'prefix', 'status', 'cap', 'spent', 'limits', 'expires_at', 'last_used_at'],
      run: ({ admin, fields }) => listKeys(admin, accountOf(fields)),
    },
    update: {
      summary: 'change what is given',
      takesId: true,
      optional: { name: 'TEXT', cap: 'N|none', 'expires-at': 'TIME|none', ...limits },
      run: ({ admin, id, fields }) => updateKey(admin, id, fields),
    },
    revoke: { summary: 'for ever; it answers 403', takesId: true, run: ({ admin, id }) => revokeKey(admin, id) },
    delete: {
      summary: 'as if it had never been; it answers 401',
      takesId: true,
      run: ({ admin, id }) => deleteKey(admin, id),
    },
  },
  code: {
    create: {
      summary: 'make activation codes; they are shown whole this once',
      required: { units: 'N' },
      optional: { count: 'N', 'expires-at': 'TIME|none', note: 'TEXT|none' },
      columns: ['id', 'code', 'units', 'expires_at', 'note'],
      secret: 'code',
      run: ({ admin, fields }) => createCodes(admin, fields),
    },
    list: {
      summary: 'newest first, masked',
      optional: page,
      columns: ['id', 'code', 'units', 'status', 'expires_at', 'used_at', 'used_by', 'note'],
      run: ({ admin, fields }) => listCodes(admin, fields),
    },
    void: { summary: 'make an unused code worthless', takesId: true, run: ({ admin, id }) => voidCode(admin, id) },
  },
  voices: {
    update: {
      summary: 'change what is given',
      takesId: true,
      optional: {
        active: 'true|false',
        public: 'true|false',
        featured: 'true|false',
        position: 'N',
        'display-name': 'TEXT|none',
        provider: 'auto|cpu|webgpu|cuda|coreml|dml|none',
      },
      run: ({ admin, id, fields }) => updateVoice(admin, id, fields),
    },
    activate: {
      summary: 'let it be used again',
      takesId: true,
      run: ({ admin, id }) => updateVoice(admin, id, { active: true }),
    },
    deactivate: {
      summary: 'nobody can use it, nobody sees it',
      takesId: true,
      run: ({ admin, id }) => updateVoice(admin, id, { active: false }),
    },
    packs: {
      summary: 'the installed packs: how each one does, or why it cannot be used',
      columns: ['name', 'state', 'family', 'size_bytes', 'expected_memory_bytes', 'license', 'reason'],
      run: ({ packs }) => listPacks(packs),
    },
    rescan: {
      summary: 'look for changes in the packs now, and try those again that were refused',
      columns: ['name', 'state', 'reason'],
      run: ({ flags }) => rescanPacksHere(flags),
    },
    remove: {
      summary: 'delete the pack of that name with its files',
      takesId: true,
      run: ({ admin, packs, id }) => removePack(admin, packs, id),
    },
  },
  clone: {
    list: {
      summary: "an account's cloned voices",
      required: { account: 'ID' },
      columns: [
        'id',
        'display_name',
        'language',
        'method',
        'base_voice_id',
        'duration_sec',
        'has_recording',
        'created_at',
      ],
      run: ({ admin, fields }) => listAccountClones(admin, fields),
    },
    delete: {
      summary: 'the voice, its demo, and its recording unless others cloned from it too',
      takesId: true,
      run: ({ admin, stores, id }) => deleteAnyClone(admin, stores, id),
    },
    purge: {
      summary: 'delete the recording at once; the voices made from it stay',
      takesId: true,
      run: ({ admin, stores, id }) => purgeRecording(admin, stores, id),
    },
    're-enrol': {
      summary: 'make the voice anew from its recording, by the method of new ones',
      takesId: true,
      async run({ admin, stores, converter, id, flags }) {
        const pool = await createCliPool(flags)
        const deadline = startDeadline(operationTimeoutsMs.reEnrol)
        try {
          return await reEnrol(admin, stores, { pool, converter, mp3SampleRate: undefined }, id, deadline)
        } finally {
          pool.close()
        }
      },
    },
  },
  group: {
    create: {
      summary: 'make a voice plan',
      required: { name: 'TEXT' },
      optional: { voices: 'ID,ID,…|none' },
      run: ({ admin, fields }) => createGroup(admin, fields),
    },
    list: {
      summary: 'every voice plan',
      columns: ['id', 'name', 'voices'],
      run: ({ admin }) => listGroups(admin),
    },
    update: {
      summary: 'change what is given; --voices replaces them all',
      takesId: true,
      optional: { name: 'TEXT', voices: 'ID,ID,…|none' },
      run: ({ admin, id, fields }) => updateGroup(admin, id, fields),
    },
    delete: { summary: 'unless accounts use it', takesId: true, run: ({ admin, id }) => deleteGroup(admin, id) },
  },
  usage: {
    list: {
      summary: 'requests of all accounts, newest first; also without the word list',
      optional: { account: 'ID', key: 'ID', ...period, ...page },
      columns: ['created_at', 'request_id', 'account_id', 'voice_id', 'characters', 'units', 'status', 'error_code'],
      run: ({ admin, fields, storageUrl }) => listAllRecords(admin.db, fields, storageUrl),
    },
    export: {
      summary: 'all of them as CSV',
      optional: { account: 'ID', key: 'ID', ...period },
      run: ({ admin, fields, storageUrl }) =>
        streamCsv(admin.db, readFilter(fields, undefined), storageUrl, { withAccounts: true }),
    },
  },
  'audit-log': {
    list: {
      summary: 'who did what, newest first; --json shows what was before and after',
      optional: { ...period, ...page },
      columns: ['created_at', 'actor', 'act', 'subject'],
      run: ({ admin, fields }) => listLog(admin, fields),
    },
  },
}

function accountOf({ account_id: id }: Fields): string {
  return id as string
}
