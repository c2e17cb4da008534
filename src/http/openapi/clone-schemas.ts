/** Cloned voices and clone requests: schemas of the API description. */
import { boolean, instant, integer, list, number, object, reference, text, type Schema } from '../../operations/schema'
import { cloneNamePattern, languagePattern, urlPattern } from '../../operations/rules'

const language = text('BCP 47.')
const gender = text('How the voice sounds; null: unknown.', { enum: ['female', 'male', null] })
const sha256 = text('SHA-256 of a file that the service has.', { pattern: '^[0-9a-fA-F]{64}$' })
const recordingUrl = text('Address of a recording.', { format: 'uri', maxLength: 4096, pattern: urlPattern })
const cloneFields = {
  name: text('Without \\\\ / : * ? " < > | and control characters.', {
    minLength: 1,
    maxLength: 64,
    pattern: cloneNamePattern,
  }),
  language: text('Spoken in the recording (BCP 47). Without it the script of the name decides, else English.', {
    maxLength: 35,
    pattern: languagePattern,
  }),
}
export const cloneMethod = text('How it was made.', { enum: ['adapted', 'converted'] })
export const cloneWarnings = list(
  object({ code: text('For programs.'), message: text('What to do better with the next recording.') }),
)

const managedClone = {
  id: text('Id of the voice.', { pattern: '^cv-[0-9a-f]{32}$' }),
  account_id: text('Id of the account.', { format: 'uuid' }),
  display_name: text('The name given at clone time.'),
  language,
  gender,
  method: cloneMethod,
  base_voice_id: text('The catalogue voice that speaks for it.'),
  duration_sec: number('Of the recording.', { minimum: 0 }),
  has_recording: boolean('Whether the recording is still kept.'),
  created_at: instant('When it was made.'),
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
    id: text('What to send as `voice_id`.', { pattern: '^cv-[0-9a-f]{32}$' }),
    display_name: text('The name given at clone time.'),
    demo_url: text('Address of an mp3 demo.', { format: 'uri' }),
    duration_sec: number('Of the recording.', { minimum: 0 }),
    created_at: instant('When it was made.'),
    language,
    gender,
    method: cloneMethod,
    warnings: cloneWarnings,
  }),
  Cloned: object({
    ok: { const: true },
    duplicate: boolean('Whether the account had it already.'),
    voice: reference('ClonedVoice'),
    units: integer('Characters charged.', { minimum: 0 }),
    remaining: integer('The balance after it.', { minimum: 0 }),
  }),
  Precheck: object({
    exists: boolean('Whether the service has the file.'),
    own_voice: { anyOf: [reference('ClonedVoice'), { type: 'null' }], description: 'The account’s voice from it.' },
    fee_units: integer('What a clone would cost.', { minimum: 0 }),
    voice_count: integer('How many clones the account has.', { minimum: 0 }),
  }),
  ManagedClone: object(managedClone),
  ManagedCloneList: object({
    items: list(reference('ManagedClone')),
    next_cursor: { type: 'null', description: 'The list is whole.' },
  }),
} satisfies Record<string, Schema>
