/** The commands of the administrative operations, from the table of operations: flags come from the fields. */
import type { Fields } from '../../operations/operation'
import { operationList, type ListedOperation } from '../../operations/table'
import type { Command, Flag, Flags } from './description'
import { voicesOperations } from './voices'

/** Settings of the server that addresses of files depend on. */
const addresses = {
  'base-url': { takes: 'URL', says: "the server's setting" },
  'storage-url': { takes: 'URL', says: "the server's setting" },
} as const satisfies Flags

/** The flag of operations that cannot be undone. */
export const confirmation: Flag = { says: 'confirms an operation that cannot be undone; required' }

export type AdministrativeVerb = 'account' | 'key' | 'code' | 'clone' | 'group' | 'usage' | 'audit-log' | 'voices'

/** The commands of a verb by their operations, in the order of the table. */
export function operationsOf(verb: AdministrativeVerb): Readonly<Record<string, Command>> {
  const operations = operationList.flatMap((operation) => {
    const [first, name] = operation.command?.words.split(' ') ?? []
    return first === verb ? [[name!, commandOf(operation)] as const] : []
  })
  const derived = Object.fromEntries(operations)
  return verb === 'voices' ? voicesOperations(derived) : derived
}

function commandOf(operation: ListedOperation): Command {
  const { summary, parameter, query, body, command } = operation
  const { idFlag, showsAddresses, isFinal, examples, summary: own } = command!
  return {
    summary: own ?? `${summary[0]!.toLowerCase()}${summary.slice(1)}`,
    ...(parameter && !idFlag && { argument: { takes: parameter.takes!, isRequired: true } }),
    flags: {
      ...idFlagOf(idFlag),
      ...flagsOf(query),
      ...flagsOf(body?.fields),
      ...(showsAddresses && addresses),
      ...(isFinal && { yes: confirmation }),
    },
    examples: examples ?? examplesOf(operation),
  }
}

function examplesOf({ method, parameter, query, command }: ListedOperation): Command['examples'] {
  const { words, idFlag } = command!
  const flags = Object.entries({ ...flagsOf(query), ...idFlagOf(idFlag) }).filter(([, { example }]) => example)
  const given = [...flags.map(([name, { example }]) => `--${name} ${example}`), !idFlag && parameter?.example]
  const plain = ['sonant', words, ...given].filter(Boolean).join(' ')
  return [plain, `${plain} ${method === 'GET' ? '--json' : '--data /srv/sonant'}`]
}

function idFlagOf(idFlag: Fields = {}): Flags {
  const flags = Object.entries(flagsOf(idFlag)).map(([name, flag]) => [name, { ...flag, isId: true }])
  return Object.fromEntries(flags)
}

function flagsOf(fields: Fields = {}, path = ''): Flags {
  const flags = Object.entries(fields).flatMap(([name, field]): [string, Flag][] => {
    if (field.fields) return Object.entries(flagsOf(field.fields, `${name}.`))
    const { flag = name.replaceAll('_', '-'), takes, says, example, isRequired } = field
    return [[flag, { takes: takes!, says, example, ...(isRequired && { isRequired }), field: path + name }]]
  })
  return Object.fromEntries(flags)
}
