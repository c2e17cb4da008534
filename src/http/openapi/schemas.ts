/** The schemas shared by requests and answers: `components.schemas`. */
import { audioFormats } from '../../audio/encode/encoder'
import { surfaces } from '../../billing/usage/usage'
import { computeProviders, limits, unitsMax } from '../../config'
import { errorSchema } from './errors'
import { installSchemas } from './installs'
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
import { cloneMethod, cloneSchemas, cloneWarnings, gender } from './clone-schemas'
import { computeSchemas } from './compute'
import { packSchemas } from './packs'
import { systemSchemas } from './system'
import { openAiSchemas } from './openai'
import { peopleSchemas } from './people'
import { emailPattern, linePattern, spokenPattern, voiceIdPattern } from '../../operations/rules'
import { speakFieldNames } from '../tts'

const { textCharactersMax, speedMin: minimum, speedMax: maximum } = limits

/** In words: with `default`, client generators make a field of a request required unless told otherwise. */
const byDefault = (value: unknown) => `Default: ${JSON.stringify(value)}.`
const uuid = (description: string) => text(description, { format: 'uuid' })
const requestId = text('32 hexadecimal characters; the idempotency key if one was sent.', {
  pattern: '^[0-9a-f]{32}$',
})
const voiceId = text('Id of the voice used.')
const line = (description: string, maxLength: number) =>
  text(description, { minLength: 1, maxLength, pattern: linePattern })
const name = line('Trimmed; without control characters.', 100)
const role = text('Permissions of the account.', { enum: ['user', 'admin'] })
const status = text('Whether its keys work.', { enum: ['enabled', 'disabled'] })
const balance = integer('Characters left.', { minimum: 0 })
const unit = text('Unit of the balance.', { const: 'characters' })
const nextCursor = orNull(text('`cursor` of the next page; null on the last one.'))
const language = text('BCP 47.')
const engine = text('The speech engine.')
const sampleRate = integer('Sample rate of the engine, in Hz.')
const deterministic = boolean('Whether the same request gives the same bytes.')
const email = text('An e-mail address.', { maxLength: 254, pattern: emailPattern })
const voiceIds = list(text('Id of a catalogue voice.', { pattern: voiceIdPattern }), { uniqueItems: true })
const masked = text('Only the last four of the 16 digits are shown.', { pattern: '^\\*{12}[0-9]{4}$' })
const expiry = orNull(instant('Time of expiry; null: never.'))

const page = (items: Schema) => object({ items: list(items), next_cursor: nextCursor })
const whole = (items: Schema) => object({ items: list(items), next_cursor: { ...nextCursor, type: 'null' } })

const account = {
  id: uuid('Id of the account.'),
  name,
  email: orNull(email),
  role,
  status,
  balance,
  account_number: text('16 digits.', { pattern: '^[0-9]{16}$' }),
  group: orNull(uuid('Id of the voice plan; null: the public voices.')),
  created_at: instant('Time of creation.'),
  erased_at: instant('Only for an erased account: the time of its erasure.'),
}

const keyLimits = object(
  {
    tts: orNull(integer('Calls of `POST /api/v1/tts` per minute.', { minimum: 1, maximum: 100_000 })),
    clone: orNull(integer('Calls for cloning per minute.', { minimum: 1, maximum: 100_000 })),
  },
  { description: 'Limits of this key; null: those of the installation.' },
)
const cap = orNull(integer('The most characters that the key may spend in total.', { minimum: 0, maximum: unitsMax }))

const key = {
  id: uuid('Id of the key.'),
  account_id: uuid('Id of its account.'),
  name,
  prefix: text('The first characters of the key, for recognition.'),
  status: text('Deleted keys are not listed.', { enum: ['active', 'revoked'] }),
  cap,
  spent: integer('Characters charged to the key or held for it.', { minimum: 0 }),
  limits: keyLimits,
  expires_at: expiry,
  revokes_at: instant('Only for a key that another one has replaced: the time of its revocation.'),
  created_at: instant('Time of creation.'),
  last_used_at: orNull(instant('Accurate to about a minute; null: never.')),
}

const record = {
  request_id: requestId,
  kind: text('Kind of request.', { enum: ['tts', 'clone'] }),
  created_at: instant('Time of the request.'),
  key_id: uuid('Id of the key of the request.'),
  voice_id: voiceId,
  characters: integer('Characters of the text.', { minimum: 0 }),
  units: integer('Characters charged.', { minimum: 0 }),
  speed: orNull(number('The speed used.', { minimum, maximum })),
  format: orNull(text('Format of the stored audio.', { enum: audioFormats })),
  url: orNull(text('Address of the audio; null without audio.', { format: 'uri' })),
  audio_ms: orNull(integer('Duration of the audio.', { minimum: 0 })),
  duration_ms: orNull(integer('Time of the synthesis.', { minimum: 0 })),
  surface: text('The interface of the request.', { enum: [...surfaces] }),
  status: text(
    '`partial`: a stream ended early, and the characters sent were charged. `uncharged`: the audio was made, but the charge was not recorded.',
    { enum: ['charged', 'partial', 'uncharged', 'failed'] },
  ),
  error_code: orNull(text('The reason of a failure or an early end.')),
}

