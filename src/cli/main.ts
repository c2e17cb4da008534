/** The command line: finds and runs the command, shows its help, and ends failures with a message and an exit code. */
import { findCommand, findVerb, isGroup, verbs, type GroupName, type VerbName } from './commands/table'
import type { Group } from './commands/description'
import { fail } from './failures'
import { asksForHelp, loadSuggest, UsageError } from './flags'

type Run = (args: string[]) => Promise<void>
/** `operation`: an operation of the verb. */
type RunOperation = (operation: string, args: string[]) => Promise<void>

const administration =
  (verb: string): RunOperation =>
  async (operation, args) =>
    (await import('./administer')).administer(verb, operation, args)

type Runs = { readonly [Name in Exclude<VerbName, GroupName>]: Run } & { readonly [Name in GroupName]: RunOperation }

const runs: Runs = {
  serve: async (args) => (await import('./serve')).serve(args),
  say: async (args) => (await import('./say')).say(args),
  voices: async (operation, args) => {
    if (operation === 'list') return (await import('./voices')).printVoices(args)
    if (operation === 'search') return (await import('./hub')).searchHub(args)
    if (operation === 'pull') return (await import('./hub')).pullFromHub(args)
    return administration('voices')(operation, args)
  },
  account: administration('account'),
  key: administration('key'),
  code: administration('code'),
  clone: administration('clone'),
  group: administration('group'),
  usage: administration('usage'),
  audit: async (args) => (await import('./audit')).auditLedger(args),
  'audit-log': administration('audit-log'),
  doctor: async (args) => (await import('./doctor')).diagnoseMachine(args),
  licenses: async (args) => (await import('./licenses')).printLicenses(args),
  completions: async (args) => (await import('./completions')).printCompletions(args),
  version: async (args) => (await import('./version')).printVersion(args),
  help: async (args) => (await import('./help')).explain(args),
}

/** For completion scripts only; the help does not list it. */
const completeVerb = '__complete'

export async function runCli(args: string[]): Promise<void> {
  const [given = 'help', ...rest] = args
  // The server logs uncaught errors and continues; see `serve.ts`.
  if (given !== 'serve') process.on('uncaughtException', fail)
  try {
    if (given === completeVerb) return await (await import('./completions')).complete(rest)
    await run(given === '--help' || given === '-h' ? 'help' : given === '--version' ? 'version' : given, rest)
  } catch (error) {
    fail(error)
  }
}

async function run(name: string, args: string[]): Promise<void> {
  const verb = findVerb(name)
  if (!verb) throw unknownVerb(name)
  if (isGroup(verb)) return runGroup(name as GroupName, verb, args)
  if (asksForHelp(args) && name !== 'help') return explain(name)
  await (runs[name as VerbName] as Run)(args)
}

function unknownVerb(name: string): UsageError {
  const meant = loadSuggest().didYouMean(name, Object.keys(verbs))
  return new UsageError(`there is no verb "${name}"${meant || '; sonant help lists all verbs'}`)
}

async function runGroup(name: GroupName, group: Group, args: string[]): Promise<void> {
  const [first, ...rest] = args
  const isOperation = first !== undefined && !first.startsWith('-')
  const operation = isOperation ? first : group.defaultOperation
  if (isOperation && !findCommand(group, first)) throw (await import('./help')).unknownOperation(name, group, first)
  if (asksForHelp(args)) return explain(name, isOperation ? first : undefined)
  if (operation === undefined && args.length === 0) return explain(name)
  if (operation === undefined)
    throw new UsageError(`${name} needs an operation before ${first}; sonant help ${name} lists them`)
  await runs[name](operation, isOperation ? rest : args)
}

async function explain(verb: string, operation?: string): Promise<void> {
  const { helpFor } = await import('./help')
  await (await import('./print')).write([helpFor(verb, operation)])
}
