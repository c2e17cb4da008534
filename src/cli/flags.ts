/** Parses the arguments of a command by its description, with one-line errors. */
import { parseArgs } from 'node:util'
import { commonFlags, type Command, type Flag, type Flags, type Values } from './commands/description'

/** Loaded only after a mistake, to keep the start fast. */
export const loadSuggest = () => require('../suggest') as typeof import('../suggest')

/** A mistake on the command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

type Common = typeof commonFlags
type Parsed<C extends Command> = {
  readonly values: Values<Common & C['flags']>
  readonly positionals: readonly string[]
}

/** `words`: the words of the command, for messages. Throws `UsageError`. */
export function readFlags<C extends Command>(words: string, command: C, args: readonly string[]): Parsed<C> {
  const flags: Flags = { ...commonFlags, ...command.flags }
  const { tokens } = parseArgs({
    args: joinNegativeNumbers(args),
    options: optionsOf(flags),
    strict: false,
    tokens: true,
  })
  const values: Record<string, string | true | string[]> = {}
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
    if (!flag) throw unknownFlag(words, rawName, flags)
    const checked = checkValue(rawName, flag, value, inlineValue)
    if (flag.isRepeatable) ((values[name] ??= []) as string[]).push(checked as string)
    else values[name] = checked
  }
  checkArguments(words, command, positionals)
  const missing = Object.keys(flags).find((name) => flags[name]!.isRequired && values[name] === undefined)
  if (missing) throw new UsageError(`${words} needs --${missing} ${flags[missing]!.takes}`)
  return { values: values as Parsed<C>['values'], positionals }
}

function optionsOf(flags: Flags) {
  return Object.fromEntries(
    Object.entries(flags).map(([name, { takes, short }]) => {
      const type = takes === undefined ? ('boolean' as const) : ('string' as const)
      return [name, { type, ...(short !== undefined && { short }) }]
    }),
  )
}

function checkValue(
  rawName: string,
  { takes }: Flag,
  value: string | undefined,
  isInline: boolean | undefined,
): string | true {
  if (takes === undefined) {
    if (value === undefined) return true
    throw new UsageError(`${rawName} takes no value; found "${value}"`)
  }
  if (value === undefined) throw new UsageError(`${rawName} needs a value: ${rawName} ${takes}`)
  // `-o -` is valid; `--voice --speed 2` lacks a value.
  if (!isInline && value.length > 1 && value.startsWith('-'))
    throw new UsageError(
      `${rawName} needs a value, found "${value}"; write ${rawName}=${value} for a value with a leading dash`,
    )
  return value
}

function unknownFlag(words: string, rawName: string, flags: Flags): UsageError {
  const meant = rawName.startsWith('--')
    ? loadSuggest().didYouMean(rawName.slice(2), Object.keys(flags), { prefix: '--' })
    : `; words that begin with "-" go behind "--"`
  return new UsageError(`${words} has no flag ${rawName}${meant || `; sonant help ${words} lists its flags`}`)
}

function checkArguments(words: string, { argument }: Command, positionals: readonly string[]): void {
  const max = argument ? (argument.max ?? 1) : 0
  if (positionals.length > max)
    throw new UsageError(`${words}: unexpected "${positionals[max]}"; see sonant help ${words}`)
  if (argument?.isRequired && !positionals[0]) {
    const a = /^[AEIOU]/.test(argument.takes) ? 'an' : 'a'
    throw new UsageError(`${words} needs ${a} ${argument.takes}; see sonant help ${words}`)
  }
}

/** Rewrites `--units -5` to `--units=-5`, the only form that `parseArgs` accepts. */
function joinNegativeNumbers(args: readonly string[]): string[] {
  const joined: string[] = []
  for (const [i, arg] of args.entries()) {
    if (arg === '--') return [...joined, ...args.slice(i)]
    const previous = joined.at(-1)
    if (/^-\d/.test(arg) && previous && /^--[a-z-]+$/.test(previous)) joined[joined.length - 1] = `${previous}=${arg}`
    else joined.push(arg)
  }
  return joined
}

/** Whether a help flag stands before `--`; everything after it is text. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? undefined : end).some((arg) => arg === '--help' || arg === '-h')
}
