/** Administration of voices, packs, voice plans and cloned voices, each with its command. */
import { administrative } from './entry'
import { cloneId, groupId, line, name, ofAccount, packName, required, voiceId } from './fields'
import type { Field } from './operation'
import { computeProviders } from '../config'
import { optionalLinePattern, uploadNamePattern, voiceIdPattern } from './rules'
import { boolean, list, oneOf, orNull, whole, type Schema } from './schema'

const trueOrFalse = (says: string): Field<boolean> => ({ takes: 'true|false', says, schema: { type: 'boolean' } })
export const voiceChanges = {
  active: {
    ...trueOrFalse('false: hide and refuse the voice'),
    schema: boolean('Whether it can be used; false hides and refuses it.'),
  },
  public: trueOrFalse('available to accounts without a plan'),
  featured: trueOrFalse('list it first'),
  position: {
    takes: 'N',
    says: 'order among featured voices, lowest first',
    schema: whole(0, 1_000_000),
  },
  display_name: {
    takes: 'TEXT|none',
    says: 'your own name for it',
    schema: { description: 'Your own name for it; null: the name in the catalogue.', ...orNull(line(100)) },
  },
  provider: {
    takes: 'auto|cpu|webgpu|cuda|coreml|dml|none',
    says: 'compute provider of its model',
    schema: {
      description:
        'Compute provider of its model, for voices of installed packs; all voices of a model have the same. null: the setting of the server.',
      ...orNull(oneOf(computeProviders)),
    },
  },
} as const

export const voiceMove = {
  before: {
    takes: 'ID|none',
    says: 'the featured voice that comes behind it',
    schema: {
      description: 'The featured voice that comes behind it; null: it comes last.',
      ...orNull({ type: 'string', maxLength: 64, pattern: voiceIdPattern } as Schema<string>),
    },
    isRequired: true,
  },
} as const

const voices = {
  listAllVoices: administrative('GET /admin/voices', 'List all voices', {
    description: 'In catalogue order, deactivated ones too.',
    usesVoices: true,
    answer: 'ManagedVoiceList',
  }),
  updateVoice: administrative('PATCH /admin/voices/{id}', 'Change a voice', {
    description: 'One that becomes featured without a position comes last among the featured ones.',
    usesVoices: true,
    parameter: voiceId,
    body: { name: 'VoiceChanges', fields: voiceChanges },
    answer: 'ManagedVoice',
    command: {
      words: 'voices update',
      summary: 'change the given fields',
      examples: [
        'sonant voices update en-clara --featured true --position 0',
        "sonant voices update en-ross --display-name 'Ross of Leeds'",
      ],
    },
  }),
  moveVoice: administrative('POST /admin/voices/{id}/move', 'Move a voice among the featured ones', {
    description:
      'It becomes featured, if it is not. All featured voices get new positions from 1, so that moves by several administrators add up.',
    usesVoices: true,
    parameter: voiceId,
    body: { name: 'VoiceMove', fields: voiceMove },
    answer: 'ManagedVoice',
    errors: ['conflict'],
    command: {
      words: 'voices move',
      examples: ['sonant voices move en-ross --before en-clara', 'sonant voices move en-ross --before none'],
    },
  }),
  listPacks: administrative('GET /admin/packs', 'List the installed packs with their state', {
    description: 'Each is a folder with a model, whose voices join the catalogue when it is `ready`.',
    usesVoices: true,
    answer: 'PackList',
    command: {
      words: 'voices packs',
      columns: [
        'name',
        'state',
        'family',
        'english_reading',
        'convolutions',
        'size_bytes',
        'expected_memory_bytes',
        'real_time_factor',
        'slow',
        'license',
        'reason',
        'advice',
      ],
    },
  }),
  installPack: administrative('POST /admin/packs', 'Install a pack by name', {
    description: 'Pulls it from the hub in the background, one pack after the other.',
    body: { name: 'NewInstall' },
    status: 202,
    answer: 'Install',
  }),
  uploadPack: administrative('POST /admin/packs/upload', 'Make a pack of files', {
    description:
      'A form with one part `file` for each file of the folder; its `filename` is the name in the pack, or that of a folder and the name, as `voices/af_heart.bin`. The pack is tested then like any other. Nothing stays of an upload that is refused or breaks off.',
    deadline: 'packUpload',
    query: {
      name: {
        says: 'name of the pack, which no other has',
        schema: { type: 'string', minLength: 1, maxLength: 100, pattern: uploadNamePattern },
        isRequired: true,
      },
    },
    body: { form: 'PackForm' },
    status: 202,
    answer: 'Pack',
    errors: ['conflict', 'file_too_large', 'storage_failed'],
  }),
  listInstalls: administrative('GET /admin/installs', 'List running, waiting and recently ended installations', {
    description: 'In order of request; `received_bytes` of `size_bytes` is the progress. Forgotten at the next start.',
    answer: 'InstallList',
  }),
  cancelInstall: administrative('DELETE /admin/installs/{id}', 'Cancel an installation', {
    description: 'Removes what was received. An installation that has ended stays as it is.',
    parameter: { takes: 'ID', says: 'id of the installation', schema: { type: 'string', minLength: 1 } },
    answer: 'Install',
  }),
  searchHub: administrative('GET /admin/hub', 'Search the hub for packs', {
    description: 'Without words every pack. What the hub has is read anew every ten minutes.',
    query: {
      q: {
        says: 'languages (`en`, `en_US`, `Chinese`), countries, qualities, parts of names; every word must match',
        schema: { type: 'string', maxLength: 200, pattern: optionalLinePattern },
      },
    },
    answer: 'HubPackList',
    errors: ['invalid_params', 'url_fetch_failed'],
  }),
  showHubPack: administrative('GET /admin/hub/pack', 'Show a pack of the hub before its installation', {
    description: 'With its licence and its model card, which is a text of its authors.',
    query: {
      name: {
        says: 'its name in the search',
        schema: line(120),
        isRequired: true,
      },
    },
    answer: 'HubPack',
    errors: ['invalid_params', 'not_found', 'url_fetch_failed'],
  }),
  rescanPacks: administrative(
    'POST /admin/packs/rescan',
    'Check the packs for changes now, and probe refused ones again',
    {
      description: 'New and changed packs are probed one after the other.',
      answer: 'PackList',
      command: { words: 'voices rescan', columns: ['name', 'state', 'reason'] },
    },
  ),
  removePack: administrative('DELETE /admin/packs/{id}', 'Delete a pack with its files', {
    description: 'Its voices are gone at once. Their settings stay, in case the pack comes back.',
    usesVoices: true,
    parameter: packName,
    answer: 'Deleted',
    command: {
      words: 'voices remove',
      examples: ['sonant voices remove kokoro', 'sonant voices remove piper-en_US-ljspeech-high'],
    },
  }),
  showCompute: administrative('GET /admin/compute', 'Show the compute provider of neural voices', {
    description: 'The provider that works best, the result of the trial of each one, and the models in memory.',
    answer: 'Compute',
  }),
  showSystem: administrative('GET /admin/system', 'Show the state of the server', {
    description:
      'Versions, memory, workers, queue, speeds, disk, and the settings in force with their sources; secrets are hidden. The size of the audio files is not among them: counting them would take long.',
    answer: 'System',
  }),
}

