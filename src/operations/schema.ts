/** JSON Schema 2020-12 as the API description uses it, and short ways to write it. */

declare const value: unique symbol

/** `Value`: what `readFields` makes of a valid value; only the compiler knows it. */
export type Schema<Value = unknown> = {
  readonly [value]?: Value
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

/** A whole number from `minimum` to `maximum`. */
export const whole = (minimum: number, maximum: number, rules: Omit<Schema<number>, 'type'> = {}): Schema<number> => {
  return { type: 'integer', minimum, maximum, ...rules }
}
export const oneOf = <Word extends string>(words: readonly Word[]): Schema<Word> => ({ type: 'string', enum: words })
export const text = (description: string, rules: Rules = {}): Schema => ({ type: 'string', description, ...rules })
export const integer = (description: string, rules: Rules = {}): Schema => ({ type: 'integer', description, ...rules })
export const number = (description: string, rules: Rules = {}): Schema => ({ type: 'number', description, ...rules })
export const boolean = (description: string): Schema<boolean> => ({ type: 'boolean', description })
export const instant = (description: string): Schema => text(description, { format: 'date-time' })
export const list = (items: Schema, rules: Rules = {}): Schema => ({ type: 'array', items, ...rules })

export function orNull<Value>(schema: Schema<Value>): Schema<Value | null> {
  if (schema.anyOf) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  return { ...schema, type: [schema.type as string, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) }
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
