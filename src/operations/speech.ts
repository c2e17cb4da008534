/** Speech, voices and cloned voices: operations of customers that make sound. */
import { fault, idempotencyKey, pathId } from './fields'
import { operation } from './entry'
import { conditions, ranges } from './file-headers'
import { reference } from './schema'

const choosesVoice = ['voice_not_found', 'voice_disabled', 'voice_not_allowed'] as const
const sha256 = { type: 'string', pattern: '^[0-9a-fA-F]{64}$' }

const ofSpeech = { tag: 'Speech', access: 'key' } as const
const ofClones = { tag: 'Cloned voices', access: 'key' } as const

export const speechOperations = {
  speak: operation('POST /api/v1/tts', 'Turn text into speech', {
    ...ofSpeech,
    description:
      'Answers with the public address of the audio. Every character (Unicode code point) of `text` costs 1, at any speed and in any format. A failed request is not charged.',
    limit: 'tts',
    deadline: 'tts',
    headers: {
      ...idempotencyKey,
      ...fault,
    },
    body: { name: 'SpeechRequest' },
    answer: { description: 'The audio is stored.', schema: reference('Speech'), headers: ['Idempotent-Replay'] },
    moreExamples: ['speakUncharged'],
    errors: [
      'invalid_speed',
      'invalid_format',
      'insufficient_balance',
      'key_cap_reached',
      ...choosesVoice,
      'idempotency_conflict',
      'gone',
      'synthesis_failed',
      'synthesis_timeout',
      'speed_processing_failed',
      'transcode_failed',
      'storage_failed',
    ],
  }),
  estimateSpeech: operation('POST /api/v1/tts/estimate', 'Estimate the cost of a request', {
    ...ofSpeech,
    description: 'Takes the body of `POST /api/v1/tts`; makes no audio and charges nothing.',
    limit: 'estimate',
    body: { name: 'SpeechRequest' },
    answer: { description: 'The estimate.', schema: reference('Estimate') },
    errors: ['invalid_speed', 'invalid_format', ...choosesVoice],
  }),
  listVoices: operation('GET /api/v1/voices', 'List voices', {
    tag: 'Speech',
    description:
      'Without a key the public list, which may be cached for a minute; with a key the list of its account. Featured voices come first.',
    access: 'optional key',
    limit: 'voices',
    query: {
      group: { says: 'for administrators only: id or name of a group, or `all`', schema: { type: 'string' } },
    },
    answer: { description: 'The voices, in order.', schema: reference('VoiceList'), headers: ['Vary'] },
    errors: ['group_forbidden', 'group_not_found'],
  }),
  cloneVoice: operation('POST /api/v1/voices/clone', 'Make a private voice from a recording', {
    ...ofClones,
    description:
      'Takes a wav, mp3, flac, m4a, aac or ogg of at most 15 MiB and 15 seconds: as a file (multipart/form-data), from an address (`url`), or by the SHA-256 of a file that the service has (`hash`). Exactly one of them. Costs 300 characters once, the demo included; sending the same file again is free and returns the existing voice. An address is downloaded once: when its content has changed, upload the file. You must hold the right to use the voice. An adapted voice resembles the recording and does not imitate it; `warnings` advise on a better recording.',
    limit: 'clone',
    deadline: 'clone',
    headers: fault,
    body: { name: 'CloneRequest', form: 'CloneForm' },
    answer: { description: 'The voice, ready for use.', schema: reference('Cloned') },
    errors: [
      'unsupported_audio',
      'audio_parse_failed',
      'duration_exceeded',
      'invalid_url',
      'url_blocked',
      'insufficient_balance',
      'key_cap_reached',
      'unknown_hash',
      'conflict',
      'file_too_large',
      'url_too_large',
      'url_fetch_failed',
      'render_failed',
      'storage_failed',
    ],
  }),
  deleteClone: operation('DELETE /api/v1/voices/clone', 'Delete a cloned voice', {
    ...ofClones,
    description: 'Deletes its demo too, and the recording unless another account cloned from it. Nothing is refunded.',
    limit: 'cloneDeletion',
    query: { voice_id: { ...pathId('voice'), says: 'a `cv-` id', isRequired: true } },
    answer: { description: 'The voice is deleted.', schema: reference('Deleted') },
    errors: ['invalid_params', 'voice_not_found', 'storage_failed'],
  }),
  getRecording: operation('GET /api/v1/voices/clone/{voiceId}/recording', 'Hear the recording of a cloned voice', {
    ...ofClones,
    description:
      'The file as it was sent, for the account of the voice only. 404 also when the recording was deleted; the voice stays then.',
    limit: 'voices',
    parameter: { ...pathId('voice'), says: 'a `cv-` id' },
    headers: { ...ranges, ...conditions },
    answersHead: true,
    answer: {
      description: 'The file.',
      contentType: 'audio/*',
      schema: { description: 'wav, mp3, flac, m4a, aac or ogg, by its content.' },
      headers: ['ETag', 'Last-Modified', 'Accept-Ranges'],
    },
    bare: {
      206: { description: 'The range.', headers: ['ETag', 'Last-Modified', 'Content-Range'] },
      304: { description: 'The cached file is current.', headers: ['ETag'] },
    },
    errors: ['not_found', 'precondition_failed', 'range_not_satisfiable', 'storage_failed'],
  }),
  precheckClone: operation('GET /api/v1/voices/clone/precheck', 'Check before an upload', {
    ...ofClones,
    description:
      'When `exists`, send `hash` and `name` instead of the file. The hash of a stored file is enough to clone from it and to hear it, so keep it secret.',
    limit: 'precheck',
    query: { hash: { says: 'SHA-256 of the file', schema: sha256, isRequired: true } },
    answer: { description: 'The state of the file.', schema: reference('Precheck') },
    errors: ['invalid_params'],
  }),
}