const groupName: Field<string> = {
  ...name,
  schema: {
    description: 'Unique; `all` is reserved.',
    ...line(100),
    not: { pattern: '^\\s*[aA][lL][lL]\\s*$' },
  },
}
export const groupChanges = {
  name: groupName,
  voices: {
    takes: 'ID,ID,…|none',
    says: 'the voices of the plan',
    schema: list({ type: 'string', pattern: voiceIdPattern }, { uniqueItems: true }),
  },
} as const
export const newGroup = { ...groupChanges, name: required(groupName) } as const

const groups = {
  createGroup: administrative('POST /admin/groups', 'Create a voice plan', {
    description: 'A group is a voice plan: its accounts have exactly its voices.',
    usesVoices: true,
    body: { name: 'NewGroup', fields: newGroup },
    answer: 'Group',
    errors: ['conflict'],
    command: {
      words: 'group create',
      examples: [
        'sonant group create --name starter --voices en-ross,en-clara',
        'sonant group create --name empty --voices none',
      ],
    },
  }),
  listGroups: administrative('GET /admin/groups', 'List the voice plans', {
    answer: 'GroupList',
    command: { words: 'group list', columns: ['id', 'name', 'voices'] },
  }),
  updateGroup: administrative('PATCH /admin/groups/{id}', 'Change a voice plan', {
    usesVoices: true,
    parameter: groupId,
    body: { name: 'GroupChanges', fields: groupChanges },
    answer: 'Group',
    errors: ['conflict'],
    command: {
      words: 'group update',
      summary: 'change the given fields; --voices replaces all voices',
      examples: ['sonant group update GROUP_ID --name premium', 'sonant group update GROUP_ID --voices en-ross,zh-mei'],
    },
  }),
  deleteGroup: administrative('DELETE /admin/groups/{id}', 'Delete a voice plan that no account uses', {
    parameter: groupId,
    answer: 'Deleted',
    errors: ['conflict'],
    command: { words: 'group delete' },
  }),
}

const clones = {
  listClones: administrative('GET /admin/clones', "List an account's cloned voices", {
    description: 'Oldest first.',
    query: { account_id: ofAccount },
    answer: 'ManagedCloneList',
    errors: ['invalid_params', 'not_found'],
    command: {
      words: 'clone list',
      showsAddresses: true,
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
    },
  }),
  deleteAnyClone: administrative(
    'DELETE /admin/clones/{id}',
    'Delete the voice, its demo, and its recording unless another clone uses it',
    {
      parameter: cloneId,
      answer: 'Deleted',
      errors: ['storage_failed'],
      command: { words: 'clone delete' },
    },
  ),
  purgeRecording: administrative(
    'POST /admin/clones/{id}/purge',
    'Delete the recording at once; the voices made from it stay',
    {
      parameter: cloneId,
      answer: 'ManagedClone',
      errors: ['storage_failed'],
      command: { words: 'clone purge' },
    },
  ),
  reEnrolClone: administrative(
    'POST /admin/clones/{id}/re-enrol',
    'Rebuild the voice from its recording with the current method',
    {
      description: 'Its id stays.',
      deadline: 'reEnrol',
      usesVoices: true,
      parameter: cloneId,
      answer: 'ManagedClone',
      errors: ['render_failed', 'storage_failed'],
      command: { words: 'clone re-enrol' },
    },
  ),
}

export const voiceOperations = { ...voices, ...groups, ...clones } as const
