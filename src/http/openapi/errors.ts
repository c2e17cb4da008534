/** The meaning of each error for callers; statuses and types come from the table of the error answers. */
import type { ErrorCode } from '../../errors'
import { inWordsOf, shownAs, statuses, typeOfStatus, type Dialect } from '../errors'
import { object, orNull, text, type Schema } from '../../operations/schema'

/** All codes except that of a client that has left. */
export type ShownErrorCode = Exclude<ErrorCode, 'client_gone'>

type Meaning = { readonly when: string; readonly message: string; readonly param?: string }

const meanings: Record<ShownErrorCode, Meaning> = {
  invalid_params: {
    when: 'A field is missing, of the wrong type or out of range, or the body is not a JSON object; `message` and `param` name the field.',
    message: 'text: found an empty string; a string of 1 to 2000 characters is required.',
    param: 'text',
  },
  invalid_format: {
    when: '`format` is neither `mp3` nor `wav`.',
    message: 'format: found "ogg"; "mp3" or "wav" is allowed.',
    param: 'format',
  },
  invalid_speed: {
    when: '`speed` is not a number from 0.5 to 2.0.',
    message: 'speed: found 3; a number from 0.5 to 2.0 is allowed.',
    param: 'speed',
  },
  unsupported_model: {
    when: 'There is no such model; `GET /v1/models` lists the valid ones.',
    message: 'model: found "gpt-9"; GET /v1/models lists the valid ones.',
    param: 'model',
  },
  invalid_url: {
    when: '`url` cannot be parsed, is neither http nor https, or has credentials in it.',
    message: 'url: found "ftp://files.example/me.wav"; an http or https address is required.',
    param: 'url',
  },
  url_blocked: {
    when: '`url` or a redirect leads to an address that is not public, or to a port that is not for the web.',
    message: 'url: the host "intranet" is not at a public address.',
    param: 'url',
  },
  unsupported_audio: {
    when: 'The recording is not wav, mp3, flac, m4a, aac or ogg, or has an unsupported codec.',
    message: 'file: This is not a wav, mp3, flac, m4a, aac or ogg file.',
    param: 'file',
  },
  audio_parse_failed: {
    when: 'The recording cannot be decoded, is silent, or holds less than a second of sound.',
    message: 'file: the recording is silent.',
    param: 'file',
  },
  duration_exceeded: {
    when: 'The recording is longer than 15 seconds.',
    message: 'file: the recording is 17.2 s long; at most 15 s are allowed.',
    param: 'file',
  },
  body_too_slow: {
    when: 'The body did not arrive within 20 s. For an upload: no byte for 20 s, or more than 3 minutes in total. The connection is closed.',
    message: 'The body did not arrive within 20 s.',
  },
  body_too_fragmented: {
    when: 'The body has thousands of chunks of less than 512 bytes. The connection is closed.',
    message: 'The body has too many chunks of less than 512 bytes; send larger ones.',
  },
  missing_api_key: {
    when: 'The Authorization header is missing or malformed, and there is no session.',
    message: 'Send the header Authorization: Bearer <API_KEY>.',
  },
  invalid_api_key: {
    when: 'The API key does not exist, was deleted or has expired.',
    message: 'The API key does not exist or was deleted.',
  },
  invalid_session: {
    when: 'The session of the cookie has ended.',
    message: 'The session has ended; sign in again.',
    param: 'Cookie',
  },
  wrong_password: {
    when: 'The e-mail address or the password is wrong.',
    message: 'The e-mail address or the password is wrong.',
    param: 'password',
  },
  insufficient_balance: {
    when: 'The balance is too low. Redeem a new activation code.',
    message: '125 characters are available, and 330 are needed: redeem a new activation code.',
  },
  key_cap_reached: {
    when: 'The API key has reached its own cap. Raise the cap or use another key.',
    message: 'The cap of this API key leaves 10 characters, and 33 are needed: raise the cap or use another key.',
  },
  account_disabled: { when: 'The account is disabled.', message: 'The account is disabled.' },
  api_key_revoked: { when: 'The API key was revoked.', message: 'The API key was revoked.' },
  voice_disabled: {
    when: 'An administrator has deactivated the voice, or the base voice or tone converter of a clone is no longer installed.',
    message: 'voice_id: the voice "en-clara" is deactivated.',
    param: 'voice_id',
  },
  voice_not_allowed: {
    when: 'The voice is not in the voice plan of the account.',
    message: 'voice_id: the voice "en-clara" is not in the voice plan of this account.',
    param: 'voice_id',
  },
  group_forbidden: {
    when: '`group` was sent without the API key of an administrator.',
    message: 'group: only administrators may use it.',
    param: 'group',
  },
  permission_denied: {
    when: 'The API key or the session is not that of an administrator, an API key was used where only a session may be, or a change with a session came from a page of another origin.',
    message: 'This takes the API key or the session of an administrator.',
  },
  group_not_found: {
    when: 'There is no such group.',
    message: 'group: there is no group "gold".',
    param: 'group',
  },
  voice_not_found: {
    when: 'There is no such voice, or the list of the account is empty.',
    message: 'voice_id: there is no voice "ava"; GET /api/v1/voices lists the available ones.',
    param: 'voice_id',
  },
  unknown_hash: {
    when: 'The service has no file with that `hash`. Upload it.',
    message: 'hash: the service has no such file; upload it.',
    param: 'hash',
  },
  not_found: {
    when: 'No object has that id or name.',
    message: 'There is no request of that id in the history of this account.',
  },
  gone: {
    when: 'The audio of the request was erased.',
    message: 'The audio of this request was erased.',
  },
  unknown_path: { when: 'There is nothing at this path.', message: 'There is nothing at this path.' },
  method_not_allowed: {
    when: 'The path does not have this method; `Allow` lists its methods.',
    message: 'This path has no GET; it has POST.',
  },
  precondition_failed: {
    when: 'The file does not match `If-Match` or `If-Unmodified-Since`.',
    message: 'If-Match: the file is not the one that this header names.',
    param: 'If-Match',
  },
  range_not_satisfiable: {
    when: 'The range lies outside the file; `Content-Range` has the size of the file.',
    message: 'Range: found "bytes=99999-"; the file has 7235 bytes.',
    param: 'Range',
  },
  conflict: {
    when: 'The request conflicts with the present state; `message` gives the reason.',
    message: 'Accounts use this group (Reading app); give them another one first.',
  },
  idempotency_conflict: {
    when: 'The idempotency key was used for another request.',
    message: 'Idempotency-Key: this key was used for another request; send a new one.',
    param: 'Idempotency-Key',
  },
  unsupported_encoding: {
    when: 'The body is compressed (Content-Encoding). Send it as it is.',
    message: 'Content-Encoding: found "gzip"; send the body as it is, without compression.',
    param: 'Content-Encoding',
  },
  payload_too_large: {
    when: 'The body is larger than 1 MiB.',
    message: 'The body is larger than 1048576 bytes.',
  },
  file_too_large: {
    when: 'The recording is larger than 15 MiB.',
    message: 'file: larger than 15728640 bytes.',
    param: 'file',
  },
  url_too_large: {
    when: 'The file at `url` is larger than 15 MiB.',
    message: 'url: the file is larger than 15728640 bytes.',
    param: 'url',
  },
  rate_limited: {
    when: 'Too many calls, or the queue is full. Wait as long as `Retry-After` says.',
    message: 'The limit of 60 calls per minute is reached; try again in 60 s.',
  },
  upstream_capacity: {
    when: 'The workers are too busy to finish in time. Wait as long as `Retry-After` says.',
    message: 'Too much work waits; try again in 3 s.',
  },
  internal_error: {
    when: 'An internal error. Try again; if it persists, report the request id.',
    message: 'Something went wrong inside the service. Try again.',
  },
  url_fetch_failed: {
    when: 'The file at `url` could not be downloaded within 30 seconds, including the wait for a turn.',
    message: 'url: the server answered with the status 404; 200 is required.',
    param: 'url',
  },
  render_failed: {
    when: 'The voice or its demo could not be made. Nothing was charged; try again.',
    message: 'The demo of the voice could not be made; nothing was charged. Try again.',
  },
  synthesis_failed: {
    when: 'The synthesis failed. Nothing was charged; try again.',
    message: 'The synthesis engine failed on this text; nothing was charged. Try again.',
  },
  storage_failed: {
    when: 'The audio could not be stored. Nothing was charged; try again.',
    message: 'The audio could not be stored; nothing was charged. Try again.',
  },
  transcode_failed: {
    when: 'The audio could not be encoded as wav. Nothing was charged; try again.',
    message: 'The audio could not be encoded; nothing was charged. Try again.',
  },
  speed_processing_failed: {
    when: 'The audio could not be brought to the requested speed. Nothing was charged; try again.',
    message: 'The audio could not be brought to the requested speed; nothing was charged. Try again.',
  },
  shutting_down: {
    when: 'The service is stopping. Wait as long as `Retry-After` says.',
    message: 'The service is stopping.',
  },
  synthesis_timeout: {
    when: 'The synthesis took too long, waiting included. Nothing was charged; try again.',
    message: 'The synthesis took too long; try again.',
  },
}

