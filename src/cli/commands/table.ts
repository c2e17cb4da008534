/** Every verb of the command line, in the order of the help. */
import { accountVerb, auditLogVerb, cloneVerb, codeVerb, groupVerb, keyVerb, usageVerb } from './administration'
import type { Command, Group } from './description'
import { audit, completions, doctor, help, say, version } from './general'
import { serve } from './serve'
import { voices } from './voices'

export const table = {
  serve,
  say,
  voices,
  account: accountVerb,
  key: keyVerb,
  code: codeVerb,
  clone: cloneVerb,
  group: groupVerb,
  usage: usageVerb,
  audit,
  'audit-log': auditLogVerb,
  doctor,
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
  return 'acts' in verb
}

export function findAct({ acts }: Group, name: string): Command | undefined {
  return Object.hasOwn(acts, name) ? acts[name] : undefined
}

/** Every command with its words. */
export function listCommands(): { readonly words: string; readonly command: Command }[] {
  return Object.entries(verbs).flatMap(([verb, found]) =>
    isGroup(found)
      ? Object.entries(found.acts).map(([act, command]) => ({ words: `${verb} ${act}`, command }))
      : [{ words: verb, command: found }],
  )
}
