/** Stored audio, pages and the state of the service: operations without a key. */
import { operation } from './entry'
import { conditions, ranges } from './file-headers'
import type { Field } from './operation'
import { object, reference, text } from './schema'

const file: Field = {
  says: 'name of the file',
  schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{0,127}\\.(mp3|wav|opus|flac|aac)$' },
}
const crossOrigin = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'] as const
const ofAudio = {
  mount: '/audio/*',
  tag: 'Audio',
  access: 'public',
  deadline: 'demo',
  isCrossOrigin: true,
  parameter: file,
} as const
const ofFile = {
  ...ofAudio,
  description:
    'Use the address from an answer: it may lead to another host. It never changes, can be cached for ever, and can be used from every web page.',
  answer: {
    description: 'The file.',
    contentType: 'audio/*',
    schema: { description: 'mp3, wav, opus (in Ogg), flac or aac (ADTS), by the extension of the name.' },
    headers: ['ETag', 'Last-Modified', 'Accept-Ranges', ...crossOrigin],
  },
} as const
const whole = { 304: { description: 'The cached file is current.', headers: ['ETag', ...crossOrigin] } } as const
const part = {
  206: { description: 'The range.', headers: ['ETag', 'Last-Modified', 'Content-Range', ...crossOrigin] },
} as const
const ofGet = { ...ofFile, headers: { ...ranges, ...conditions }, bare: { ...part, ...whole } } as const
const ofHead = { ...ofFile, headers: conditions, bare: whole } as const
const preflightSummary = 'Permissions of pages of other origins'
const ofPreflight = {
  ...ofAudio,
  description: 'A CORS preflight, which browsers send on their own.',
  status: 204,
  answer: {
    description: 'The permissions are in the headers.',
    schema: {},
    headers: [
      ...crossOrigin,
      'Access-Control-Allow-Methods',
      'Access-Control-Allow-Headers',
      'Access-Control-Max-Age',
      'Allow',
    ],
  },
} as const
const headErrors = ['not_found', 'gone', 'precondition_failed', 'storage_failed'] as const
const getErrors = [...headErrors, 'range_not_satisfiable'] as const
/** A demo may be made for the request. */
const demoErrors = ['rate_limited', 'synthesis_failed', 'synthesis_timeout'] as const

export const audioOperations = {
  getAudio: operation('GET /audio/{name}', 'Get stored audio', { ...ofGet, errors: getErrors }),
  headAudio: operation('HEAD /audio/{name}', 'Get the headers of stored audio', { ...ofHead, errors: headErrors }),
  optionsAudio: operation('OPTIONS /audio/{name}', preflightSummary, ofPreflight),
  getDemo: operation('GET /audio/demos/{name}', 'Get the demo of a voice', {
    ...ofGet,
    errors: [...getErrors, ...demoErrors],
  }),
  headDemo: operation('HEAD /audio/demos/{name}', 'Get the headers of the demo of a voice', {
    ...ofHead,
    errors: [...headErrors, ...demoErrors],
  }),
  optionsDemo: operation('OPTIONS /audio/demos/{name}', preflightSummary, ofPreflight),
}

const ofService = { tag: 'Service', access: 'public' } as const
const html = { description: 'A web page.', contentType: 'text/html', schema: text('HTML.') }

export const serviceOperations = {
  getVersion: operation('GET /api/v1/version', 'Version', {
    ...ofService,
    answer: { description: 'The version of the service.', schema: reference('Version') },
  }),
  getHealth: operation('GET /healthz', 'Check that the service answers', {
    ...ofService,
    answer: { description: 'The service answers.', schema: reference('Health') },
  }),
  getReadiness: operation('GET /readyz', 'Check that the service accepts requests', {
    ...ofService,
    answer: { description: 'The service accepts requests.', schema: reference('Readiness') },
  }),
  getDescription: operation('GET /openapi.json', 'This description', {
    ...ofService,
    answer: { description: 'An OpenAPI 3.1 document.', schema: { ...object({}), additionalProperties: true } },
  }),
  getHome: operation('GET /', 'Leads browsers to the console', {
    ...ofService,
    description: 'Only for browsers (`Accept: text/html`); programs get 404.',
    status: 302,
    answer: { description: 'The address of the console.', schema: {}, headers: ['Location'] },
    errors: ['unknown_path'],
  }),
  getConsole: operation('GET /console', 'The console', { ...ofService, answer: html }),
  getConsoleFile: operation('GET /console/{path}', 'A page of the console, or its script or style', {
    ...ofService,
    parameter: { says: 'the path of the page, or the name of the file', schema: { type: 'string' } },
    answer: {
      description: 'The page or the file.',
      contentType: '*/*',
      schema: { description: 'Page, script or style.' },
    },
    errors: ['not_found'],
  }),
  getDocs: operation('GET /docs', 'This description for people', { ...ofService, answer: html }),
  getDocsFile: operation('GET /docs/{file}', 'Script and style of the page', {
    ...ofService,
    parameter: { says: 'the name in the page', schema: { type: 'string', minLength: 1 } },
    answer: { description: 'The file.', contentType: '*/*', schema: { description: 'Script or style.' } },
    errors: ['not_found'],
  }),
}
