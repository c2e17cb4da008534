/**
 * The form of an entry in the table of operations. The HTTP routes, the API description, the command line and the tests
 * of every operation are made from it.
 */
import type { TimedOperation } from '../config'
import type { ErrorCode } from '../errors'
import type { Schema } from './schema'

/** The type of a flag's or argument's value, as shown in the help. With `|none`, the word `none` clears the value. */
export type Kind =
  | 'ID'
  | 'ID|none'
  | 'ID,ID,…|none'
  | 'TEXT'
  | 'TEXT|none'
  | 'N'
  | 'N|none'
  | 'N,N,…'
  | 'TIME'
  | 'TIME|none'
  | 'FILE'
  | 'DIR'
  | 'URL'
  | 'HOST'
  | 'HOST:PORT'
  | 'CIDR,…'
  | 'KEY'
  | 'HZ'
  | 'NAME'
  | 'VOICE'
  | 'WORD'
  | 'TOPIC'
  | 'SPEED'
  /** One of these words. */
  | `${string}|${string}`

/** A value that a request carries: in its path, its query, its headers or its JSON body. */
export type Field<Value = unknown> = {
  /** On the command line; absent for fields that have no flag. */
  readonly takes?: Kind
  /** Describes the value, as in the help of the command line. */
  readonly says: string
  /** The rules of the value. Its description, if any, replaces `says` in the API description. */
  readonly schema: Schema<Value>
  readonly isRequired?: true
  /** A value for the examples of commands. */
  readonly example?: string
  /** The name of the flag; by default that of the field, with hyphens. */
  readonly flag?: string
  /** The fields of an object. Each has a flag of its own. */
  readonly fields?: Fields
}

export type Fields = Readonly<Record<string, Field>>

/**
 * Allowed callers: any client; any client that signs in; any client, with more in the answer for a key; a key; a session
 * only; a session or an administrator's key; an administrator's key. The session of a person counts as a key of the
 * account.
 */
export type Access = 'public' | 'sign-in' | 'optional key' | 'key' | 'session' | 'own keys' | 'administrator'

/** The rate limits, each with its own window. */
export type RateLimit =
  | 'tts'
  | 'clone'
  | 'cloneDeletion'
  | 'precheck'
  | 'voices'
  | 'balance'
  | 'usage'
  | 'account'
  | 'estimate'
  | 'activation'
  | 'keys'

export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PATCH' | 'DELETE'

/** Headers of answers besides `X-Request-Id`, which every answer has. */
export type HeaderName =
  | 'Idempotent-Replay'
  | 'X-Units'
  | 'X-Remaining'
  | 'ETag'
  | 'Last-Modified'
  | 'Accept-Ranges'
  | 'Content-Range'
  | 'Vary'
  | 'Set-Cookie'
  | 'Location'
  | 'Allow'
  | `Access-Control-${'Allow-Origin' | 'Allow-Methods' | 'Allow-Headers' | 'Expose-Headers' | 'Max-Age'}`

/** The answer to a successful request. */
export type Answer = {
  readonly description: string
  readonly contentType?: string
  readonly schema: Schema
  readonly headers?: readonly HeaderName[]
}

export type Body = {
  /** The name of its schema in the API description; absent where only a form is taken. */
  readonly name?: string
  /** Its fields; without them the API description defines the schema itself. */
  readonly fields?: Fields
  /** The name of the schema of the same body as a form (multipart/form-data). The handler then reads the body. */
  readonly form?: string
}

/** The command of an administrative operation. */
export type OperationCommand = {
  /** The verb and the word of the operation. */
  readonly words: `${string} ${string}`
  /** Default: the summary of the operation. */
  readonly summary?: string
  /** A flag that names the object of the path, in place of the command's argument. */
  readonly idFlag?: Readonly<Record<string, Field>>
  /** Whether addresses of files are shown, which depend on settings of the server. */
  readonly showsAddresses?: true
  /** Whether it cannot be undone: the command then needs `--yes`. */
  readonly isFinal?: true
  /** Columns of a table; JSON has all fields. */
  readonly columns?: readonly string[]
  /** The name of a secret that is shown only once. */
  readonly secret?: string
  /** Default: the words with the example of their argument, once plain and once with a common flag. */
  readonly examples?: readonly [string, string, ...string[]]
}

export type Operation = {
  readonly route: `${Method} /${string}`
  /** The path of the router, where it differs: one route may serve several paths. */
  readonly mount?: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  /** Calls are counted against this limit. */
  readonly limit?: RateLimit
  /** The deadline; by default that of short operations. */
  readonly deadline?: TimedOperation
  /** The parameter of the path. */
  readonly parameter?: Field
  readonly query?: Fields
  readonly headers?: Fields
  readonly body?: Body
  /** Whether the handler answers HEAD itself, without the work of the body. Other GET routes answer it as GET. */
  readonly answersHead?: true
  /** Whether pages of every origin may use it. */
  readonly isCrossOrigin?: true
  /** Whether it needs the voices of installed packs. */
  readonly usesVoices?: true
  /** Status of the answer; 200 by default. */
  readonly status?: 202 | 204 | 302
  /** The answer, or the name of its schema. */
  readonly answer: string | Answer
  /** Further examples of the answer, by their id. */
  readonly moreExamples?: readonly string[]
  /** Statuses without a JSON body. */
  readonly bare?: Readonly<Record<string, { description: string; headers?: readonly HeaderName[] }>>
  /** Errors besides those that access, limit and method imply. */
  readonly errors?: readonly ErrorCode[]
  readonly command?: OperationCommand
}
