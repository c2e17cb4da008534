/** `POST /api/v1/tts` and its estimate: rules of the body and shape of the answer (4.1 and 2.3 of the interface). */
import type { AudioFormat } from '../audio/encode/encoder'
import { limits } from '../config'
import { AppError } from '../errors'
import { describe, refuse, type Fields } from '../fields'
import { estimate, type SpeakFields, type Spoken } from '../speak/speak'
import type { HttpContext } from './context'
import { refuseMistakenFields } from './mistaken-field'
import { requestIdOf } from './request-state'
import type { Handlers } from './routes'
import { surfaceOf } from './session-access'
import { parseSpeed, parseText, speakFor } from './speech-fields'

export function ttsHandlers(context: HttpContext) {
  const { speaking, addresses } = context
  return {
    async speak(call) {
      const { request, caller } = call
      const fields = parseSpeakBody(call.fields)
      const spoken = await speakFor(context, call, { fields, surface: surfaceOf(caller) })
      return describeSpoken(spoken, requestIdOf(request), addresses(request).storageUrl)
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
    text: parseText('text', body.text, limits.textCharactersMax),
    voiceId: parseVoiceId(body.voice_id),
    speed: parseSpeed(body.speed),
    format: parseFormat(body.format),
  }
}

function parseVoiceId(voiceId: unknown): string | undefined {
  if (voiceId === undefined || voiceId === null || voiceId === '') return undefined
  if (typeof voiceId === 'string') return voiceId
  throw refuse('voice_id', voiceId, 'a string is required')
}

function parseFormat(format: unknown): AudioFormat {
  if (format === undefined) return 'mp3'
  if (format === 'mp3' || format === 'wav') return format
  throw new AppError('invalid_format', `format: found ${describe(format)}; "mp3" or "wav" is allowed.`, {
    param: 'format',
  })
}
