/** The OpenAI-style endpoints under `/v1`: speech, models and voices in the shapes that clients of OpenAI read. */
import type { Caller } from '../account/keys'
import { audioFormats, type AudioFormat } from '../audio/encode/encoder'
import { audioGone } from '../billing/erased-audio'
import { limits } from '../config'
import { AppError } from '../errors'
import { describe, isFields, refuse, type Fields } from '../fields'
import type { SpeakFields, Spoken } from '../speak/speak'
import type { StoredFile } from '../storage/storage'
import { listClones } from '../voice/clones'
import { voiceIdOf } from '../voice/openai-names'
import type { HttpContext } from './context'
import { refuseMistakenFields } from './mistaken-field'
import { eventsOf } from './openai-events'
import { headersOf } from './request-state'
import type { Call, Handlers } from './routes'
import { parseSpeed, parseText, speakFor } from './speech-fields'

/** Models of OpenAI that clients send by default. A model is only checked; the voice decides. */
const aliases = ['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts']

type Format = {
  readonly stored: AudioFormat
  /** Where it is not that of the stored file. */
  readonly contentType?: string
  /** Hz of a WAV. */
  readonly wavSampleRate?: number
  /** Bytes of the stored file before those of the answer. */
  readonly headBytes: number
}

/** `pcm` is the sound of a stored WAV: 16 bit, little-endian, mono, 24 kHz. */
const formats: Readonly<Record<string, Format>> = {
  ...Object.fromEntries(audioFormats.map((stored) => [stored, { stored, headBytes: 0 }])),
  // The name that OpenAI uses; browsers know the file as Ogg.
  opus: { stored: 'opus', contentType: 'audio/opus', headBytes: 0 },
  pcm: { stored: 'wav', contentType: 'audio/pcm', wavSampleRate: 24_000, headBytes: 44 },
}
/** The first is the default. */
export const responseFormats = Object.keys(formats)

type SpeechRequest = { readonly fields: SpeakFields; readonly format: Format; readonly hasEvents: boolean }

export function openAiHandlers(context: HttpContext) {
  const { db, speaking } = context
  const { catalogue, plans, storage } = speaking

  const modelIds = () => [...new Set(catalogue.voices.map(({ engine }) => engine)), ...aliases]

  /** The voices of the account's plan, then its clones. */
  const voicesOf = (caller: Caller | undefined) => [
    ...plans.listFor(caller?.planId ?? null).map(({ voice, displayName }) => describeVoice(voice.id, displayName)),
    ...(caller ? listClones(db, caller.accountId).map(({ id, name }) => describeVoice(id, name)) : []),
  ]

  async function createSpeech(call: Call<'key'>): Promise<Response> {
    const { fields, format, hasEvents } = parseSpeechBody(call.fields, modelIds())
    const findVoiceId = (name: string) =>
      voiceIdOf(name, {
        isVoice: (id) => catalogue.find(id) !== undefined,
        list: () => voicesOf(call.caller).map(({ id }) => id),
      })
    const spoken = await speakFor(context, call, { fields, surface: 'v1', findVoiceId }).catch((error: unknown) => {
      throw atCapacity(error)
    })
    const file = await storage.find(spoken.name)
    if (!file) throw audioGone()
    return answer(call, spoken, { file, format, hasEvents })
  }

  return {
    createSpeech,

    listModels: ({ caller, headers }) => {
      cacheFor(caller, headers)
      return { object: 'list', data: modelIds().map(describeModel) }
    },

    getModel({ id, caller, headers }) {
      if (!modelIds().includes(id))
        throw new AppError('not_found', `There is no model ${describe(id)}; GET /v1/models lists them.`)
      cacheFor(caller, headers)
      return describeModel(id)
    },

    listSpeechModels({ caller, headers }) {
      cacheFor(caller, headers)
      const models = modelIds().map((id) => ({ id, name: id, object: 'model' }))
      return { object: 'list', models, data: models }
    },

    listSpeechVoices({ caller, headers }) {
      cacheFor(caller, headers)
      const voices = voicesOf(caller)
      return { object: 'list', voices, data: voices }
    },
  } satisfies Partial<Handlers>
}

