/** The OpenAI-style endpoints under `/v1`. Their errors have the codes of 7.2 of the interface. */
import { operation } from './entry'
import { fault, idempotencyKey } from './fields'
import { reference } from './schema'

const tag = 'OpenAI-style'
const listing = { tag, access: 'optional key', limit: 'voices' } as const
const withoutKey = 'Needs no key; without one the answer may be cached for a minute.'

export const openAiOperations = {
  createSpeech: operation('POST /v1/audio/speech', 'Turn text into speech, as OpenAI does', {
    tag,
    access: 'key',
    description:
      'Answers with the sound itself. Costs and limits are those of `POST /api/v1/tts`. The sound is stored too, at the permanent address `/audio/{request id}.{format}`; `pcm` as wav.',
    limit: 'tts',
    deadline: 'tts',
    headers: { ...idempotencyKey, ...fault },
    body: { name: 'OpenAiSpeechRequest' },
    answer: {
      description:
        'The sound: `audio/mpeg`, `audio/wav`, `audio/opus`, `audio/flac`, `audio/aac`, or `audio/pcm` (16 bit, little-endian, mono, 24 kHz). With `"stream_format": "sse"` events (`text/event-stream`): `speech.audio.delta` with parts of it in base64, then `speech.audio.done` with the usage.',
      contentType: 'audio/*',
      schema: { description: 'The sound in `response_format`.' },
      headers: ['X-Units', 'X-Remaining', 'Idempotent-Replay'],
    },
    errors: [
      'unsupported_model',
      'invalid_speed',
      'insufficient_balance',
      'key_cap_reached',
      'voice_not_found',
      'voice_disabled',
      'voice_not_allowed',
      'idempotency_conflict',
      'gone',
      'upstream_capacity',
      'synthesis_failed',
      'synthesis_timeout',
      'speed_processing_failed',
      'transcode_failed',
      'storage_failed',
    ],
  }),
  listModels: operation('GET /v1/models', 'List models', {
    ...listing,
    description: `The speech engines, and the models of OpenAI that are accepted in their place. ${withoutKey}`,
    answer: { description: 'The models.', schema: reference('ModelList'), headers: ['Vary'] },
  }),
  getModel: operation('GET /v1/models/{id}', 'Get a model', {
    ...listing,
    parameter: { says: 'id of the model', schema: { type: 'string', minLength: 1 } },
    answer: { description: 'The model.', schema: reference('Model'), headers: ['Vary'] },
    errors: ['not_found'],
  }),
  listSpeechModels: operation('GET /v1/audio/models', 'List models of speech', {
    ...listing,
    description: `The same models in the shape that Open WebUI reads. ${withoutKey}`,
    answer: { description: 'The models.', schema: reference('SpeechModelList'), headers: ['Vary'] },
  }),
  listSpeechVoices: operation('GET /v1/audio/voices', 'List voices for clients of OpenAI', {
    ...listing,
    description:
      'Without a key the public voices, which may be cached for a minute; with a key those of its account, and its clones. `voices` and `data` are the same list.',
    answer: { description: 'The voices, in order.', schema: reference('SpeechVoiceList'), headers: ['Vary'] },
  }),
}
