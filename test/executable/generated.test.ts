/**
 * 200 requests for every operation, generated from the API description: allowed requests are not refused, and every
 * answer matches its description.
 */
import { afterAll, beforeAll, expect, it } from 'bun:test'
import fc from 'fast-check'
import { readDescription, type Described, type Operation, type Parameter, type Schema } from './description'
import { seed, seeded } from '../random'
import { startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'

const requestsPerOperation = 200
/** Parallel requests. */
const concurrency = 8

let sonant: EphemeralSonant
let described: Described
/** The account of people, and the cookie of a session. */
let accountId = ''
let cookie = ''
/** Accounts and keys that the test itself needs. */
const ownIds = new Set<string>()
beforeAll(async () => {
  sonant = await startEphemeral({ flags: ['--balance', '100000000', '--hub', 'http://127.0.0.1:1', '--workers', '1'] })
  described = await readDescription(sonant.baseUrl)
  // Most requests name no voice, and the default one takes the longest.
  await sonant.admin('/voices/en-kevin', { method: 'PATCH', body: { featured: true } })
  for (const key of [sonant.apiKey, sonant.adminKey]) {
    const { key: own } = (await (await sonant.request('/api/v1/account', { key })).json()) as { key: Schema }
    ownIds.add(own.id).add(own.account_id)
  }
  accountId = (await sonant.admin('/accounts', { body: { name: 'People' } })).id
  ownIds.add(accountId)
})
afterAll(() => stopAndRemove(sonant))

/** Signs in as a new person. */
async function signInAnew(): Promise<void> {
  const { url } = await sonant.admin(`/accounts/${accountId}/invitations`, { method: 'POST' })
  const email = `${crypto.randomUUID()}@example.org`
  const joined = await fetch(`${sonant.baseUrl}/api/v1/invitations/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: url.split('#')[1], email, password: 'x'.repeat(8), name: 'Ada' }),
  })
  cookie = joined.headers.getSetCookie()[0]!.split(';')[0]!
}

/**
 * Conditions beyond a description: whether an id, code or cursor exists, whether a time is past, the content of an
 * address or file. A 400 for one of these is no contradiction.
 */
const onlyTheServerKnows =
  'model cursor group voices provider code expires_at language url file token current_password'.split(' ')

/** Values that make requests succeed more often, or faster: by name of a field, parameter or header. */
const likely: Record<string, fc.Arbitrary<unknown>> = {
  text: fc.constantFrom('Hi.', '你好。', 'a', '…', '3,5', 'Ой', '\u{1f600}', 'x y', '\u00a0.'),
  voice_id: fc.constantFrom('en-ross', 'zh-mei', 'de-karl', null, ''),
  model: fc.constantFrom('tts-1', 'gpt-4o-mini-tts', 'flite'),
  voice: fc.constantFrom('en-kevin', 'zh-mei', 'alloy', { id: 'echo' }, null, ''),
  voices: fc.constantFrom([], ['en-ross'], ['zh-mei', 'en-clara']),
  group: fc.constantFrom('all', null),
  language: fc.constantFrom('en', 'zh-CN'),
  count: fc.constantFrom(1, 2),
  url: fc.constantFrom('http://localhost/', 'http://10.0.0.1/a.wav', 'https://127.1/'),
  expires_at: fc.constantFrom('2999-01-01', '2999-01-01T00:00:00.123456Z', null),
  'X-Sonant-Fault': fc.constantFrom('storage_failed', 'charge_failed', 'latency=1', 'synthesis_failed, latency=1'),
}
/** Only these values: other allowed ones take long, or contact another host. */
const onlyLikely = ['count', 'url', 'X-Sonant-Fault']

/** A valid value by the keywords in use. `name`: the name of the field. */
function valueOf(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  const usual = likely[name]
  if (usual && onlyLikely.includes(name)) return usual
  const allowed = anyOf(schema)
  return usual ? fc.oneof(usual, allowed) : allowed
}

function anyOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref) return anyOf(described.description.components.schemas[schema.$ref.split('/').at(-1)]!)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(anyOf))
  return fc.oneof(...[schema.type].flat().map((type) => ofType(type, schema)))
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  const { minimum: min, maximum: max } = schema
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc
        .oneof(fc.constantFrom(min ?? 0, max ?? 1), fc.maxSafeInteger(), fc.integer({ min: -2, max: 300 }))
        .filter((value) => value >= (min ?? -Infinity) && value <= (max ?? Infinity) && value !== schema.not?.const)
    case 'number':
      return fc.oneof(fc.constantFrom(min, max), fc.double({ min, max, noNaN: true }))
    case 'array':
      return fc.uniqueArray(valueOf(schema.items), { maxLength: 3 })
    case 'object':
      return objectOf(schema)
    case 'string':
      return textOf(schema)
  }
  throw new Error(`no values of type ${type}`)
}

function objectOf({ properties, required = [], oneOf = [] }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries<Schema>(properties).map(([name, part]) => [name, valueOf(part, name)]),
  )
  const alternatives: string[] = oneOf.flatMap((one: Schema) => one.required)
  const others = Object.keys(fields).filter((name) => !alternatives.includes(name))
  const choices = alternatives.length > 0 ? alternatives.map((name) => [...others, name]) : [others]
  return fc.oneof(
    ...choices.map((names) => {
      const requiredKeys = names.filter((name) => required.includes(name) || alternatives.includes(name))
      return fc.record(Object.fromEntries(names.map((name) => [name, fields[name]!])), { requiredKeys })
    }),
  )
}

function textOf({ format, pattern, minLength = 0, maxLength = Infinity, not }: Schema): fc.Arbitrary<unknown> {
  const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  if (format === 'date') return date.map((day) => day.toISOString().slice(0, 10))
  if (format === 'date-time')
    return fc
      .tuple(date, fc.constantFrom('Z', '+00:00', '-23:59', '+05:30'), fc.constantFrom('', '.5', '.123456789'))
      .map(([day, zone, fraction]) => day.toISOString().slice(0, 19) + fraction + zone)
  if (format === 'binary') return fc.uint8Array({ maxLength: 50 }).map((bytes) => new Blob([bytes]))
  if (format === 'uuid') return fc.uuid()
  const texts = pattern
    ? fc.stringMatching(new RegExp(pattern, 'u'))
    : fc.string({ minLength, maxLength: Math.min(60, maxLength) })
  return texts.filter((text) => {
    const length = [...text].length
    return length >= minLength && length <= maxLength && !(not && new RegExp(not.pattern, 'u').test(text))
  })
}

type Generated = {
  readonly path: readonly number[]
  readonly query: Record<string, unknown>
  readonly headers: Record<string, unknown>
  readonly body: { readonly type: string; readonly value: unknown } | undefined
}

function requestOf({ operationId, parameters = [], requestBody }: Operation): fc.Arbitrary<Generated> {
  const given = (place: Parameter['in']) => {
    const all = parameters.filter((parameter) => parameter.in === place)
    const values = all.map(({ name, schema }) => [name, valueOf(schema, place === 'header' ? name : '')] as const)
    const requiredKeys = all.filter(({ required }) => required).map(({ name }) => name)
    return fc.record(Object.fromEntries(values), { requiredKeys }) as fc.Arbitrary<Record<string, unknown>>
  }
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
    valueOf(schema).map((value) => ({ type, value })),
  )
  const body = bodies.length > 0 ? fc.oneof(...bodies) : fc.constant(undefined)
  // Other texts have tests of their own; here they would take minutes.
  const texts: Record<string, string> = { speak: 'text', createSpeech: 'input' }
  const name = texts[operationId]
  const briefly = fc.tuple(body, likely.text!).map(([given, text]) => {
    return given && { ...given, value: { ...(given.value as Schema), [name!]: text } }
  })
  return fc.record({
    path: fc.array(fc.nat(), { minLength: 2, maxLength: 2 }),
    query: given('query'),
    headers: given('header'),
    body: name === undefined ? body : briefly,
  })
}

/** Ids and names from answers, by the path segment before them. */
const known = new Map<string, string[]>()

function learn(kind: string, value: unknown): void {
  if (typeof value !== 'string' || ownIds.has(value)) return
  const values = known.get(kind) ?? []
  if (values.length < 100) known.set(kind, [...values, value])
}

/** Fills the parameters of the path: mostly with existing ids, else with an unknown one. */
function pathOf(template: string, picks: readonly number[]): string {
  let at = 0
  return template.replace(/\{\w+\}/g, (_, offset: number) => {
    const pick = picks[at++]!
    const values = known.get(kindBefore(template.slice(0, offset))) ?? []
    const value = pick % 4 > 0 ? values[pick % Math.max(1, values.length)] : undefined
    return encodeURIComponent(value ?? `none-${pick}${template.startsWith('/audio/') ? '.mp3' : ''}`)
  })
}

const kindBefore = (path: string) =>
  path
    .split('/')
    .filter((part) => part && !part.startsWith('{'))
    .at(-1)!

function learnFrom(template: string, content: string): void {
  if (!content.startsWith('{')) return
  const { id, items, url, voices, request_id: requestId } = JSON.parse(content) as Schema
  const kind = kindBefore(template)
  for (const item of [{ id }, ...(items ?? [])]) learn(kind, item.id ?? item.name)
  if (url) learn('audio', url.split('/').at(-1))
  if (requestId) learn('usage', requestId)
  if (known.get('demos') === undefined && voices?.[0]?.demo_url) learn('demos', voices[0].demo_url.split('/').at(-1))
}

const isOfSession = ({ security }: Operation) => security.length > 0 && security.every((scheme) => 'session' in scheme)

async function send(template: string, method: string, operation: Operation, request: Generated): Promise<string[]> {
  const query = new URLSearchParams(Object.entries(request.query).map(([name, value]) => [name, String(value)]))
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value).trim()]))
  if (isOfSession(operation)) headers.set('cookie', cookie)
  else if (operation.security.length > 0) headers.set('authorization', `Bearer ${sonant.adminKey}`)
  if (request.body?.type === 'application/json') headers.set('content-type', 'application/json')
  headers.set('origin', sonant.baseUrl)
  const { body } = request
  const path = pathOf(template, request.path)
  const response = await fetch(`${sonant.baseUrl}${path}?${query}`, {
    method: method.toUpperCase(),
    headers,
    body: body && (body.type === 'multipart/form-data' ? formOf(body.value as Schema) : JSON.stringify(body.value)),
  })
  const content = await response.text()
  if (response.ok) learnFrom(template, content)
  const faults = described.faultsOfAnswer(template, method, response, content)
  const refused = response.status === 400 ? (JSON.parse(content) as Schema).error : undefined
  // A description can always require a non-empty value.
  const isSayable = refused && (!onlyTheServerKnows.includes(refused.param) || / ""[;.]/.test(refused.message))
  return [...faults, ...(isSayable ? [`refused although it is described: ${refused.message}`] : [])].map(
    (fault) => `${method} ${path}?${query} ${JSON.stringify([[...headers], body])}: ${fault}`,
  )
}

function formOf(fields: Schema): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

it(`described requests are allowed, and every answer is as described (${seeded})`, async () => {
  const faults: string[] = []
  for (const { path, method, operation } of described.operations()) {
    // Some operations end the session; their later requests find it ended.
    if (isOfSession(operation)) await signInAnew()
    const requests = fc.sample(requestOf(operation), { seed, numRuns: requestsPerOperation })
    const found: string[] = []
    const sendRest = async () => {
      for (let request = requests.pop(); request; request = requests.pop())
        found.push(...(await send(path, method, operation, request)))
    }
    await Promise.all(Array.from({ length: concurrency }, sendRest))
    faults.push(...found.slice(0, 3))
  }
  expect(faults).toEqual([])
}, 300_000)