const movement = {
  id: text('Id of the movement.'),
  created_at: instant('Time of the movement.'),
  kind: text('A charge for speech or for a clone, an activation code, or an adjustment by an administrator.', {
    enum: ['speech', 'clone', 'code', 'adjustment'],
  }),
  units: integer('Characters added; negative for a charge.', { not: { const: 0 } }),
  balance_after: integer('The balance after this movement.'),
  reason: text('The reason that the administrator gave for an adjustment; else the kind.'),
  request_id: orNull(text('The request that was charged; null for other movements.', { pattern: '^[0-9a-f]{32}$' })),
}

const code = {
  id: uuid('Id of the code.'),
  code: text('Masked except for its end; whole only in the answer that creates it.', {
    pattern: '^([0-9A-Z]{4}|\\*{4})(-([0-9A-Z]{4}|\\*{4})){3}$',
  }),
  units: integer('Characters that the code credits.', { minimum: 1 }),
  status: text('An expired code stays `unused`.', { enum: ['unused', 'used', 'void'] }),
  note: orNull(text('For administrators.')),
  created_at: instant('Time of creation.'),
  expires_at: expiry,
  used_at: orNull(instant('Time of redemption.')),
  used_by: orNull(uuid('Id of the account that redeemed it.')),
}

const managedVoice = {
  id: voiceId,
  display_name: text('Name in the voice list.'),
  language,
  gender,
  engine,
  sample_rate: sampleRate,
  active: boolean('Whether the voice can be used.'),
  public: boolean('Whether accounts without a group may use the voice.'),
  featured: boolean('Whether the voice comes before the others.'),
  position: integer('Order among the featured voices, lowest first.', { minimum: 0 }),
  provider: orNull(
    text('Compute provider of an installed voice; null: that of the server.', { enum: computeProviders }),
  ),
  deterministic,
  pack: orNull(text('Name of its pack; null for built-in voices.')),
  license: orNull(text('Licence of the pack; null: unknown, or a built-in voice.')),
  real_time_factor: orNull(number('Seconds of a worker for a second of sound; null: unknown.', { minimum: 0 })),
  slow: boolean('Whether its pack cannot do every allowed text in time on this machine.'),
}

const group = { id: uuid('Id of the group.'), name, voices: voiceIds }

const loggedOperation = {
  id: text('Ascending number.'),
  actor: text(
    'The account and its key or person, the user of the command line, the invitation or setup link of a new person, or `setup`.',
  ),
  actor_name: orNull(text('Present name of the person, or of the account of the key; null: there is none.')),
  act: text('The operation, as on the command line.'),
  subject: text('Id of the changed object.'),
  subject_name: orNull(text('Present name of an account, a person or a key; null: another object, or a removed one.')),
  before: {
    description: 'State before the operation; null: the object did not exist.',
    type: ['object', 'null'],
    additionalProperties: true,
  },
  after: {
    description: 'State after the operation; null: the object was deleted.',
    type: ['object', 'null'],
    additionalProperties: true,
  },
  created_at: instant('Time of the operation.'),
}

const ownAccount = {
  name,
  email: account.email,
  role,
  status,
  group: account.group,
  group_name: orNull(text('Name of the voice plan; null: the public voices.')),
  balance,
  unit,
  account_number: masked,
  created_at: account.created_at,
}

