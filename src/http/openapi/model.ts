/** The subset of OpenAPI 3.1 in use, and short ways to write schemas (JSON Schema 2020-12). */
import type { ErrorCode } from '../../errors'

export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly not?: Schema
  readonly uniqueItems?: boolean
  readonly propertyNames?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
}

export type Parameter = {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly description: string
  readonly required?: boolean
  readonly schema: Schema
}

/** The answer to a successful request. */
export type Answer = {
  readonly description: string
  readonly contentType?: string
  readonly schema: Schema
  readonly headers?: readonly HeaderName[]
}

/** Headers of answers besides `X-Request-Id`, which every answer has. */
export type HeaderName =
  | 'Idempotent-Replay'
  | 'ETag'
  | 'Last-Modified'
  | 'Accept-Ranges'
  | 'Content-Range'
  | 'Vary'
  | 'Allow'
  | `Access-Control-${'Allow-Origin' | 'Allow-Methods' | 'Allow-Headers' | 'Expose-Headers' | 'Max-Age'}`

/** Who may call: any client; any client, with more in the answer for a key; a key; an administrator's key. */
export type Audience = 'everybody' | 'everybody or a key' | 'key' | 'administrator'

export type Operation = {
  readonly method: 'get' | 'head' | 'options' | 'post' | 'patch' | 'delete'
  readonly path: string
  /** Unique; identifies the example. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly audience: Audience
  /** Whether a rate limit applies. */
  readonly limited?: boolean
  readonly parameters?: readonly Parameter[]
  readonly body?: Schema
  /** The same body as a form (multipart/form-data). */
  readonly form?: Schema
  /** Status of the answer; 200 by default. */
  readonly status?: 202 | 204
  readonly answer: Answer
  /** Further examples of the answer, by their id. */
  readonly moreExamples?: readonly string[]
  /** Statuses without a JSON body. */
  readonly bare?: Readonly<Record<string, { description: string; headers?: readonly HeaderName[] }>>
  /** Errors besides those implied by the audience and the method. */
  readonly errors?: readonly ErrorCode[]
}

type Rules = Omit<Schema, 'type' | 'description'>

export const text = (description: string, rules: Rules = {}): Schema => ({ type: 'string', description, ...rules })
export const integer = (description: string, rules: Rules = {}): Schema => ({ type: 'integer', description, ...rules })
export const number = (description: string, rules: Rules = {}): Schema => ({ type: 'number', description, ...rules })
export const boolean = (description: string, rules: Rules = {}): Schema => ({ type: 'boolean', description, ...rules })
export const instant = (description: string): Schema => text(description, { format: 'date-time' })
export const list = (items: Schema, rules: Rules = {}): Schema => ({ type: 'array', items, ...rules })

export function orNull(schema: Schema): Schema {
  if (schema.anyOf) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  return { ...schema, type: [schema.type as string, 'null'] }
}

/** All properties are required except those in `optional`. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  {
    optional = [],
    ...rules
  }: Pick<Schema, 'description' | 'oneOf' | 'propertyNames'> & { optional?: readonly string[] } = {},
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', ...rules, properties, ...(required.length > 0 && { required }) }
}

/** A body without required fields. */
export function changes(properties: Readonly<Record<string, Schema>>): Schema {
  return object(properties, { optional: Object.keys(properties) })
}

export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}
