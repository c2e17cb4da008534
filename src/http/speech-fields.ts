/** The fields that both interfaces of speech read alike, and the paid operation for one of their requests. */
import { countCharacters } from '../billing/ledger/characters'
import type { Surface } from '../billing/usage/usage'
import { limits } from '../config'
import { AppError } from '../errors'
import { describe, refuse } from '../fields'
import { speak, type SpeakFields, type SpeakRequest, type Spoken } from '../speak/speak'
import type { HttpContext } from './context'
import { faultsOf } from './faults'
import { stateOf } from './request-state'
import type { Call } from './routes'

const cloneIdPattern = /^cv-[0-9a-f]{32}$/

type Given = {
  readonly fields: SpeakFields
  readonly surface: Surface
  readonly findVoiceId?: SpeakRequest['findVoiceId']
}

/** Speaks for the caller, and notes the request for the log. Throws as `speak`, and `invalid_params`. */
export async function speakFor(
  { speaking, faultsOnDemand }: Pick<HttpContext, 'speaking' | 'faultsOnDemand'>,
  { request, caller, deadline, headers }: Pick<Call<'key'>, 'request' | 'caller' | 'deadline' | 'headers'>,
  { fields, surface, findVoiceId }: Given,
): Promise<Spoken> {
  const faults = faultsOf(request, faultsOnDemand)
  const state = stateOf(request)
  state.id = idempotencyKeyOf(request) ?? state.id
  // For the log, only a known id: an unknown one may be a text in the wrong field.
  const { voiceId: id } = fields
  state.voiceId = id !== undefined && (speaking.catalogue.find(id) || cloneIdPattern.test(id)) ? id : undefined
  const from = { caller, surface, requestId: state.id, deadline, signal: request.signal, faults, findVoiceId }
  const spoken = await speak(speaking, { ...from, ...fields })
  state.voiceId = spoken.voiceId
  state.units = spoken.replayed || spoken.remaining === null ? 0 : spoken.units
  if (spoken.replayed) headers['idempotent-replay'] = 'true'
  return spoken
}

function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key')
  if (key === null) return undefined
  if (/^[0-9a-f]{32}$/i.test(key)) return key.toLowerCase()
  throw refuse('Idempotency-Key', key, '32 hexadecimal characters are allowed')
}

/** Throws `invalid_params`. */
export function parseText(name: string, text: unknown, max: number): string {
  const refuseText = (found: string) =>
    new AppError('invalid_params', `${name}: ${found}; a string of 1 to ${max} characters is required.`, {
      param: name,
    })
  if (typeof text !== 'string') throw refuseText(text === undefined ? 'missing' : `found ${describe(text)}`)
  if (text === '') throw refuseText('found an empty string')
  const characters = countCharacters(text)
  if (characters > max) throw refuseText(`found ${characters} characters`)
  if (!text.isWellFormed()) throw refuseText('found a lone surrogate, which is no character')
  if (!/\P{White_Space}/u.test(text)) throw refuseText('found only white space')
  return text
}

/** Throws `invalid_speed`. */
export function parseSpeed(speed: unknown): number {
  if (speed === undefined) return 1
  if (typeof speed === 'number' && speed >= limits.speedMin && speed <= limits.speedMax) return speed
  const allowed = `a number from ${limits.speedMin.toFixed(1)} to ${limits.speedMax.toFixed(1)} is allowed`
  throw new AppError('invalid_speed', `speed: found ${describe(speed)}; ${allowed}.`, { param: 'speed' })
}
