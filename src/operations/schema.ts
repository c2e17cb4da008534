/** JSON Schema 2020-12 as the API description uses it, and short ways to write it. */

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

export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}
