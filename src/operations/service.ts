/** Stored audio, pages and the state of the service: operations without a key. */
import type { Field, Fields, Operation } from './operation'
import { object, reference, text } from './schema'

const file: Field = {
  says: 'name of the file',
  schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{0,127}\\.(mp3|wav)$' },
}
const header = (says: string): Field => ({ says, schema: { type: 'string' } })
const conditions: Fields = {
  'If-None-Match': header('one or more `ETag`s'),
  'If-Modified-Since': header('a date'),
  'If-Match': header('one or more `ETag`s'),
  'If-Unmodified-Since': header('a date'),
}
const ranges: Fields = {
  Range: header('one range of bytes; several at once are answered with the whole file'),
  'If-Range': header('an `ETag` or a `Last-Modified`: the range counts only if it is that of the file'),
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
    schema: { description: 'mp3 or wav, as the name says.' },
    headers: ['ETag', 'Last-Modified', 'Accept-Ranges', ...crossOrigin],
  },
} as const
const whole = { 304: { description: 'It is what you have.', headers: ['ETag', ...crossOrigin] } } as const
const part = {
  206: { description: 'The range.', headers: ['ETag', 'Last-Modified', 'Content-Range', ...crossOrigin] },
} as const
const ofGet = { ...ofFile, headers: { ...ranges, ...conditions }, bare: { ...part, ...whole } } as const
const ofHead = { ...ofFile, headers: conditions, bare: whole } as const
const ofPreflight = {
  ...ofAudio,
  summary: 'What a page of another origin may do here',
  description: 'A CORS preflight, which browsers send by themselves.',
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
} as const
const headErrors = ['not_found', 'precondition_failed', 'storage_failed'] as const
const getErrors = [...headErrors, 'range_not_satisfiable'] as const
/** A demo may be made for the request. */
const demoErrors = ['rate_limited', 'synthesis_failed', 'synthesis_timeout'] as const

export const audioOperations = {
  getAudio: { ...ofGet, route: 'GET /audio/{name}', summary: 'Get stored audio', errors: getErrors },
  headAudio: { ...ofHead, route: 'HEAD /audio/{name}', summary: 'Look at stored audio', errors: headErrors },
  optionsAudio: { ...ofPreflight, route: 'OPTIONS /audio/{name}' },
  getDemo: {
    ...ofGet,
    route: 'GET /audio/demos/{name}',
    summary: 'Get the demo of a voice',
    errors: [...getErrors, ...demoErrors],
  },
  headDemo: {
    ...ofHead,
    route: 'HEAD /audio/demos/{name}',
    summary: 'Look at the demo of a voice',
    errors: [...headErrors, ...demoErrors],
  },
  optionsDemo: { ...ofPreflight, route: 'OPTIONS /audio/demos/{name}' },
} as const satisfies Readonly<Record<string, Operation>>

const ofService = { tag: 'Service', access: 'public' } as const
const html = { description: 'A web page.', contentType: 'text/html', schema: text('HTML.') }

export const serviceOperations = {
  getVersion: {
    ...ofService,
    route: 'GET /api/v1/version',
    summary: 'Version',
    answer: { description: 'What runs here.', schema: reference('Version') },
  },
  getHealth: {
    ...ofService,
    route: 'GET /healthz',
    summary: 'Whether the service answers',
    answer: { description: 'It does.', schema: reference('Health') },
  },
  getReadiness: {
    ...ofService,
    route: 'GET /readyz',
    summary: 'Whether the service takes requests',
    answer: { description: 'It does.', schema: reference('Readiness') },
  },
  getDescription: {
    ...ofService,
    route: 'GET /openapi.json',
    summary: 'This description',
    answer: { description: 'An OpenAPI 3.1 document.', schema: { ...object({}), additionalProperties: true } },
  },
  getHome: {
    ...ofService,
    route: 'GET /',
    summary: 'A page for people, with a first request',
    description: 'Only for browsers (`Accept: text/html`); programs find nothing here.',
    answer: html,
    errors: ['unknown_path'],
  },
  getDocs: { ...ofService, route: 'GET /docs', summary: 'This description for people', answer: html },
  getDocsFile: {
    ...ofService,
    route: 'GET /docs/{file}',
    summary: 'Script and style of the page',
    parameter: { says: 'as the page names it', schema: { type: 'string', minLength: 1 } },
    answer: { description: 'The file.', contentType: '*/*', schema: { description: 'Script or style.' } },
    errors: ['not_found'],
  },
} as const satisfies Readonly<Record<string, Operation>>
