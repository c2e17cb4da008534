/** Cloned voices and clone requests: schemas of the API description. */
import {
  boolean,
  instant,
  integer,
  list,
  number,
  object,
  orNull,
  reference,
  text,
  type Schema,
} from '../../operations/schema'
import { cloneNamePattern, languagePattern, urlPattern } from '../../operations/rules'

const language = text('BCP 47.')
export const gender = orNull(text('Gender of the voice; null: unknown.', { enum: ['female', 'male'] }))
const sha256 = text('SHA-256 of a file that the service has.', { pattern: '^[0-9a-fA-F]{64}$' })
const recordingUrl = text('Address of a recording.', { format: 'uri', maxLength: 4096, pattern: urlPattern })
const cloneFields = {
  name: text('Must not contain \\\\ / : * ? " < > | and control characters.', {
    minLength: 1,
    maxLength: 64,
    pattern: cloneNamePattern,
  }),
  language: text('Language of the recording (BCP 47). By default the script of the name decides, else English.', {
    maxLength: 35,
    pattern: languagePattern,
  }),
}
export const cloneMethod = text('Method of cloning.', { enum: ['adapted', 'converted'] })
export const cloneWarnings = list(
  object({ code: text('For programs.'), message: text('Advice for a better recording.') }),
)

const managedClone = {
  id: text('Id of the voice.', { pattern: '^cv-[0-9a-f]{32}$' }),
  account_id: text('Id of the account.', { format: 'uuid' }),
  display_name: text('The name given at clone time.'),
  language,
  gender,
  method: cloneMethod,
  base_voice_id: text('The catalogue voice that is adapted or converted.'),
  duration_sec: number('Duration of the recording.', { minimum: 0 }),
  has_recording: boolean('Whether the recording is stored.'),
  created_at: instant('Time of creation.'),
}

export const cloneSchemas = {
  CloneRequest: object(
    { url: recordingUrl, hash: sha256, ...cloneFields },
    {
      optional: ['url', 'hash', 'language'],
      description: 'Exactly one of `url` and `hash`.',
      oneOf: [{ required: ['url'] }, { required: ['hash'] }],
    },
  ),
  CloneForm: object(
    {
      file: text('The recording.', { format: 'binary' }),
      url: recordingUrl,
      hash: sha256,
      ...cloneFields,
    },
    {
      optional: ['file', 'url', 'hash', 'language'],
      description: 'Exactly one of `file`, `url` and `hash`.',
      oneOf: [{ required: ['file'] }, { required: ['url'] }, { required: ['hash'] }],
    },
  ),
  ClonedVoice: object({
    id: text('The value for `voice_id`.', { pattern: '^cv-[0-9a-f]{32}$' }),
    display_name: text('The name given at clone time.'),
    demo_url: text('Address of an mp3 demo.', { format: 'uri' }),
    duration_sec: number('Duration of the recording.', { minimum: 0 }),
    created_at: instant('Time of creation.'),
    language,
    gender,
    method: cloneMethod,
    warnings: cloneWarnings,
  }),
  Cloned: object({
    ok: { const: true },
    duplicate: boolean('Whether the account already had this clone.'),
    voice: reference('ClonedVoice'),
    units: integer('Characters charged.', { minimum: 0 }),
    remaining: integer('The balance after the charge.', { minimum: 0 }),
  }),
  Precheck: object({
    exists: boolean('Whether the service has the file.'),
    own_voice: { anyOf: [reference('ClonedVoice'), { type: 'null' }], description: 'The account’s clone of the file.' },
    fee_units: integer('Price of a clone.', { minimum: 0 }),
    voice_count: integer('Number of clones of the account.', { minimum: 0 }),
  }),
  ManagedClone: object(managedClone),
  ManagedCloneList: object({
    items: list(object({ ...managedClone, demo_url: text('Address of a demo.', { format: 'uri' }) })),
    next_cursor: { type: 'null', description: 'null: the list is complete.' },
  }),
} satisfies Record<string, Schema>
