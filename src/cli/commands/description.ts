/**
 * What a command is: its words, flags and examples, once, as plain data. Parsing, help, completions and
 * `docs/commands.md` are all made from it. No code of the commands themselves is imported here, so help loads nothing.
 */

/** What a flag or an argument takes, as the help shows it. After `|none`, the word `none` clears the value. */
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
  /** One of those words. */
  | `${string}|${string}`

export type Flag = {
  /** Absent: a switch. */
  readonly takes?: Kind
  readonly says: string
  /** One letter. */
  readonly short?: string
  readonly isRequired?: true
  readonly isRepeatable?: true
}

export type Flags = Readonly<Record<string, Flag>>

export type Command = {
  readonly summary: string
  /** Paragraphs below the summary. */
  readonly details?: string
  readonly argument?: {
    readonly takes: Kind
    readonly isRequired?: true
    /** How many of them; absent: one. */
    readonly max?: number
  }
  readonly flags: Flags
  readonly examples: readonly [string, string, ...string[]]
}

/** A verb with acts. */
export type Group = {
  readonly summary: string
  /** What the verb does when no act is named; absent: it shows its help. */
  readonly defaultAct?: string
  readonly acts: Readonly<Record<string, Command>>
}

/** What every command takes, whether it needs it or not. */
export const commonFlags = {
  data: { takes: 'DIR', says: 'the data directory (default ./data, or SONANT_DATA)' },
  json: { says: 'answer in JSON, on one line' },
} as const satisfies Flags

/** What `readFlags` returns for these flags. */
export type Values<F extends Flags> = {
  readonly [Name in keyof F]?: F[Name] extends { takes: Kind }
    ? F[Name] extends { isRepeatable: true }
      ? readonly string[]
      : string
    : boolean
}

/** The words that a kind is a choice of; undefined for one that takes anything. */
export function choicesOf(kind: Kind): readonly string[] | undefined {
  const words = kind.split('|')
  return words.length > 1 && words.every((word) => /^[a-z][a-z0-9]*$/.test(word)) ? words : undefined
}
