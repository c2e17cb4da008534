/** Cloned voices as operations of the API description. */
import { faultParameter } from './parameters'
import { reference, type Operation } from './model'

const duty = 'You must hold the right to use the voice.'

export const cloneOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/v1/voices/clone',
    id: 'cloneVoice',
    tag: 'Cloned voices',
    summary: 'Make a private voice from a recording',
    description: `Takes a wav, mp3, flac, m4a, aac or ogg of at most 15 MiB and 15 seconds: as a file (multipart/form-data), from an address (\`url\`), or by the SHA-256 of a file that the service has (\`hash\`). Exactly one of them. Costs 300 characters once, the demo included; the same file again is free and answers with the voice there is. What is behind an address is fetched once: when it has changed, send the file. ${duty} The voice is adapted: it resembles the recording, it does not imitate it; \`warnings\` say how a better recording would help.`,
    audience: 'key',
    limited: true,
    parameters: [faultParameter],
    body: reference('CloneRequest'),
    form: reference('CloneForm'),
    answer: { description: 'The voice can be used.', schema: reference('Cloned') },
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
  },
  {
    method: 'delete',
    path: '/api/v1/voices/clone',
    id: 'deleteClone',
    tag: 'Cloned voices',
    summary: 'Delete a cloned voice',
    description:
      'Its demo goes with it, and the recording unless another account cloned from it too. Nothing is refunded.',
    audience: 'key',
    limited: true,
    parameters: [
      {
        name: 'voice_id',
        in: 'query',
        description: 'A `cv-` id.',
        required: true,
        schema: { type: 'string', minLength: 1 },
      },
    ],
    answer: { description: 'It is gone.', schema: reference('Deleted') },
    errors: ['invalid_params', 'voice_not_found', 'storage_failed'],
  },
  {
    method: 'get',
    path: '/api/v1/voices/clone/precheck',
    id: 'precheckClone',
    tag: 'Cloned voices',
    summary: 'Ask before an upload',
    description:
      'When `exists`, send `hash` and `name` instead of the file. The hash of a stored file is enough to clone from it, so keep it secret.',
    audience: 'key',
    limited: true,
    parameters: [
      {
        name: 'hash',
        in: 'query',
        description: 'SHA-256 of the file.',
        required: true,
        schema: { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
      },
    ],
    answer: { description: 'What is known of the file.', schema: reference('Precheck') },
    errors: ['invalid_params'],
  },
]
