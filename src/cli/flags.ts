/** Reads a verb's flags with `node:util`, and says in one line what is wrong with them. */
import { parseArgs, type ParseArgsConfig } from 'node:util'

/** The command line was not understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Throws `UsageError`. */
export function readFlags<T extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: T,
  { positionals = 0 }: { positionals?: number } = {},
) {
  try {
    const parsed = parseArgs({ args, options, allowPositionals: positionals > 0, strict: true })
    if (parsed.positionals.length > positionals)
      throw new Error(`Unexpected argument "${parsed.positionals[positionals]}"`)
    return parsed
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
