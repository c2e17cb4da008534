/**
 * Rules for strings, as patterns and formats of the API description. Every string that they allow passes the checks in
 * `fields.ts` and in the routes. They exclude a few strings that would pass too, such as a name with a trailing line
 * break.
 */
import type { Schema } from './schema'

/** A character class of a regular expression, without shorthand classes, which differ between engines. */
const whiteSpace = String.raw`\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`
const control = String.raw`\u0000-\u001f\u007f-\u009f\u2028\u2029`

const lineWithout = (forbidden: string) => `^[^${forbidden}]*[^${forbidden}${whiteSpace}][^${forbidden}]*$`

/** Contains more than white space. */
export const spokenPattern = `[^${whiteSpace}]`
/** One line: not blank, no control characters. */
export const linePattern = lineWithout(control)
/** As `linePattern`, or blank. */
export const optionalLinePattern = `^[^${control}]*$`
export const cloneNamePattern = lineWithout(String.raw`\\/:*?"<>|${control}`)
export const emailPattern = `^[^@${control}${whiteSpace}]+@[^@${control}${whiteSpace}]+$`
export const languagePattern = '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$'
export const urlPattern = '^[hH][tT][tT][pP][sS]?://'
export const cursorPattern = '^[A-Za-z0-9_-]+$'
/** Generated ids, such as those of accounts and keys. */
export const idPattern = '^[0-9A-Za-z_-]{1,64}$'
export const voiceIdPattern = '^[a-z0-9][a-z0-9._-]{0,63}$'
/** Names of uploaded packs; letters of other scripts are allowed too. It excludes the endings of temporary files. */
export const uploadNamePattern = '^[A-Za-z0-9_][A-Za-z0-9_+-]*$'
/** Crockford base32, as typed by people. */
export const codePattern = '^([0-9A-TV-Za-tv-z]{4}[ -]?){4}$'

/** A date, meaning its midnight in UTC, or a date and time. */
export const time: Schema<number> = { anyOf: ['date', 'date-time'].map((format) => ({ type: 'string', format })) }
