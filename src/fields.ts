/**
 * Reads single fields of a parsed JSON body, a query or a seed file. Every error names the field, the value found and
 * the values allowed. `undefined` means that the field is missing; null is refused.
 */
import { AppError } from './errors'

export type Fields = Readonly<Record<string, unknown>>

/** Whether a parsed JSON value is an object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a field has a value; null and '' count as omitted. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** Describes a JSON value for an error message. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  return typeof value === 'object' ? 'an object' : String(value)
}

/** Makes an error about one field: `name: found …; … is required.` */
export function refuse(name: string, value: unknown, allowed: string): AppError {
  return new AppError('invalid_params', `${name}: found ${describe(value)}; ${allowed}.`, { param: name })
}

type TextRules = { readonly charactersMax: number }

/** Reads a text and trims it. It must have 1 to `charactersMax` code points and no control characters. */
export function readText(fields: Fields, name: string, rules: TextRules): string {
  const text = optionalText(fields, name, rules)
  if (text === undefined)
    throw refuse(name, undefined, `a string of 1 to ${rules.charactersMax} characters is required`)
  return text
}

export function optionalText(fields: Fields, name: string, { charactersMax }: TextRules): string | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  const text = typeof value === 'string' ? value.trim() : ''
  if (text === '' || [...text].length > charactersMax || !text.isWellFormed() || controlCharacters.test(text))
    throw refuse(name, value, `a string of 1 to ${charactersMax} characters without control characters is required`)
  return text
}

const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}]/u

type Range = { readonly min: number; readonly max: number }

export function readInteger(fields: Fields, name: string, range: Range): number {
  const value = optionalInteger(fields, name, range)
  if (value === undefined) throw refuse(name, undefined, `a whole number from ${range.min} to ${range.max} is required`)
  return value
}

export function optionalInteger(fields: Fields, name: string, { min, max }: Range): number | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw refuse(name, value, `a whole number from ${min} to ${max} is allowed`)
  return value
}

export function optionalBoolean(fields: Fields, name: string): boolean | undefined {
  const value = fields[name]
  if (value === undefined || typeof value === 'boolean') return value
  throw refuse(name, value, 'true or false is allowed')
}

export function optionalOneOf<T extends string>(fields: Fields, name: string, allowed: readonly T[]): T | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  const found = allowed.find((one) => one === value)
  if (found === undefined) throw refuse(name, value, `${allowed.join(' or ')} is allowed`)
  return found
}

/**
 * Reads an ISO 8601 date (its midnight) or date and time as milliseconds since 1970. Without an offset the time is UTC.
 * Digits of the fraction beyond milliseconds, as Python and Go write them, are dropped.
 */
export function optionalInstant(fields: Fields, name: string): number | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  const match = typeof value === 'string' ? instantPattern.exec(value) : null
  const timeMs = match && isDay(match[1]!) ? Date.parse(match[2] && !match[3] ? `${value}Z` : match[0]) : Number.NaN
  if (Number.isNaN(timeMs)) throw refuse(name, value, 'an ISO 8601 time such as 2026-01-31T12:00:00Z is allowed')
  return timeMs
}

const instantPattern = /^(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/

/** Rejects days that do not exist: `Date.parse` reads the 30th of February as the 2nd of March. */
function isDay(date: string): boolean {
  const timeMs = Date.parse(date)
  return !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(date)
}

/** Reads an array of at most `itemsMax` strings. The caller checks the strings themselves. */
export function optionalTexts(fields: Fields, name: string, itemsMax: number): string[] | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  if (!Array.isArray(value) || value.length > itemsMax || !value.every((item) => typeof item === 'string'))
    throw refuse(name, value, `an array of at most ${itemsMax} strings is allowed`)
  return value as string[]
}

/** Converts the fields `names` of a query or of flags from text to numbers where they read as whole numbers. */
export function withNumbers(fields: Fields, names: readonly string[]): Fields {
  const numbers = names.filter((name) => typeof fields[name] === 'string' && /^-?\d{1,16}$/.test(fields[name]))
  return { ...fields, ...Object.fromEntries(numbers.map((name) => [name, Number(fields[name])])) }
}
