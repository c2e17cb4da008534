/**
 * Shell completions. The script of each shell asks the program itself, so it never becomes outdated: `sonant __complete
 * WORDS…` gets the words after `sonant` up to the current one. It prints one candidate per line, with its explanation
 * after a tab, or `:files` or `:directories` for the shell's own completion.
 */
import type { RawSettings } from '../config'
import type { Kind } from '../operations/operation'
import { readCatalogue } from '../voice/catalogue'
import { choicesOf, commonFlags, type Command, type Flags } from './commands/description'
import { completions as command } from './commands/general'
import { findCommand, findVerb, isGroup, verbs } from './commands/table'
import { readFlags, UsageError } from './flags'
import { write } from './print'
import { openPackRegistry } from './pack-registry'
import { topicNames } from './topics'

type Candidate = readonly [word: string, says?: string]

const scripts: Readonly<Record<string, string>> = {
  bash: `_sonant() {
  local line current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :files) compopt -o filenames 2>/dev/null; while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current") ;;
      :directories) compopt -o filenames 2>/dev/null; while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$current") ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _sonant sonant
`,
  zsh: `#compdef sonant
_sonant() {
  local line
  local -a candidates
  for line in "\${(@f)$("\${(Q)words[1]}" __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      '') ;;
      :files) _files ;;
      :directories) _files -/ ;;
      *) candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( $#candidates )) && _describe sonant candidates
}
if [ "$funcstack[1]" = "_sonant" ]; then _sonant "$@"; else compdef _sonant sonant; fi
`,
  fish: `function __sonant_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program __complete $words "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$current"
            case :directories
                __fish_complete_directories "$current"
            case '*'
                echo $line
        end
    end
end
complete -c sonant -f -a '(__sonant_complete)'
`,
}

export async function printCompletions(args: string[]): Promise<void> {
  const shell = readFlags('completions', command, args).positionals[0]!
  if (!Object.hasOwn(scripts, shell))
    throw new UsageError(`completions: found "${shell}"; allowed is ${Object.keys(scripts).join(', ')}`)
  await write([scripts[shell]!])
}

export async function complete(words: string[]): Promise<void> {
  const current = words.at(-1) ?? ''
  const found = await candidatesFor(words.slice(0, -1), current)
  const fitting = found.filter(([word]) => word.startsWith(current) || word.startsWith(':'))
  await write(fitting.map(([word, says]) => `${word}\t${says ?? ''}\n`).map((line) => line.replace(/^(:\w+)\t/, '$1')))
}

async function candidatesFor([name, ...rest]: readonly string[], current: string): Promise<readonly Candidate[]> {
  if (name === undefined) return Object.entries(verbs).map(([verb, { summary }]) => [verb, summary])
  const verb = findVerb(name)
  if (!verb) return []
  if (!isGroup(verb)) return name === 'help' ? helpCandidates(rest) : candidatesOf(verb, rest, current)
  const [operation, ...behind] = rest
  const command = operation === undefined ? undefined : findCommand(verb, operation)
  if (command) return candidatesOf(command, behind, current)
  const byDefault = verb.defaultOperation === undefined ? undefined : findCommand(verb, verb.defaultOperation)
  if (byDefault && (operation !== undefined || current.startsWith('-'))) return candidatesOf(byDefault, rest, current)
  return operation === undefined ? Object.entries(verb.operations).map(([each, { summary }]) => [each, summary]) : []
}

async function helpCandidates([name]: readonly string[]): Promise<readonly Candidate[]> {
  const verb = name === undefined ? undefined : findVerb(name)
  if (verb)
    return isGroup(verb) ? Object.entries(verb.operations).map(([operation, { summary }]) => [operation, summary]) : []
  if (name !== undefined) return []
  const topics = (await topicNames()).map((topic): Candidate => [topic])
  return [...Object.entries(verbs).map(([each, { summary }]): Candidate => [each, summary]), ...topics]
}

async function candidatesOf(
  { flags, argument }: Command,
  before: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  const all: Flags = { ...commonFlags, ...flags }
  const last = before.at(-1) ?? ''
  const asked = Object.entries(all).find(([name, { short }]) => last === `--${name}` || last === `-${short}`)?.[1]
  if (asked?.takes !== undefined) return valuesOf(asked.takes, before)
  if (current.startsWith('-'))
    return Object.entries(all)
      .filter(([name, { isRepeatable }]) => isRepeatable || !before.includes(`--${name}`))
      .map(([name, { says }]) => [`--${name}`, says])
  return argument ? valuesOf(argument.takes, before) : []
}

async function valuesOf(kind: Kind, before: readonly string[]): Promise<readonly Candidate[]> {
  if (kind === 'FILE') return [[':files']]
  if (kind === 'DIR') return [[':directories']]
  if (kind === 'VOICE') return listVoices(before)
  return (choicesOf(kind) ?? []).map((word): Candidate => [word])
}

async function listVoices(before: readonly string[]): Promise<readonly Candidate[]> {
  const flags: RawSettings = { data: before[before.indexOf('--data') + 1] }
  const catalogue = readCatalogue()
  await (await openPackRegistry(before.includes('--data') ? flags : {}, catalogue)).close()
  return catalogue.voices.map(({ id, displayName, language }) => [id, `${displayName}, ${language}`])
}
