/** Speech, voices, stored audio, and the service itself, as operations of the API description. */
import { object, reference, text, type Operation, type Parameter } from './model'
import { faultParameter } from './parameters'

const choosesVoice = ['voice_not_found', 'voice_disabled', 'voice_not_allowed'] as const

type Folder = '' | 'demos/'
const whatIn = (folder: Folder) => (folder ? 'Demo' : 'Audio')
const fileParameter: Parameter = {
  name: 'name',
  in: 'path',
  description: 'Name of the file.',
  required: true,
  schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{0,127}\\.(mp3|wav)$' },
}
const condition = (name: string, description: string): Parameter => {
  return { name, in: 'header', description, schema: { type: 'string' } }
}
const crossOrigin = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'] as const

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
  ...(['', 'demos/'] as const).flatMap((folder) => [audio('get', folder), audio('head', folder), preflight(folder)]),
]

function audio(method: 'get' | 'head', folder: Folder): Operation {
  const ranges = [
    condition('Range', 'One range of bytes; several at once are answered with the whole file.'),
    condition('If-Range', 'An `ETag` or a `Last-Modified`: the range counts only if it is that of the file.'),
  ]
  return {
    method,
    path: `/audio/${folder}{name}`,
    id: `${method}${whatIn(folder)}`,
    tag: 'Audio',
    summary: `${method === 'get' ? 'Get' : 'Look at'} ${folder ? 'the demo of a voice' : 'stored audio'}`,
    description:
      'Use the address from an answer: it may lead to another host. It never changes, can be cached for ever, and can be used from every web page.',
    audience: 'everybody',
    parameters: [
      fileParameter,
      ...(method === 'get' ? ranges : []),
      condition('If-None-Match', 'One or more `ETag`s.'),
      condition('If-Modified-Since', 'A date.'),
      condition('If-Match', 'One or more `ETag`s.'),
      condition('If-Unmodified-Since', 'A date.'),
    ],
    answer: {
      description: 'The file.',
      contentType: 'audio/*',
      schema: { description: 'mp3 or wav, as the name says.' },
      headers: ['ETag', 'Last-Modified', 'Accept-Ranges', ...crossOrigin],
    },
    bare: {
      ...(method === 'get' && {
        206: { description: 'The range.', headers: ['ETag', 'Last-Modified', 'Content-Range', ...crossOrigin] },
      }),
      304: { description: 'It is what you have.', headers: ['ETag', ...crossOrigin] },
    },
    errors: [
      'not_found',
      'precondition_failed',
      ...(method === 'get' ? (['range_not_satisfiable'] as const) : []),
      'storage_failed',
      ...(folder ? (['rate_limited', 'synthesis_failed', 'synthesis_timeout'] as const) : []),
    ],
  }
}

function preflight(folder: Folder): Operation {
  return {
    method: 'options',
    path: `/audio/${folder}{name}`,
    id: `options${whatIn(folder)}`,
    tag: 'Audio',
    summary: 'What a page of another origin may do here',
    description: 'A CORS preflight, which browsers send by themselves.',
    audience: 'everybody',
    parameters: [fileParameter],
    status: 204,
    answer: {
      description: 'Read it.',
      schema: {},
      headers: [
        ...crossOrigin,
        'Access-Control-Allow-Methods',
        'Access-Control-Allow-Headers',
        'Access-Control-Max-Age',
        'Allow',
      ],
    },
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
    path: '/',
    id: 'getHome',
    tag: 'Service',
    summary: 'A page for people, with a first request',
    description: 'Only for browsers (`Accept: text/html`); programs find nothing here.',
    audience: 'everybody',
    answer: { description: 'A web page.', contentType: 'text/html', schema: text('HTML.') },
    errors: ['unknown_path'],
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
      {
        name: 'file',
        in: 'path',
        description: 'As the page names it.',
        required: true,
        schema: { type: 'string', minLength: 1 },
      },
    ],
    answer: { description: 'The file.', contentType: '*/*', schema: { description: 'Script or style.' } },
    errors: ['not_found'],
  },
]
