/** Reads the fields of a request by the rules of their entries in the table of operations. */
import {
  isFields,
  optionalBoolean,
  optionalInstant,
  optionalInteger,
  optionalOneOf,
  optionalText,
  readInteger,
  readText,
  refuse,
  type Fields as Given,
} from '../fields'
import { AppError } from '../errors'
import type { Field, Fields } from './operation'
import { emailPattern } from './rules'
import type { Schema } from './schema'

type ValueOf<Entry> = Entry extends { readonly fields: infer Inner extends Fields }
  ? FieldValues<Inner> | null
  : Entry extends { readonly schema: Schema<infer Value> }
    ? Value
    : never

/** Values by the names of their fields. Times are milliseconds since 1970; a missing field is `undefined`. */
export type FieldValues<Entries extends Fields> = {
  readonly [Name in keyof Entries]:
    ValueOf<Entries[Name]> | (Entries[Name] extends { readonly isRequired: true } ? never : undefined)
}

/**
 * Reads the fields that `entries` describe and ignores others. Texts are trimmed, and have no control characters; other
 * patterns are left to the caller. Throws `invalid_params` for the first field that breaks its rules.
 */
export function readFields<const Entries extends Fields>(given: Given, entries: Entries): FieldValues<Entries> {
  const values = Object.entries(entries).map(([name, entry]) => [name, readField(given, name, entry)])
  return Object.fromEntries(values) as FieldValues<Entries>
}

function readField(given: Given, name: string, { schema, fields, isRequired }: Field): unknown {
  const found = given[name]
  if (found === null && isNullable(schema)) return null
  const value = fields ? readInner(given, name, fields) : readValue(given, name, schema, isRequired === true)
  if (value !== undefined && isExcluded(value, schema)) throw refuse(name, found, 'any other value is allowed')
  return value
}

function isNullable({ type, anyOf }: Schema): boolean {
  return anyOf ? anyOf.some(isNullable) : type === 'null' || (Array.isArray(type) && type.includes('null'))
}

function isExcluded(value: unknown, { not }: Schema): boolean {
  if (!not) return false
  return not.pattern === undefined ? value === not.const : new RegExp(not.pattern).test(String(value))
}

function readValue(given: Given, name: string, schema: Schema, isRequired: boolean): unknown {
  if (schema.enum)
    return optionalOneOf(
      given,
      name,
      schema.enum.filter((word) => typeof word === 'string'),
    )
  if (schema.anyOf) return optionalInstant(given, name)
  const type = [schema.type].flat()[0]
  if (type === 'boolean') return optionalBoolean(given, name)
  if (type === 'integer')
    return (isRequired ? readInteger : optionalInteger)(given, name, { min: schema.minimum!, max: schema.maximum! })
  return (isRequired ? readText : optionalText)(given, name, { charactersMax: schema.maxLength! })
}

/** Errors name the outer field as their parameter, and the inner one in the message. */
function readInner(given: Given, name: string, entries: Fields): unknown {
  const found = given[name]
  if (found === undefined) return undefined
  if (!isFields(found)) throw refuse(name, found, 'an object is allowed')
  try {
    return readFields(found, entries)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError(error.code, `${name}.${error.message}`, { param: name })
  }
}

/** Refuses an `email` that is no e-mail address; null is none. */
export function checkEmail(email: string | null): void {
  if (email !== null && !new RegExp(emailPattern).test(email))
    throw refuse('email', email, 'an e-mail address is allowed')
}
