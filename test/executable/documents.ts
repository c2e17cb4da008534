/**
 * The examples of the documents: finds them, runs them as a reader would, and compares their output with the document.
 * Ids, keys, codes, times and ports differ in each run; a repeated one in the document must be repeated in the output.
 */
import { join } from 'node:path'

export const root = join(import.meta.dir, '../..')

export type Example = {
  /** Path from the root of the repository. */
  readonly file: string
  readonly line: number
  readonly language: string
  readonly code: string
  /** The comment before it: `not run: why`, `run by: name of a test`, `shows: METHOD PATH [BODY]`. */
  readonly mark: { readonly kind: string; readonly text: string } | undefined
}

const fence = /(?:^ *<!-- (not run|run by|shows): (.+) -->\n+)?^( *)```(\w+)\n([\s\S]*?)^ *```$/gm

export async function readExamples(file: string): Promise<Example[]> {
  const text = await Bun.file(join(root, file)).text()
  return [...text.matchAll(fence)].map(({ index, 1: kind, 2: said, 4: language, 5: code }) => ({
    file,
    line: text.slice(0, index).split('\n').length,
    language: language!,
    code: code!,
    mark: kind ? { kind, text: said! } : undefined,
  }))
}

/** The examples with `run by: name`. Throws without any. */
export async function examplesRunBy(file: string, name: string): Promise<string[]> {
  const found = (await readExamples(file)).filter(({ mark }) => mark?.kind === 'run by' && mark.text === name)
  if (found.length === 0) throw new Error(`${file} has no example for ${name}`)
  return found.map(({ code }) => code)
}

/** Values that differ between runs. Those with a group name are remembered: equal ones must stay equal. */
const volatile = new RegExp(
  [
    '(?<id>[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f]))',
    '(?<key>sk-\\w{4,}|sk-…)',
    '(?<code>\\b[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}\\b)',
    '(?<accountNumber>\\b\\d{16}\\b)',
    '(?<masked>\\*{4}-\\*{4}-\\*{4}-[0-9A-Z]{4})',
    '(?<time>\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z)',
    '(?<address>127\\.0\\.0\\.1:\\d+)',
    '(?<seconds>\\b\\d+\\.\\d s\\b)',
    '(?<measured>(?<="(?:duration|audio)_ms":)\\d+)',
    '(?<user>(?<=\\bcli )\\w+)',
    '(?<cursor>(?<=--cursor )\\S+)',
    '(?<token>(?<=/console/(?:invitation|setup)#)\\w{43})',
    '(?<hash>(?<=-)[0-9a-f]{16}(?=\\.mp3))',
  ].join('|'),
  'g',
)
const remembered = ['id', 'key', 'code', 'accountNumber']

/** Maps texts of the document to their values in this run. */
export type Bindings = Map<string, string>

/** Whether a line equals the document's, apart from column widths; `…` matches anything. */
export function isAsShown(shown: string, found: string, bindings: Bindings): boolean {
  const [expected, actual] = [shown, found].map((line) => split(line.replace(/\s+/g, ' ').trim())) as [Parts, Parts]
  if (shown.includes('…') && !shown.includes('sk-…')) return literally(shown).test(found.replace(/\s+/g, ' ').trim())
  if (expected.literals.join('\0') !== actual.literals.join('\0')) return false
  return expected.tokens.every(({ kind, text }, i) => {
    const other = actual.tokens[i]!
    if (kind !== other.kind) return false
    if (!remembered.includes(kind)) return true
    const known = bindings.get(text)
    if (known === undefined) bindings.set(text, other.text)
    return known === undefined || known === other.text
  })
}

type Parts = { literals: string[]; tokens: { kind: string; text: string }[] }

function split(line: string): Parts {
  const literals: string[] = []
  const tokens: Parts['tokens'] = []
  let end = 0
  for (const match of line.matchAll(volatile)) {
    literals.push(line.slice(end, match.index))
    const kind = Object.entries(match.groups!).find(([, text]) => text !== undefined)![0]
    tokens.push({ kind, text: match[0] })
    end = match.index + match[0].length
  }
  literals.push(line.slice(end))
  return { literals, tokens }
}

function literally(shown: string): RegExp {
  const escaped = shown
    .replace(/\s+/g, ' ')
    .trim()
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${escaped.join('.*')}$`)
}

/** Whether the JSON has the same fields, each with the same type or null in either. */
export function hasShapeOf(shown: unknown, found: unknown): boolean {
  if (Array.isArray(shown)) return Array.isArray(found) && shown.every((item, i) => hasShapeOf(item, found[i]))
  if (typeof shown !== 'object' || shown === null)
    return shown === null || found === null || typeof shown === typeof found
  if (typeof found !== 'object' || found === null) return false
  const keys = Object.keys(shown)
  return (
    Object.keys(found).join() === keys.join() &&
    keys.every((key) => hasShapeOf((shown as Fields)[key], (found as Fields)[key]))
  )
}

type Fields = Record<string, unknown>

export type Place = {
  readonly directory: string
  /** The server at the documents' 127.0.0.1:7788. */
  readonly baseUrl: string
  readonly env: Record<string, string>
  readonly bindings: Bindings
}

/** Runs a command of the document with the ids and addresses of this run. */
export function runShown(command: string, { directory, baseUrl, env, bindings }: Place) {
  let here = command.replaceAll('127.0.0.1:7788', new URL(baseUrl).host)
  for (const [shown, found] of bindings) here = here.replaceAll(shown, found)
  const { exitCode, stdout } = Bun.spawnSync(['sh', '-ec', `exec 2>&1\n${here}`], { cwd: directory, env })
  return { exitCode, output: stdout.toString() }
}

/** Runs a `console` example line by line; `NAME=value` sets a variable. Returns the differences. */
export function followConsole({ file, line, code }: Example, place: Place): string[] {
  const wrong: string[] = []
  const steps = code.split(/^\$ /m).slice(1)
  for (const step of steps) {
    const [command, ...shown] = step.trimEnd().split('\n') as [string, ...string[]]
    const variable = /^([A-Z_]+)=(\S+)$/.exec(command)
    if (variable) {
      place.env[variable[1]!] = place.bindings.get(variable[2]!) ?? variable[2]!
      continue
    }
    const found = runShown(command, place).output.trimEnd().split('\n')
    const rest = shown.indexOf('…')
    const compared = rest < 0 ? shown : shown.slice(0, rest)
    const isLong = rest < 0 && found.length !== Math.max(1, shown.length)
    const differing = compared.findIndex((text, i) => !isAsShown(text, found[i] ?? '', place.bindings))
    if (isLong || differing >= 0)
      wrong.push(`${file}:${line}: $ ${command}\nshown:\n${shown.join('\n')}\nfound:\n${found.join('\n')}`)
  }
  return wrong
}
