/** `sonant help`: the verbs, one verb, one operation or one topic, from the descriptions of the commands. */
import { didYouMean } from '../suggest'
import { choicesOf, commonFlags, type Command, type Flags, type Group } from './commands/description'
import { help as helpCommand } from './commands/general'
import { findCommand, findVerb, isGroup, verbs } from './commands/table'
import { readFlags, UsageError } from './flags'
import { write } from './print'
import { findTopic, listTopics, showTopic, topicNames } from './topics'

export async function explain(args: string[]): Promise<void> {
  const { positionals } = readFlags(
    'help',
    helpCommand,
    args.filter((arg) => arg !== '--help' && arg !== '-h'),
  )
  const [name, operation] = positionals
  if (name === undefined) return write([overview()])
  const verb = findVerb(name)
  if (verb && (operation === undefined || isGroup(verb))) return write([helpFor(name, operation)])
  if (operation === undefined && name === 'topics') return write([await listTopics()])
  if (operation === undefined && (await findTopic(name))) return showTopic(name)
  const meant = didYouMean(name, [...Object.keys(verbs), ...(await topicNames())])
  throw new UsageError(
    `there is no help on "${positionals.join(' ')}"${meant || '; sonant help lists the verbs, sonant help topics the topics'}`,
  )
}

/** The help of a verb or an operation. Throws `UsageError` for an unknown one. */
export function helpFor(name: string, operation?: string): string {
  const verb = findVerb(name)!
  if (!isGroup(verb)) return helpOfCommand(name, verb)
  if (operation === undefined) return helpOfGroup(name, verb)
  const command = findCommand(verb, operation)
  if (!command) throw unknownOperation(name, verb, operation)
  return helpOfCommand(`${name} ${operation}`, command)
}

export function unknownOperation(name: string, group: Group, operation: string): UsageError {
  const meant = didYouMean(operation, Object.keys(group.operations))
  return new UsageError(
    `${name} has no operation "${operation}"${meant || `; sonant help ${name} lists its operations`}`,
  )
}

function overview(): string {
  const lines = Object.entries(verbs).map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`)
  return `sonant: text to speech in one executable

Usage: sonant <verb> [flags]

${lines.join('\n')}

Every verb takes --data DIR (default ./data, or SONANT_DATA) and --json.

sonant help <verb>     a verb, its flags and examples; with an operation: sonant help account create
sonant help topics     the embedded documents, such as the HTTP interface and the settings

Examples:
  sonant say "Hello" -o hello.mp3
  sonant serve
`
}

function helpOfGroup(name: string, { summary, operations, defaultOperation }: Group): string {
  const width = Math.max(...Object.keys(operations).map((operation) => operation.length))
  const lines = Object.entries(operations).map(
    ([operation, command]) => `  ${operation.padEnd(width)}  ${command.summary}`,
  )
  const examples = Object.values(operations).slice(0, 2)
  return `sonant ${name}: ${summary}

Usage: ${defaultOperation ? `sonant ${name} [${defaultOperation}] [flags]\n       ` : ''}sonant ${name} <operation> [flags]

${lines.join('\n')}

sonant help ${name} <operation> explains an operation. Each works beside a running server.

Examples:
${examples.map((command) => `  ${command.examples[0]}\n`).join('')}`
}

/** Column of the explanations of flags. */
const flagColumns = 30

function helpOfCommand(words: string, { summary, details, argument, flags, examples }: Command): string {
  const shown = argument && (choicesOf(argument.takes)?.join('|') ?? argument.takes)
  const many = (argument?.max ?? 1) > 1 ? '…' : ''
  const place = shown === undefined ? '' : argument!.isRequired ? ` ${shown}${many}` : ` [${shown}${many}]`
  const needed = Object.entries(flags).flatMap(([name, { takes, isRequired }]) =>
    isRequired ? ` --${name} ${takes}` : [],
  )
  const own = Object.keys(flags).length > 0 ? `Flags:\n${listFlags(flags)}\n` : ''
  return `sonant ${words}: ${summary}

Usage: sonant ${words}${place}${needed.join('')} [flags]
${details ? `\n${details}\n` : ''}
${own}Flags of every verb:
${listFlags(commonFlags)}
${describesTimes(flags)}Examples:
${examples.map((example) => `  ${example}\n`).join('')}`
}

function listFlags(flags: Flags): string {
  return Object.entries(flags)
    .map(([name, { takes, says, short, isRequired, isRepeatable }]) => {
      const left = `  ${short ? `-${short}, ` : '    '}--${name}${takes ? ` ${takes}` : ''}`
      const right = `${says}${isRequired ? ' (required)' : ''}${isRepeatable ? ' (repeatable)' : ''}`
      return left.length < flagColumns
        ? `${left.padEnd(flagColumns)} ${right}\n`
        : `${left}\n${' '.repeat(flagColumns + 1)}${right}\n`
    })
    .join('')
}

function describesTimes(flags: Flags): string {
  const kinds = Object.values(flags).map(({ takes }) => takes ?? '')
  const lines = [
    kinds.some((kind) => kind.endsWith('|none')) ? 'The word none clears a value.' : '',
    kinds.some((kind) => kind.startsWith('TIME')) ? 'A TIME is as 2026-01-31 or 2026-01-31T12:00:00Z.' : '',
  ].filter(Boolean)
  return lines.length > 0 ? `${lines.join('\n')}\n\n` : ''
}
