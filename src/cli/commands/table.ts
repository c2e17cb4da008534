/** Every verb of the command line, in the order of the help. */
import type { AdministrativeVerb } from './administration'
import type { Command, Group } from './description'
import { audit, completions, doctor, help, licenses, say, version } from './general'
import { serve } from './serve'

/** Loaded on use: most verbs, and the start of the server, need none of these descriptions. */
const loadAdministration = () => require('./administration') as typeof import('./administration')

function administrative(verb: AdministrativeVerb, summary: string, defaultOperation?: string): Group {
  return {
    summary,
    ...(defaultOperation !== undefined && { defaultOperation }),
    get operations() {
      return loadAdministration().operationsOf(verb)
    },
  }
}

export const table = {
  serve,
  say,
  voices: administrative('voices', 'list the voices and packs; search, pull, change, remove one', 'list'),
  account: administrative('account', 'accounts and their balances'),
  key: administrative('key', 'API keys'),
  code: administrative('code', 'activation codes'),
  clone: administrative('clone', 'cloned voices and their recordings'),
  group: administrative('group', 'voice plans'),
  usage: administrative('usage', 'the history of requests; also as CSV', 'list'),
  audit,
  'audit-log': administrative('audit-log', 'the log of administrative operations', 'list'),
  doctor,
  licenses,
  completions,
  version,
  help,
} as const satisfies Readonly<Record<string, Command | Group>>

export type VerbName = keyof typeof table
export type GroupName = { [Name in VerbName]: (typeof table)[Name] extends Group ? Name : never }[VerbName]

export const verbs: Readonly<Record<string, Command | Group>> = table

export function findVerb(name: string): Command | Group | undefined {
  return Object.hasOwn(verbs, name) ? verbs[name] : undefined
}

export function isGroup(verb: Command | Group): verb is Group {
  return 'operations' in verb
}

export function findCommand({ operations }: Group, name: string): Command | undefined {
  return Object.hasOwn(operations, name) ? operations[name] : undefined
}

/** Every command with its words. */
export function listCommands(): { readonly words: string; readonly command: Command }[] {
  return Object.entries(verbs).flatMap(([verb, found]) =>
    isGroup(found)
      ? Object.entries(found.operations).map(([operation, command]) => ({ words: `${verb} ${operation}`, command }))
      : [{ words: verb, command: found }],
  )
}
