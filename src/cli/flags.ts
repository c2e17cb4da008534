/** Reads a verb's flags with `node:util`, and says in one line what is wrong with them. */
import { parseArgs, type ParseArgsConfig } from 'node:util'

/** The command line was not understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What every verb takes, whether it needs it or not. */
export const commonFlags = { data: { type: 'string' }, json: { type: 'boolean' } } as const

/** Throws `UsageError`. */
export function readFlags<T extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: T,
  { positionals = 0 }: { positionals?: number } = {},
) {
  try {
    const parsed = parseArgs({
      args: joinNegativeNumbers(args),
      options,
      allowPositionals: positionals > 0,
      strict: true,
    })
    if (parsed.positionals.length > positionals)
      throw new Error(`Unexpected argument "${parsed.positionals[positionals]}"`)
    return parsed
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** `--units -5` means `--units=-5`, which is all that `parseArgs` takes. */
function joinNegativeNumbers(args: string[]): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const previous = joined.at(-1)
    if (/^-\d/.test(arg) && previous && /^--[a-z-]+$/.test(previous)) joined[joined.length - 1] = `${previous}=${arg}`
    else joined.push(arg)
  }
  return joined
}

export function asksForHelp(args: string[]): boolean {
  return args.some((arg) => arg === '--help' || arg === '-h')
}
