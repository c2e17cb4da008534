/** Speech, voices, stored audio, and the service itself, as operations of the API description. */
import { object, reference, text, type Operation } from './model'
import { faultParameter } from './parameters'

const choosesVoice = ['voice_not_found', 'voice_disabled', 'voice_not_allowed'] as const

export const speechOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/v1/tts',
    id: 'speak',
    tag: 'Speech',
    summary: 'Turn text into speech',
    description:
      'Answers with the public address of the audio. Every character (Unicode code point) of `text` costs 1, whatever speed and format are. A failed request is not charged.',
    audience: 'key',
    limited: true,
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        description:
          '32 hexadecimal characters of your own. A repeat with the same fields gets the first answer and is not charged again.',
        schema: { type: 'string', pattern: '^[0-9a-fA-F]{32}$' },
      },
      faultParameter,
    ],
    body: reference('SpeechRequest'),
    answer: { description: 'The audio is stored.', schema: reference('Speech'), headers: ['Idempotent-Replay'] },
    moreExamples: ['speakUncharged'],
    errors: [
      'invalid_speed',
      'invalid_format',
      'insufficient_balance',
      'key_cap_reached',
      ...choosesVoice,
      'idempotency_conflict',
      'synthesis_failed',
      'synthesis_timeout',
      'speed_processing_failed',
      'transcode_failed',
      'storage_failed',
    ],
  },
  {
    method: 'post',
    path: '/api/v1/tts/estimate',
    id: 'estimateSpeech',
    tag: 'Speech',
    summary: 'What a request would cost',
    description: 'Takes the body of `POST /api/v1/tts`, makes nothing and charges nothing.',
    audience: 'key',
    limited: true,
    body: reference('SpeechRequest'),
    answer: { description: 'The estimate.', schema: reference('Estimate') },
    errors: ['invalid_speed', 'invalid_format', ...choosesVoice],
  },
  {
    method: 'get',
    path: '/api/v1/voices',
    id: 'listVoices',
    tag: 'Speech',
    summary: 'List voices',
    description:
      'Without a key the public list, which may be cached for a minute; with one the list of its account. Featured voices come first.',
    audience: 'everybody or a key',
    limited: true,
    parameters: [
      {
        name: 'group',
        in: 'query',
        description: 'For administrators only: id or name of a group, or `all`.',
        schema: { type: 'string' },
      },
    ],
    answer: { description: 'The voices, in order.', schema: reference('VoiceList'), headers: ['Vary'] },
    errors: ['group_forbidden', 'group_not_found'],
  },
  ...(['', 'demos/'] as const).flatMap((folder) => (['get', 'head'] as const).map((method) => audio(method, folder))),
]

function audio(method: 'get' | 'head', folder: '' | 'demos/'): Operation {
  const what = folder ? 'Demo' : 'Audio'
  return {
    method,
    path: `/audio/${folder}{name}`,
    id: `${method}${what}`,
    tag: 'Audio',
    summary: `${method === 'get' ? 'Get' : 'Look at'} ${folder ? 'the demo of a voice' : 'stored audio'}`,
    description:
      'Use the address from an answer: it may lead to another host. It never changes, can be cached for ever, and can be used from every web page.',
    audience: 'everybody',
    parameters: [
      {
        name: 'name',
        in: 'path',
        description: 'Name of the file.',
        required: true,
        schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{0,127}\\.(mp3|wav)$' },
      },
      {
        name: 'Range',
        in: 'header',
        description: 'One range of bytes; several at once are answered with the whole file.',
        schema: { type: 'string' },
      },
      { name: 'If-Range', in: 'header', description: 'An `ETag`.', schema: { type: 'string' } },
      { name: 'If-None-Match', in: 'header', description: 'One or more `ETag`s.', schema: { type: 'string' } },
    ],
    answer: {
      description: 'The file.',
      contentType: 'audio/*',
      schema: { description: 'mp3 or wav, as the name says.' },
      headers: ['ETag', 'Accept-Ranges'],
    },
    bare: {
      206: { description: 'The range.', headers: ['ETag', 'Content-Range'] },
      304: { description: 'It is what you have.', headers: ['ETag'] },
      416: { description: 'The range lies outside the file.', headers: ['Content-Range'] },
    },
    errors: folder
      ? ['not_found', 'rate_limited', 'synthesis_failed', 'synthesis_timeout', 'storage_failed']
      : ['not_found', 'storage_failed'],
  }
}

export const serviceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/v1/version',
    id: 'getVersion',
    tag: 'Service',
    summary: 'Version',
    audience: 'everybody',
    answer: { description: 'What runs here.', schema: reference('Version') },
  },
  {
    method: 'get',
    path: '/healthz',
    id: 'getHealth',
    tag: 'Service',
    summary: 'Whether the service answers',
    audience: 'everybody',
    answer: { description: 'It does.', schema: reference('Health') },
  },
  {
    method: 'get',
    path: '/readyz',
    id: 'getReadiness',
    tag: 'Service',
    summary: 'Whether the service takes requests',
    audience: 'everybody',
    answer: { description: 'It does.', schema: reference('Readiness') },
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'getDescription',
    tag: 'Service',
    summary: 'This description',
    audience: 'everybody',
    answer: { description: 'An OpenAPI 3.1 document.', schema: { ...object({}), additionalProperties: true } },
  },
  {
    method: 'get',
    path: '/docs',
    id: 'getDocs',
    tag: 'Service',
    summary: 'This description for people',
    audience: 'everybody',
    answer: { description: 'A web page.', contentType: 'text/html', schema: text('HTML.') },
  },
  {
    method: 'get',
    path: '/docs/{file}',
    id: 'getDocsFile',
    tag: 'Service',
    summary: 'Script and style of the page',
    audience: 'everybody',
    parameters: [
      { name: 'file', in: 'path', description: 'As the page names it.', required: true, schema: { type: 'string' } },
    ],
    answer: { description: 'The file.', contentType: '*/*', schema: { description: 'Script or style.' } },
    errors: ['not_found'],
  },
]
