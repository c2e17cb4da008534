/** The API description: an OpenAPI 3.1 document from the operations, the schemas and the errors. */
import type { ErrorCode } from '../../errors'
import { version } from '../../version'
import { operationList, sentence, type ListedOperation } from '../../operations/table'
import type { Access, Answer, Body, Field, Fields, HeaderName } from '../../operations/operation'
import { object, reference, type Schema } from '../../operations/schema'
import { dialectOf } from '../errors'
import { errorComponents, errorExamples, errorReferences, shownErrorCodes } from './errors'
import examples from './examples.json'
import { components } from './schemas'

const description = `Text to speech on your own machine.

Send \`Authorization: Bearer <API_KEY>\`. Pages of the server may use the cookie of a person's session instead. Every answer carries \`X-Request-Id\`. Every error has the same envelope; its
\`code\` is for programs, its \`message\` for people. An unknown path gets 404
\`invalid_request\`, an unknown method of a path 405 \`invalid_request\`. The codes of the OpenAI-style endpoints under
\`/v1\` are fewer: see each of them.

Later versions may add optional fields and endpoints to \`/api/v1\`, but never change a meaning.`

const tags = [
  { name: 'Speech', description: 'Text to audio.' },
  {
    name: 'OpenAI-style',
    description:
      'For clients of OpenAI: the same keys, balance and history under `/v1`. Errors have other codes there.',
  },
  { name: 'Cloned voices', description: 'Private voices from recordings.' },
  { name: 'Audio', description: 'Stored audio files.' },
  { name: 'Account', description: 'Balance and activation codes.' },
  { name: 'Usage', description: 'History of requests and charges.' },
  { name: 'People', description: 'Sessions of people, their passwords, and invitations.' },
  { name: 'Own keys', description: 'Requires the session of a person, or the key of an administrator.' },
  { name: 'Administration', description: 'Requires the key of an administrator.' },
  { name: 'Service', description: 'State and version of the service.' },
]

const headers = {
  'X-Request-Id': header('Id of the request, for reports.', '^[0-9a-f]{32}$'),
  'X-RateLimit-Limit': header('Allowed calls per minute; absent without a limit.', '^[0-9]+$'),
  'X-RateLimit-Remaining': header('Remaining calls.', '^[0-9]+$'),
  'X-RateLimit-Reset': header('Seconds until one more call is allowed.', '^[0-9]+$'),
  'Retry-After': header('Whole seconds to wait; a call after this time succeeds.', '^[1-9][0-9]*$'),
  'Idempotent-Replay': header('`true`: this is the answer to an earlier request.', '^true$'),
  'X-Units': header('Characters charged.', '^[0-9]+$'),
  'X-Remaining': header('The balance after the charge; absent when charging failed.', '^[0-9]+$'),
  Vary: header('`Authorization`, and `Origin` where other origins are allowed.'),
  'Set-Cookie': header('The cookie of the session, for browsers.'),
  Location: header('The address to go to.'),
  ETag: header('Entity tag of the file.'),
  'Last-Modified': header('Time when the file was made.'),
  'Accept-Ranges': header('`bytes`.'),
  'Content-Range': header('The range of these bytes; with 416 the size of the file.', '^bytes '),
  Allow: header('The methods of the path.'),
  'Access-Control-Allow-Origin': header('Pages of every origin may use the file.', '^\\*$'),
  'Access-Control-Allow-Methods': header('For a preflight.'),
  'Access-Control-Allow-Headers': header('For a preflight.'),
  'Access-Control-Expose-Headers': header('Headers that scripts of other origins may read.'),
  'Access-Control-Max-Age': header('Seconds for which a browser may cache the preflight.', '^[0-9]+$'),
}

function header(meaning: string, pattern?: string) {
  return { description: meaning, schema: { type: 'string', ...(pattern && { pattern }) } }
}

const ofKey: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'invalid_session',
  'api_key_revoked',
  'account_disabled',
  'rate_limited',
]
const byKey = [{ bearer: [] }, { session: [] }]
const byAccess: Record<Access, { errors: readonly ErrorCode[]; security: object[] }> = {
  public: { errors: [], security: [] },
  'sign-in': { errors: ['account_disabled', 'rate_limited'], security: [] },
  'optional key': { errors: ofKey, security: [{}, ...byKey] },
  key: { errors: ofKey, security: byKey },
  session: { errors: [...ofKey, 'permission_denied'], security: [{ session: [] }] },
  'own keys': { errors: [...ofKey, 'permission_denied'], security: byKey },
  administrator: { errors: [...ofKey, 'permission_denied'], security: byKey },
}
const ofBody: readonly ErrorCode[] = [
  'invalid_params',
  'body_too_slow',
  'body_too_fragmented',
  'payload_too_large',
  'unsupported_encoding',
]

function errorsOf({ access, method, parameter, errors = [] }: ListedOperation): ErrorCode[] {
  const hasBody = method === 'POST' || method === 'PATCH' || method === 'DELETE'
  const always: ErrorCode[] = ['internal_error', 'shutting_down']
  const unknownId: ErrorCode[] = access === 'administrator' && parameter ? ['not_found'] : []
  const foreignPage: ErrorCode[] = hasBody && access !== 'public' ? ['permission_denied'] : []
  return [...byAccess[access].errors, ...foreignPage, ...(hasBody ? ofBody : []), ...unknownId, ...errors, ...always]
}