const describeVoice = (id: string, name: string) => ({ id, name, object: 'voice' })
/** A model has no date here; clients need a number. */
const describeModel = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'sonant' })

/** As the voice list of `/api/v1`. */
function cacheFor(caller: Caller | undefined, headers: Record<string, string | number>): void {
  headers['cache-control'] = caller ? 'private, no-store' : 'public, max-age=60'
  headers.vary = 'Authorization'
}

/** The limit of the key is checked before the work, so the work is refused only for lack of capacity. */
function atCapacity(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'rate_limited') return error
  const { message, retryAfterSeconds } = error
  return new AppError('upstream_capacity', message, { retryAfterSeconds, cause: error.cause })
}

type Sound = { readonly file: StoredFile; readonly format: Format; readonly hasEvents: boolean }

function answer({ request, headers }: Call<'key'>, spoken: Spoken, { file, format, hasEvents }: Sound): Response {
  const { contentType = file.contentType, headBytes } = format
  const shared = {
    ...headersOf(request),
    ...(spoken.replayed && { 'idempotent-replay': String(headers['idempotent-replay']) }),
    'x-units': String(spoken.units),
    ...(spoken.remaining !== null && { 'x-remaining': String(spoken.remaining) }),
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  }
  const sound = Bun.file(file.path).slice(headBytes, file.sizeBytes, contentType)
  if (hasEvents)
    return new Response(eventsOf(sound, spoken.units), {
      headers: { ...shared, 'content-type': 'text/event-stream; charset=utf-8' },
    })
  const sizes = { 'content-type': contentType, 'content-length': String(file.sizeBytes - headBytes) }
  return new Response(sound, { headers: { ...shared, ...sizes } })
}

export const openAiFieldNames = {
  known: ['model', 'input', 'voice', 'response_format', 'speed', 'instructions', 'stream_format'],
  synonyms: { text: 'input', voice_id: 'voice', format: 'response_format', rate: 'speed' },
  exempt: ['seed', 'captions', 'lexicon', 'markup'],
} as const

/** A field that is null counts as omitted. Throws `unsupported_model`, `invalid_params`, `invalid_speed`. */
function parseSpeechBody(body: Fields, models: readonly string[]): SpeechRequest {
  refuseMistakenFields(body, openAiFieldNames)
  const { model, input, voice, response_format, speed, stream_format } = body
  if (typeof model !== 'string') throw refuse('model', model, 'a string is required; GET /v1/models lists them')
  if (!models.includes(model))
    throw new AppError('unsupported_model', `model: found ${describe(model)}; GET /v1/models lists the valid ones.`, {
      param: 'model',
    })
  const format = formats[oneOf('response_format', response_format, responseFormats)]!
  const fields = {
    text: parseText('input', input, limits.inputCharactersMax),
    voiceId: parseVoice(voice),
    speed: parseSpeed(speed ?? undefined),
    format: format.stored,
    wavSampleRate: format.wavSampleRate,
  }
  return { fields, format, hasEvents: oneOf('stream_format', stream_format, ['audio', 'sse']) === 'sse' }
}

/** The first of `words` is the default. */
function oneOf(name: string, value: unknown, words: readonly string[]): string {
  const found = words.find((word) => word === (value ?? words[0]))
  if (found === undefined) throw refuse(name, value, `${words.map((word) => `"${word}"`).join(', ')} are allowed`)
  return found
}

/** A name, or an object with the name as its `id`. Without one the first voice of the account's list speaks. */
function parseVoice(voice: unknown): string | undefined {
  const name = isFields(voice) ? voice.id : voice
  if (isFields(voice) ? typeof name === 'string' : name === undefined || name === null || typeof name === 'string')
    return name === '' || name === null ? undefined : (name as string | undefined)
  throw refuse('voice', voice, 'a string or an object with a string "id" is required')
}
