/** `POST /api/v1/tts` and its estimate: rules of the body and shape of the answer (4.1 and 2.3 of the interface). */
import type { AudioFormat } from '../audio/encode/encoder'
import { limits } from '../config'
import { AppError } from '../errors'
import { describe, refuse, type Fields } from '../fields'
import { countCharacters } from '../billing/ledger/characters'
import { estimate, speak, type SpeakFields, type Spoken } from '../speak/speak'
import type { HttpContext } from './context'
import { faultsOf } from './faults'
import { refuseMistakenFields } from './mistaken-field'
import { stateOf } from './request-state'
import type { Handlers } from './routes'
import { surfaceOf } from './session-access'

const cloneIdPattern = /^cv-[0-9a-f]{32}$/

export function ttsHandlers({ speaking, addresses, faultsOnDemand }: HttpContext) {
  /** For the log, only a known id: an unknown one may be a text in the wrong field. */
  const knownVoice = (id: string | undefined) =>
    id !== undefined && (speaking.catalogue.find(id) || cloneIdPattern.test(id)) ? id : undefined

  return {
    async speak({ request, caller, fields: body, deadline, headers }) {
      const fields = parseSpeakBody(body)
      const faults = faultsOf(request, faultsOnDemand)
      const state = stateOf(request)
      state.id = idempotencyKeyOf(request) ?? state.id
      state.voiceId = knownVoice(fields.voiceId)
      const { signal } = request
      const from = { caller, surface: surfaceOf(caller), requestId: state.id, deadline, signal, faults } as const
      const spoken = await speak(speaking, { ...from, ...fields })
      state.voiceId = spoken.voiceId
      state.units = spoken.replayed || spoken.remaining === null ? 0 : spoken.units
      if (spoken.replayed) headers['idempotent-replay'] = 'true'
      return describeSpoken(spoken, state.id, addresses(request).storageUrl)
    },

    estimateSpeech({ caller, fields }) {
      const { units, voiceId, allowed, remainingAfter } = estimate(speaking, parseSpeakBody(fields), caller)
      return { units, voice_id: voiceId, allowed, remaining_after: remainingAfter }
    },
  } satisfies Partial<Handlers>
}

const billingWarning = 'The audio was made and can be used, but the charge was not recorded.'

function describeSpoken(spoken: Spoken, requestId: string, storageUrl: string) {
  return {
    url: `${storageUrl}/${spoken.name}`,
    request_id: requestId,
    voice_id: spoken.voiceId,
    speed: spoken.speed,
    units: spoken.units,
    remaining: spoken.remaining,
    duration_ms: spoken.processingMs,
    ...(spoken.remaining === null && { billing_warning: billingWarning }),
  }
}

function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key')
  if (key === null) return undefined
  if (/^[0-9a-f]{32}$/i.test(key)) return key.toLowerCase()
  throw refuse('Idempotency-Key', key, '32 hexadecimal characters are allowed')
}

export const speakFieldNames = {
  known: ['text', 'voice_id', 'speed', 'format'],
  synonyms: { voice: 'voice_id', input: 'text', rate: 'speed', response_format: 'format' },
  // Fields of later operations; clients may send them already.
  exempt: ['seed', 'captions', 'lexicon', 'markup'],
} as const

/** Throws `invalid_params`, `invalid_speed`, `invalid_format`, each with its field. */
function parseSpeakBody(body: Fields): SpeakFields {
  refuseMistakenFields(body, speakFieldNames)
  return {
    text: parseText(body.text),
    voiceId: parseVoiceId(body.voice_id),
    speed: parseSpeed(body.speed),
    format: parseFormat(body.format),
  }
}

function parseText(text: unknown): string {
  const max = limits.textCharactersMax
  const refuseText = (found: string) =>
    new AppError('invalid_params', `text: ${found}; a string of 1 to ${max} characters is required.`, { param: 'text' })
  if (typeof text !== 'string') throw refuseText(text === undefined ? 'missing' : `found ${describe(text)}`)
  if (text === '') throw refuseText('found an empty string')
  const characters = countCharacters(text)
  if (characters > max) throw refuseText(`found ${characters} characters`)
  if (!text.isWellFormed()) throw refuseText('found a lone surrogate, which is no character')
  if (!/\P{White_Space}/u.test(text)) throw refuseText('found only white space')
  return text
}

function parseVoiceId(voiceId: unknown): string | undefined {
  if (voiceId === undefined || voiceId === null || voiceId === '') return undefined
  if (typeof voiceId === 'string') return voiceId
  throw refuse('voice_id', voiceId, 'a string is required')
}

function parseSpeed(speed: unknown): number {
  if (speed === undefined) return 1
  if (typeof speed === 'number' && speed >= limits.speedMin && speed <= limits.speedMax) return speed
  const allowed = `a number from ${limits.speedMin.toFixed(1)} to ${limits.speedMax.toFixed(1)} is allowed`
  throw new AppError('invalid_speed', `speed: found ${describe(speed)}; ${allowed}.`, { param: 'speed' })
}

function parseFormat(format: unknown): AudioFormat {
  if (format === undefined) return 'mp3'
  if (format === 'mp3' || format === 'wav') return format
  throw new AppError('invalid_format', `format: found ${describe(format)}; "mp3" or "wav" is allowed.`, {
    param: 'format',
  })
}