function codesOnV1(): ErrorCode[] {
  return operationList.filter(({ path }) => dialectOf(path) === 'v1').flatMap(errorsOf)
}

/** `baseUrl`: the address of the service for clients. */
export function describeApi(baseUrl: string) {
  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {}
  for (const operation of operationList)
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describeOperation(operation)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sonant',
      version,
      description,
      license: { name: 'GNU General Public License v3.0 or later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    tags,
    paths,
    components: {
      schemas: { ...components, ...bodySchemas() },
      responses: Object.fromEntries(
        operationList.flatMap((operation) => errorComponents(errorsOf(operation), dialectOf(operation.path))),
      ),
      examples: { ...errorExamples('api', shownErrorCodes), ...errorExamples('v1', codesOnV1()) },
      headers,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, `sk-…`.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'sonant_session',
          description:
            'The session of a person; over https the name is `__Host-sonant_session`. Changes need the `Origin` of the server and a JSON body.',
        },
      },
    },
  }
}

function describeOperation(operation: ListedOperation) {
  const { id, tag, summary, access, limit, body, bare = {} } = operation
  const answer = answerOf(operation)
  const rateLimit = limit ? (['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const) : []
  const bareAnswers = Object.entries(bare).map(([status, { description, headers = [] }]) => {
    return [status, { description, headers: headerReferences(headers) }]
  })
  const parameters = parametersOf(operation)
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(operation.description && { description: operation.description }),
    security: byAccess[access].security,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: requestContent(id, body) } }),
    responses: {
      [operation.status ?? 200]: {
        description: answer.description,
        headers: headerReferences([...rateLimit, ...(answer.headers ?? [])]),
        ...(!hasNoBody(operation) && { content: answerContent(operation, answer) }),
      },
      ...Object.fromEntries(bareAnswers),
      ...errorReferences(errorsOf(operation), dialectOf(operation.path)),
    },
  }
}

function hasNoBody({ method, status }: ListedOperation): boolean {
  return method === 'HEAD' || method === 'OPTIONS' || status === 302
}

function answerOf({ answer, status }: ListedOperation): Answer {
  if (typeof answer !== 'string') return answer
  return { description: status === 202 ? 'The work runs or waits.' : 'Done.', schema: reference(answer) }
}

function parametersOf({ path, parameter, query = {}, headers = {} }: ListedOperation) {
  const name = /\{(\w+)\}/.exec(path)?.[1]
  return [
    ...(name && parameter ? [describeParameter('path', name, { ...parameter, isRequired: true })] : []),
    ...Object.entries(query).map(([each, field]) => describeParameter('query', each, field)),
    ...Object.entries(headers).map(([each, field]) => describeParameter('header', each, field)),
  ]
}

function describeParameter(place: 'path' | 'query' | 'header', name: string, field: Field) {
  const { description, ...schema } = schemaOf(field)
  return { name, in: place, description, ...(field.isRequired && { required: true }), schema }
}

/** The schemas of the bodies whose fields stand in the table of operations. */
function bodySchemas(): Record<string, Schema> {
  const bodies = operationList.flatMap(({ body }) =>
    body?.name !== undefined && body.fields ? [[body.name, objectOf(body.fields)] as const] : [],
  )
  return Object.fromEntries(bodies)
}

function objectOf(fields: Fields): Schema {
  const optional = Object.keys(fields).filter((name) => !fields[name]!.isRequired)
  return object(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)])), {
    optional,
  })
}

function schemaOf({ says, schema, fields }: Field): Schema {
  return { description: sentence(says), ...(fields && objectOf(fields)), ...schema }
}

function requestContent(id: string, { name, form }: Body) {
  return {
    ...(name !== undefined && content('application/json', reference(name), requestsOf(id))),
    ...(form && content('multipart/form-data', reference(form), {})),
  }
}

function answerContent(
  { id, moreExamples = [] }: ListedOperation,
  { contentType = 'application/json', schema }: Answer,
) {
  const given = [id, ...moreExamples].flatMap((name) => {
    const example = exampleOf(name)
    return example && 'answer' in example ? [[name, { value: example.answer }] as const] : []
  })
  return content(contentType, schema, Object.fromEntries(given))
}

function requestsOf(id: string) {
  const example = exampleOf(id)
  return example?.request ? { [id]: { value: example.request } } : {}
}

type Example = { readonly request?: unknown; readonly answer?: unknown }

/** Examples are recorded answers of the service. An administrator's own keys share the examples of all keys. */
function exampleOf(id: string): Example | undefined {
  const known: Record<string, Example> = examples
  return known[id] ?? known[id.replace('Own', '')]
}

function content(contentType: string, schema: object, named: Record<string, { value: unknown }>) {
  return { [contentType]: { schema, ...(Object.keys(named).length > 0 && { examples: named }) } }
}

function headerReferences(names: readonly (HeaderName | `X-RateLimit-${string}`)[]) {
  const all = ['X-Request-Id', ...names]
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
