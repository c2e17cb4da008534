/** `POST /api/v1/tts`: the body's rules and the answer's shape (4.1 and 2.3 of the interface). */
import { Elysia } from 'elysia'
import type { AudioFormat } from '../audio/encode/encoder'
import { limits } from '../config'
import { AppError } from '../errors'
import { countCharacters, speak } from '../speak'
import { requireCaller } from './auth'
import { describe, readJsonObject } from './body'
import type { HttpContext } from './context'
import { requestIdOf } from './request-id'

export function ttsRoutes({ db, speaking, addresses }: HttpContext) {
  return new Elysia().post(
    '/api/v1/tts',
    async ({ request }) => {
      const caller = requireCaller(db, request)
      const fields = parseSpeakBody(await readJsonObject(request, limits.requestBodyBytesMax))
      const requestId = requestIdOf(request)
      const spoken = await speak(speaking, { caller, requestId, signal: request.signal, ...fields })
      return {
        url: `${addresses().storageUrl}/${spoken.name}`,
        request_id: requestId,
        voice_id: spoken.voiceId,
        speed: fields.speed,
        units: spoken.characters,
        duration_ms: spoken.durationMs,
      }
    },
    { parse: 'none' },
  )
}

type SpeakFields = { text: string; voiceId: string | undefined; speed: number; format: AudioFormat }

/** Throws `invalid_params`, `invalid_speed`, `invalid_format`, each naming its field. */
function parseSpeakBody(body: Record<string, unknown>): SpeakFields {
  return {
    text: parseText(body.text),
    voiceId: parseVoiceId(body.voice_id),
    speed: parseSpeed(body.speed),
    format: parseFormat(body.format),
  }
}

function parseText(text: unknown): string {
  const max = limits.textCharactersMax
  const refuse = (found: string) =>
    new AppError('invalid_params', `text: ${found}; a string of 1 to ${max} characters is required.`, { param: 'text' })
  if (typeof text !== 'string') throw refuse(text === undefined ? 'missing' : `found ${describe(text)}`)
  if (text === '') throw refuse('found an empty string')
  const characters = countCharacters(text)
  if (characters > max) throw refuse(`found ${characters} characters`)
  if (!text.isWellFormed()) throw refuse('found a lone surrogate, which is no character')
  if (text.trim() === '') throw refuse('found only white space')
  return text
}

function parseVoiceId(voiceId: unknown): string | undefined {
  if (voiceId === undefined || voiceId === null || voiceId === '') return undefined
  if (typeof voiceId === 'string') return voiceId
  throw new AppError('invalid_params', `voice_id: found ${describe(voiceId)}; a string is required.`, {
    param: 'voice_id',
  })
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