export const components = {
  ...installSchemas,
  ...openAiSchemas,
  ...peopleSchemas,
  SignedIn: object({ person: reference('Person'), account: object(ownAccount) }),
  Error: errorSchema,
  SpeechRequest: object(
    {
      text: text('The text to speak. Characters are Unicode code points. Not only white space.', {
        minLength: 1,
        maxLength: textCharactersMax,
        pattern: spokenPattern,
      }),
      voice_id: orNull(text('An id from the voice list. Omitted, null or "": the first of the list.')),
      speed: number(`Above 1 is faster, below 1 is slower; the pitch stays. ${byDefault(1)}`, { minimum, maximum }),
      format: text(`\`wav\` is PCM 16-bit, mono, 44.1 kHz. ${byDefault('mp3')}`, { enum: ['mp3', 'wav'] }),
    },
    {
      optional: ['voice_id', 'speed', 'format'],
      description: 'Unknown fields are ignored, except likely mistakes for these fields, such as `voice` or `spede`.',
      propertyNames: { not: { enum: Object.keys(speakFieldNames.synonyms) } },
    },
  ),
  Speech: object(
    {
      url: text('Public address of the audio. It never changes and needs no key.', { format: 'uri' }),
      request_id: requestId,
      voice_id: voiceId,
      speed: number('The speed used.', { minimum, maximum }),
      units: integer('Characters charged.', { minimum: 1, maximum: textCharactersMax }),
      remaining: orNull(integer('The balance after this charge; null when charging failed.', { minimum: 0 })),
      duration_ms: integer('From the first synthesis task to the stored file.', { minimum: 0 }),
      billing_warning: text(
        'Present only when charging failed: the audio can be used, but the charge was not recorded.',
      ),
    },
    { optional: ['billing_warning'] },
  ),
  Estimate: object({
    units: integer('Price of the request, in characters.', { minimum: 1, maximum: textCharactersMax }),
    voice_id: text('The voice that would be used.'),
    allowed: boolean('Whether the balance and the cap of the key suffice.'),
    remaining_after: integer('The balance after the request; the present one if it is not allowed.', { minimum: 0 }),
  }),
  Voice: object(
    {
      id: text('The value for `voice_id`.'),
      display_name: text('For display only; may repeat.'),
      demo_url: text('Address of a demo.', { format: 'uri' }),
      featured: boolean('Whether the voice is featured now.'),
      language,
      gender,
      engine: orNull(text('The speech engine; null: a clone whose base voice is not installed.')),
      sample_rate: orNull(integer('Sample rate of the engine, in Hz; null: as for `engine`.')),
      description: orNull(text('A short description of the sound.')),
      deterministic,
      slow: { const: true, description: 'Present only on a voice that cannot do every allowed text in time.' },
      owned: { const: true, description: 'Present only on the account’s own clones.' },
      method: cloneMethod,
      warnings: cloneWarnings,
      duration_sec: number('Duration of the recording of a clone.', { minimum: 0 }),
      created_at: instant('Time at which a clone was made.'),
    },
    { optional: ['slow', 'owned', 'method', 'warnings', 'duration_sec', 'created_at'] },
  ),
  VoiceList: object({ voices: list(reference('Voice')), total: integer('Number of voices.', { minimum: 0 }) }),
  ...cloneSchemas,
  Balance: object({
    balance,
    unit,
    account_number: masked,
    app: object({ slug: text('Identifies the installation.'), name: text('Display name of the installation.') }),
  }),
  OwnAccount: object({
    ...ownAccount,
    key: { description: 'The key of the request; null for a session.', anyOf: [reference('Key'), { type: 'null' }] },
  }),
  Activation: object({ ok: { const: true }, units: integer('Characters credited.', { minimum: 1 }), balance }),
  MovementPage: page(object(movement)),
  UsageRecord: object(record),
  UsagePage: object({ records: list(reference('UsageRecord')), next_cursor: nextCursor }),
  UsageDays: object({
    days: list(
      object({
        date: text('UTC.', { format: 'date' }),
        requests: integer('Requests, including failed ones.', { minimum: 0 }),
        units: integer('Characters charged.', { minimum: 0 }),
        audio_ms: integer('Total duration of the audio.', { minimum: 0 }),
      }),
    ),
  }),
  UsageTotals: object({
    requests: integer('Requests, including failed ones.', { minimum: 0 }),
    characters: integer('Characters of their texts.', { minimum: 0 }),
    units: integer('Characters charged.', { minimum: 0 }),
    audio_ms: integer('Total duration of the audio.', { minimum: 0 }),
    failed: integer('Failed requests.', { minimum: 0 }),
  }),
  Account: object(account, { optional: ['erased_at'] }),
  AccountPage: page(reference('Account')),
  AdjustedBalance: object({ balance }),
  Key: object(key, { optional: ['revokes_at'] }),
  CreatedKey: object({ ...key, api_key: text('The key. No other answer contains it.') }, { optional: ['revokes_at'] }),
  KeyList: whole(reference('Key')),
  Code: object(code),
  CodePage: page(reference('Code')),
  CreatedCodes: whole(reference('Code')),
  ManagedVoice: object(managedVoice),
  ManagedVoiceList: whole(reference('ManagedVoice')),
  ...packSchemas,
  ...computeSchemas,
  ...systemSchemas,
  Group: object(group),
  GroupList: whole(reference('Group')),
  Deleted: object({ ok: { const: true }, deleted: text('Id of the deleted object.') }),
  AllUsagePage: page(object({ ...record, account_id: account.id, account_name: account.name })),
  ActPage: page(object(loggedOperation)),
  Version: object({
    version: text('Version of the executable.'),
    api: list(text('A version of the interface.')),
    commit: text('Commit of the build.'),
  }),
  Health: object({ ok: { const: true } }),
} satisfies Record<string, Schema>