export const shownErrorCodes = Object.keys(meanings) as ShownErrorCode[]
const shown = (['api', 'v1'] as const).flatMap((dialect) => shownErrorCodes.map((code) => shownAs(code, dialect)))
const publicErrorCodes = [...new Set(shown.map(({ code }) => code))].sort()
const publicErrorTypes = [...new Set(shown.map(({ status }) => typeOfStatus(status)))].sort()

export const errorSchema: Schema = object(
  {
    error: object({
      code: text('For programs.', { enum: publicErrorCodes }),
      message: text('For people: which field, what was found, what is allowed.'),
      type: text('The kind of error.', { enum: publicErrorTypes }),
      param: orNull(text('The field or header at fault.')),
      x_relay: object({ request_id: text('For reports; also in `X-Request-Id`.', { pattern: '^[0-9a-f]{32}$' }) }),
    }),
  },
  { description: 'Every error of every endpoint.' },
)

/** Names of components are unique, and those of `/v1` differ. */
const nameIn = (dialect: Dialect, name: string) => (dialect === 'api' ? name : `${dialect}.${name}`)

/** One example for each error, for `components.examples`. */
export function errorExamples(dialect: Dialect, codes: readonly ErrorCode[]) {
  const known = shownErrorCodes.filter((code) => codes.includes(code))
  const entries = known.map((name) => {
    const { when, message, param = null } = meanings[name]
    const { code, status } = shownAs(name, dialect)
    const x_relay = { request_id: '01a1fea3bc1873c891238eb45528d9ac' }
    const said = inWordsOf({ code: name, message, param }, dialect)
    const error = { code, message: said.message, type: typeOfStatus(status), param: said.param, x_relay }
    return [nameIn(dialect, name), { summary: when, value: { error } }] as const
  })
  return Object.fromEntries(entries)
}

