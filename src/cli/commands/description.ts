/**
 * The description of a command: words, flags and examples as plain data. Parsing, help, completions and
 * `docs/commands.md` come from it. It imports no code of the commands, so help starts fast.
 */

import type { Kind } from '../../operations/operation'

export type Flag = {
  /** Absent for a switch. */
  readonly takes?: Kind
  readonly says: string
  /** A value for derived examples. */
  readonly example?: string
  /** One letter. */
  readonly short?: string
  readonly isRequired?: true
  readonly isRepeatable?: true
  /** The field of the operation that it sets; a field of an object with a dot. */
  readonly field?: string
  /** Whether it names the object of the operation, as an argument does. */
  readonly isId?: true
}

export type Flags = Readonly<Record<string, Flag>>

export type Command = {
  readonly summary: string
  /** Paragraphs below the summary. */
  readonly details?: string
  readonly argument?: {
    readonly takes: Kind
    readonly isRequired?: true
    /** Maximum count; one by default. */
    readonly max?: number
  }
  readonly flags: Flags
  readonly examples: readonly [string, string, ...string[]]
}

/** A verb with operations. */
export type Group = {
  readonly summary: string
  /** The operation that runs without a name; without one the verb shows its help. */
  readonly defaultOperation?: string
  readonly operations: Readonly<Record<string, Command>>
}

/** Flags of every command. */
export const commonFlags = {
  data: { takes: 'DIR', says: 'the data directory (default ./data, or SONANT_DATA)' },
  json: { says: 'answer in JSON, on one line' },
} as const satisfies Flags

/** The type that `readFlags` returns for these flags. */
export type Values<F extends Flags> = {
  readonly [Name in keyof F]?: F[Name] extends { takes: Kind }
    ? F[Name] extends { isRepeatable: true }
      ? readonly string[]
      : string
    : boolean
}

/** The words of a kind with choices; undefined for any other kind. */
export function choicesOf(kind: Kind): readonly string[] | undefined {
  const words = kind.split('|')
  return words.length > 1 && words.every((word) => /^[a-z][a-z0-9]*$/.test(word)) ? words : undefined
}
