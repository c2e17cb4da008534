/** The commands of the administrative operations, from the table of operations: flags come from the fields. */
import { onlyAccount, onlyKey, period } from '../../operations/fields'
import type { Fields } from '../../operations/operation'
import { operationList, type ListedOperation } from '../../operations/table'
import type { Command, Flag, Flags, Group } from './description'

/** Settings of the server that addresses of files depend on. */
const addresses = {
  'base-url': { takes: 'URL', says: "the server's setting" },
  'storage-url': { takes: 'URL', says: "the server's setting" },
} as const satisfies Flags

/** The commands of a verb by their acts, in the order of the table. */
export function actsOf(verb: string): Readonly<Record<string, Command>> {
  const acts = operationList.flatMap((operation) => {
    const [first, act] = operation.command?.words.split(' ') ?? []
    return first === verb ? [[act!, commandOf(operation)] as const] : []
  })
  return Object.fromEntries(acts)
}

function commandOf({ summary, parameter, query, body, command }: ListedOperation): Command {
  const { idFlag, showsAddresses, examples, summary: own } = command!
  return {
    summary: own ?? `${summary[0]!.toLowerCase()}${summary.slice(1)}`,
    ...(parameter && !idFlag && { argument: { takes: parameter.takes!, isRequired: true } }),
    flags: {
      ...idFlagOf(idFlag),
      ...flagsOf(query),
      ...flagsOf(body?.fields),
      ...(showsAddresses && addresses),
    },
    examples,
  }
}

function idFlagOf(idFlag: Fields = {}): Flags {
  const flags = Object.entries(flagsOf(idFlag)).map(([name, flag]) => [name, { ...flag, isId: true }])
  return Object.fromEntries(flags)
}

function flagsOf(fields: Fields = {}, path = ''): Flags {
  const flags = Object.entries(fields).flatMap(([name, field]): [string, Flag][] => {
    if (field.fields) return Object.entries(flagsOf(field.fields, `${name}.`))
    const { flag = name.replaceAll('_', '-'), takes, says, isRequired } = field
    return [[flag, { takes: takes!, says, ...(isRequired && { isRequired }), field: path + name }]]
  })
  return Object.fromEntries(flags)
}

export const accountVerb: Group = { summary: 'accounts and their balances', acts: actsOf('account') }
export const keyVerb: Group = { summary: 'API keys', acts: actsOf('key') }
export const codeVerb: Group = { summary: 'activation codes', acts: actsOf('code') }
export const groupVerb: Group = { summary: 'voice plans', acts: actsOf('group') }
export const cloneVerb: Group = { summary: 'cloned voices and their recordings', acts: actsOf('clone') }
export const auditLogVerb: Group = {
  summary: 'the log of administrative acts',
  defaultAct: 'list',
  acts: actsOf('audit-log'),
}
export const usageVerb: Group = {
  summary: 'the history of requests; also as CSV',
  defaultAct: 'list',
  acts: {
    ...actsOf('usage'),
    export: {
      summary: 'export all requests as CSV',
      flags: { ...flagsOf({ ...onlyAccount, ...onlyKey, ...period }), ...addresses },
      examples: ['sonant usage export > usage.csv', 'sonant usage export --from 2026-11-01 --to 2026-12-01'],
    },
  },
}
