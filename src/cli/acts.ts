/**
 * The administrative acts of the command line. Each is one call of the administration, as is each route under `/admin`.
 */
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
import type { FindConverter } from '../speak/speaking-voice'
import { startDeadline } from '../deadline'
import type { Fields } from '../fields'
import { listAllRecords, readFilter, streamCsv } from '../billing/history'
import type { GroupName, table } from './commands/table'
import { createCliScheduler } from './scheduler'
import { rescanPacksHere } from './pack-registry'

export type Call = {
  readonly admin: Administration
  /** The id, for acts that take one. */
  readonly id: string
  readonly fields: Fields
  readonly storageUrl: string
  /** The stores of the data directory. */
  readonly stores: Stores
  readonly packs: Packs
  /** The flags as given. */
  readonly flags: RawSettings
  readonly converter: FindConverter
}

/** Acts without the administration have files of their own. */
type ActName<Verb extends GroupName> = Exclude<
  keyof (typeof table)[Verb]['acts'],
  Verb extends 'voices' ? 'list' | 'search' | 'pull' : never
>

export type Act = {
  /** Columns of a table; JSON has all fields. */
  readonly columns?: readonly string[]
  /** The name of a secret that is shown only once. */
  readonly secret?: string
  /** Returns the answer or its promise; an iterable of text is printed as it is. */
  run(call: Call): unknown
}

/** The implementations of the acts; their descriptions are in `commands/`. */
export const acts: { readonly [Verb in GroupName]: { readonly [Name in ActName<Verb>]: Act } } = {
  account: {
    create: {
      run: ({ admin, fields }) => createAccount(admin, fields),
    },
    list: {
      columns: ['id', 'name', 'role', 'status', 'balance', 'group', 'account_number', 'created_at'],
      run: ({ admin, fields }) => listAccounts(admin, fields),
    },
    show: { run: ({ admin, id }) => showAccount(admin, id) },
    update: {
      run: ({ admin, id, fields }) => updateAccount(admin, id, fields),
    },
    disable: {
      run: ({ admin, id }) => disableAccount(admin, id),
    },
    enable: { run: ({ admin, id }) => enableAccount(admin, id) },
    adjust: {
      run: ({ admin, id, fields }) => adjustBalance(admin, id, fields),
    },
  },
  key: {
    create: {
      secret: 'api_key',
      run: ({ admin, fields }) => createKey(admin, accountOf(fields), fields),
    },
    list: {
      columns: ['id', 'name', 'prefix', 'status', 'cap', 'spent', 'limits', 'expires_at', 'last_used_at'],
      run: ({ admin, fields }) => listKeys(admin, accountOf(fields)),
    },
    update: {
      run: ({ admin, id, fields }) => updateKey(admin, id, fields),
    },
    revoke: { run: ({ admin, id }) => revokeKey(admin, id) },
    delete: {
      run: ({ admin, id }) => deleteKey(admin, id),
    },
  },
  code: {
    create: {
      columns: ['id', 'code', 'units', 'expires_at', 'note'],
      secret: 'code',
      run: ({ admin, fields }) => createCodes(admin, fields),
    },
    list: {
      columns: ['id', 'code', 'units', 'status', 'expires_at', 'used_at', 'used_by', 'note'],
      run: ({ admin, fields }) => listCodes(admin, fields),
    },
    void: { run: ({ admin, id }) => voidCode(admin, id) },
  },
  voices: {
    update: {
      run: ({ admin, id, fields }) => updateVoice(admin, id, fields),
    },
    activate: {
      run: ({ admin, id }) => updateVoice(admin, id, { active: true }),
    },
    deactivate: {
      run: ({ admin, id }) => updateVoice(admin, id, { active: false }),
    },
    packs: {
      columns: ['name', 'state', 'family', 'size_bytes', 'expected_memory_bytes', 'license', 'reason'],
      run: ({ packs }) => listPacks(packs),
    },
    rescan: {
      columns: ['name', 'state', 'reason'],
      run: ({ flags }) => rescanPacksHere(flags),
    },
    remove: {
      run: ({ admin, packs, id }) => removePack(admin, packs, id),
    },
  },
  clone: {
    list: {
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
      run: ({ admin, stores, id }) => deleteAnyClone(admin, stores, id),
    },
    purge: {
      run: ({ admin, stores, id }) => purgeRecording(admin, stores, id),
    },
    're-enrol': {
      async run({ admin, stores, converter, id, flags }) {
        const scheduler = await createCliScheduler(flags)
        const deadline = startDeadline(operationTimeoutsMs.reEnrol)
        try {
          return await reEnrol(admin, stores, { scheduler, converter, mp3SampleRate: undefined }, id, deadline)
        } finally {
          scheduler.close()
        }
      },
    },
  },
  group: {
    create: {
      run: ({ admin, fields }) => createGroup(admin, fields),
    },
    list: {
      columns: ['id', 'name', 'voices'],
      run: ({ admin }) => listGroups(admin),
    },
    update: {
      run: ({ admin, id, fields }) => updateGroup(admin, id, fields),
    },
    delete: { run: ({ admin, id }) => deleteGroup(admin, id) },
  },
  usage: {
    list: {
      columns: ['created_at', 'request_id', 'account_id', 'voice_id', 'characters', 'units', 'status', 'error_code'],
      run: ({ admin, fields, storageUrl }) => listAllRecords(admin.db, fields, storageUrl),
    },
    export: {
      run: ({ admin, fields, storageUrl }) =>
        streamCsv(admin.db, readFilter(fields, undefined), storageUrl, { withAccounts: true }),
    },
  },
  'audit-log': {
    list: {
      columns: ['created_at', 'actor', 'act', 'subject'],
      run: ({ admin, fields }) => listLog(admin, fields),
    },
  },
}

function accountOf({ account_id: id }: Fields): string {
  return id as string
}
