/** The command line: finds the verb, and turns what went wrong into one line and an exit code. */
import { ConfigError } from '../config'
import { AppError } from '../errors'
import { asksForHelp, UsageError } from './flags'

type Verb = {
  readonly summary: string
  /** Has a help of its own. */
  readonly explainsItself?: true
  run(args: string[]): Promise<void>
}

const verbs: Record<string, Verb> = {
  serve: { summary: 'start the service', run: async (args) => (await import('./serve')).serve(args) },
  say: { summary: 'speak a text into a file; needs no server', run: async (args) => (await import('./say')).say(args) },
  voices: {
    summary: 'list the voices and packs; search, pull, change, remove one',
    explainsItself: true,
    run: voices,
  },
  account: administration('account', 'accounts and their balances'),
  key: administration('key', 'API keys'),
  code: administration('code', 'activation codes'),
  clone: administration('clone', 'cloned voices and their recordings'),
  group: administration('group', 'voice plans'),
  usage: administration('usage', 'the history of requests; also as CSV'),
  audit: {
    summary: 'check that the books balance',
    run: async (args) => (await import('./audit')).auditBooks(args),
  },
  'audit-log': administration('audit-log', 'what administrators did'),
  doctor: {
    summary: 'try what this machine has, and say what does not work',
    run: async (args) => (await import('./doctor')).examineMachine(args),
  },
  version: { summary: 'print the version', run: async (args) => (await import('./version')).printVersion(args) },
  help: { summary: 'print this', run: async () => void console.log(helpText()) },
}

function administration(verb: string, summary: string): Verb {
  return { summary, explainsItself: true, run: async (args) => (await import('./administer')).administer(verb, args) }
}

async function voices(args: string[]): Promise<void> {
  const [first, ...rest] = args
  if (first === 'search' && !asksForHelp(args)) return (await import('./hub')).searchHub(rest)
  if (first === 'pull' && !asksForHelp(args)) return (await import('./hub')).pullFromHub(rest)
  if (asksForHelp(args) || (first !== undefined && first !== 'list' && !first.startsWith('-')))
    return (await import('./administer')).administer('voices', args)
  await (await import('./voices')).printVoices(first === 'list' ? rest : args)
}

const exitUsage = 2
const exitFailure = 1

export async function runCli(args: string[]): Promise<void> {
  const [name = 'help', ...rest] = args
  const verb = verbs[name === '--help' || name === '-h' ? 'help' : name === '--version' ? 'version' : name]
  try {
    if (!verb) throw new UsageError(`there is no verb "${name}"; sonant help lists those there are`)
    await (asksForHelp(rest) && !verb.explainsItself ? verbs.help! : verb).run(rest)
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
  const lines = Object.entries(verbs).map(([name, { summary }]) => `  ${name.padEnd(11)}${summary}`)
  return `sonant: text to speech in one executable

Usage: sonant <verb> [flags]

${lines.join('\n')}

serve  [--host HOST] [--port N] [--data DIR] [--base-url URL] [--storage-url URL] [--workers N]
       [--limit-tts N] [--limit-clone N] [--limit-voices N] [--limit-account N]   calls per minute; 0: any number
       [--clones-max N]   of one account
       [--trusted-proxy CIDR,…] [--clone-url-allow HOST:PORT]…   addresses to clone from though they are not public
       [--tls-cert FILE --tls-key FILE] [--mp3-sample-rate HZ] [--min-free-bytes N]
       [--app-slug NAME] [--app-name NAME] [--hub URL] [--log-level LEVEL]
       [--provider auto|cpu|webgpu|cuda|coreml|dml] [--ort-library FILE] [--gpu-devices N,…]   for neural voices
       [--model-memory-bytes N] [--model-idle-seconds N] [--batch-max N]
serve --ephemeral   in a temporary directory, for tests
       [--api-key KEY] [--admin-key KEY] [--balance N] [--seed FILE] and the flags above, without --data
say    TEXT [-o FILE] [--voice ID] [--speed 0.5…2.0] [--format mp3|wav]

voices, clone, account, key, code, group, usage and audit-log have acts: sonant account --help lists them.
Every verb takes --data DIR (default ./data) and --json. Flags win over the environment (SONANT_PORT, …), which wins
over sonant.toml in the data directory.`
}
