/** The command line: finds the verb, and turns what went wrong into one line and an exit code. */
import { ConfigError } from '../config'
import { AppError } from '../errors'
import { UsageError } from './flags'

type Verb = { readonly summary: string; run(args: string[]): Promise<void> }

const verbs: Record<string, Verb> = {
  serve: { summary: 'start the service', run: async (args) => (await import('./serve')).serve(args) },
  say: { summary: 'speak a text into a file; needs no server', run: async (args) => (await import('./say')).say(args) },
  voices: { summary: 'list the voices', run: async (args) => (await import('./voices')).listVoices(args) },
  version: { summary: 'print the version', run: async (args) => (await import('./version')).printVersion(args) },
  help: { summary: 'print this', run: async () => void console.log(helpText()) },
}

const exitUsage = 2
const exitFailure = 1

export async function runCli(args: string[]): Promise<void> {
  const [name = 'help', ...rest] = args
  const verb = verbs[name === '--help' || name === '-h' ? 'help' : name === '--version' ? 'version' : name]
  try {
    if (!verb) throw new UsageError(`there is no verb "${name}"; sonant help lists those there are`)
    await verb.run(rest)
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigError) fail(error.message, exitUsage)
    if (error instanceof AppError || isSystemError(error)) fail((error as Error).message, exitFailure)
    throw error
  }
}

function fail(message: string, exitCode: number): never {
  console.error(`sonant: ${message}`)
  process.exit(exitCode)
}

/** No such directory, no permission, address in use: the system's own words say it best. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string'
}

function helpText(): string {
  const lines = Object.entries(verbs).map(([name, { summary }]) => `  ${name.padEnd(9)}${summary}`)
  return `sonant: text to speech in one executable

Usage: sonant <verb> [flags]

${lines.join('\n')}

serve  [--host HOST] [--port N] [--data DIR] [--base-url URL] [--storage-url URL] [--workers N]
       [--tls-cert FILE --tls-key FILE] [--mp3-sample-rate HZ] [--min-free-bytes N] [--log-level LEVEL]
say    TEXT [-o FILE] [--voice ID] [--speed 0.5…2.0] [--format mp3|wav]
voices [--json]

Flags win over the environment (SONANT_PORT, …), which wins over sonant.toml in the data directory.`
}
