/** The API description of a running server, and a validator of answers. */
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'

/** JSON Schema 2020-12; tests check it themselves. */
export type Schema = Record<string, any>
type Content = Record<string, { schema: Schema; examples?: Record<string, { $ref?: string; value?: unknown }> }>
type Answer = { $ref?: string; headers?: Record<string, unknown>; content?: Content }
export type Parameter = { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema }
export type Operation = {
  operationId: string
  security: object[]
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, Answer>
}
export type Description = {
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Answer>
    examples: Record<string, { value: unknown }>
  }
}

export type Described = Awaited<ReturnType<typeof readDescription>>

export async function readDescription(baseUrl: string) {
  const description = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Description
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema(strict(description) as object, 'description')

  /** The violation in `value`, or null. `pointer`: the path of a schema in the description. */
  function faultsOf(value: unknown, pointer: readonly string[]) {
    const path = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    const validate = ajv.getSchema(`description#/${path.join('/')}`)
    if (!validate) throw new Error(`no schema at ${pointer.join(' ')}`)
    return validate(value) ? null : validate.errors!
  }

  /** The description of the answer with that status; undefined without one. */
  function answerAt(path: string, method: string, status: string): { answer: Answer; pointer: string[] } | undefined {
    const answer = description.paths[path]?.[method]?.responses[status]
    if (!answer?.$ref) return answer && { answer, pointer: ['paths', path, method, 'responses', status] }
    const name = answer.$ref.split('/').at(-1)!
    return { answer: description.components.responses[name]!, pointer: ['components', 'responses', name] }
  }

  return {
    description,
    faultsOf,
    answerAt,
    operations: () =>
      Object.entries(description.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
      ),

    /** The violations of an answer, one per line: status, body, headers. `content`: the parsed body. */
    faultsOfAnswer(path: string, method: string, { status, headers }: Response, content: string): string[] {
      const found = answerAt(path, method, String(status))
      if (!found) return [`the status ${status} is not described: ${content.slice(0, 200)}`]
      const { answer, pointer } = found
      const [type] = headers.get('content-type')?.split(';') ?? []
      const isJson = answer.content?.['application/json'] !== undefined || type === 'application/json'
      const hasBody = method !== 'head'
      const faults =
        isJson && hasBody ? faultsOf(parse(content), [...pointer, 'content', 'application/json', 'schema']) : null
      const ofHeaders = Object.keys(answer.headers ?? {}).filter((name) => {
        const value = headers.get(name)
        if (value === null) return !/^(X-RateLimit-.*|Idempotent-Replay|X-Remaining|Retry-After)$/.test(name)
        return faultsOf(value, ['components', 'headers', name, 'schema']) !== null
      })
      return [
        ...(faults ? [`${JSON.stringify(faults)} of ${content.slice(0, 300)}`] : []),
        ...ofHeaders.map((name) => `the header ${name} is ${headers.get(name)}`),
      ]
    },
  }
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

/** The same schema with closed objects, so that an undescribed field is an error. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, strict(part)]))
  const isObject = [copy.type].flat().includes('object') && copy.properties !== undefined
  return isObject && copy.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy
}