/** `codes` by status, in order of status, then of the table. */
function byStatus(codes: readonly ErrorCode[], dialect: Dialect): Map<number, ShownErrorCode[]> {
  const known = shownErrorCodes.filter((code) => codes.includes(code))
  const statusOf = (code: ErrorCode) => shownAs(code, dialect).status
  const sorted = [...new Set(known.map(statusOf))].sort((a, b) => a - b)
  return new Map(sorted.map((status) => [status, known.filter((code) => statusOf(code) === status)]))
}

/** The error answers of an operation, as references to `errorComponents` of the same codes. */
export function errorReferences(codes: readonly ErrorCode[], dialect: Dialect) {
  const entries = [...byStatus(codes, dialect)].map(([status, group]) => {
    return [String(status), { $ref: `#/components/responses/${nameIn(dialect, group.join('.'))}` }] as const
  })
  return Object.fromEntries(entries)
}

/** An entry of `components.responses` for each status of `codes`. */
export function errorComponents(codes: readonly ErrorCode[], dialect: Dialect) {
  return [...byStatus(codes, dialect)].map(([status, group]) => {
    return [nameIn(dialect, group.join('.')), errorComponent(status, group, dialect)] as const
  })
}

function errorComponent(status: number, codes: readonly ShownErrorCode[], dialect: Dialect) {
  const codeOf = (name: ErrorCode) => shownAs(name, dialect).code
  const code = { enum: [...new Set(codes.map(codeOf))] }
  const type = { const: typeOfStatus(status) }
  const schema = { $ref: '#/components/schemas/Error', properties: { error: { properties: { code, type } } } }
  const examples = Object.fromEntries(
    codes.map((name) => [name, { $ref: `#/components/examples/${nameIn(dialect, name)}` }]),
  )
  return {
    description: codes.map((name) => `\`${codeOf(name)}\`: ${meanings[name].when}`).join('\n\n'),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(status === statuses.range_not_satisfiable && {
        'Content-Range': { $ref: '#/components/headers/Content-Range' },
      }),
      ...(hasRetryAfter(status) && { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }),
    },
    content: { 'application/json': { schema, examples } },
  }
}

function hasRetryAfter(status: number): boolean {
  return status === statuses.rate_limited || status === statuses.shutting_down
}
