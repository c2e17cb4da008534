/** Runs one administrative act: flags become the fields of an HTTP body, the answer a table, lines or JSON. */
import { AppError } from '../errors'
import { withNumbers, type Fields } from '../fields'
import { converterAmong } from '../speech/cloning'
import { acts, type Act, type Flags } from './acts'
import { administrationOf, readStorageUrl, storesOf, withDatabase } from './data'
import { asksForHelp, commonFlags, readFlags, UsageError } from './flags'
import { format, write } from './print'

/** Verbs that list when no act is named. */
const listing: readonly string[] = ['usage', 'audit-log']

export async function administer(verb: string, args: string[]): Promise<void> {
  const [first, ...rest] = args
  const isAct = first !== undefined && !first.startsWith('-')
  if (asksForHelp(args) || (!isAct && !listing.includes(verb))) return write([helpOf(verb)])
  const name = isAct ? first : 'list'
  const act = Object.hasOwn(acts[verb]!, name) ? acts[verb]![name]! : undefined
  if (!act) throw new UsageError(`${verb} has no act "${name}"; sonant ${verb} --help lists those there are`)
  await run(`${verb} ${name}`, act, isAct ? rest : args)
}

async function run(name: string, act: Act, args: string[]): Promise<void> {
  const flags: Flags = { ...act.required, ...act.optional }
  const options = Object.fromEntries(Object.keys(flags).map((flag) => [flag, { type: 'string' } as const]))
  const addresses = { 'base-url': { type: 'string' }, 'storage-url': { type: 'string' } } as const
  const { values, positionals } = readFlags(
    args,
    { ...commonFlags, ...(name.startsWith('usage') && addresses), ...options },
    { positionals: act.takesId ? 1 : 0 },
  )
  const given = values as Readonly<Record<string, string | undefined>>
  const id = positionals[0] ?? ''
  const missing = Object.entries(act.required ?? {}).find(([flag]) => given[flag] === undefined)
  if (missing) throw new UsageError(`${name} needs --${missing.join(' ')}`)
  if (act.takesId && id === '') throw new UsageError(`${name} needs an ID`)
  await withDatabase(given, async (db) => {
    const fields = fieldsOf(flags, given)
    const storageUrl = name.startsWith('usage') ? await readStorageUrl(given) : ''
    const administration = await administrationOf(db, given)
    const call = {
      ...administration,
      id,
      fields,
      storageUrl,
      stores: storesOf(given),
      converter: () => converterAmong(administration.packs.shelf.packs),
      flags: given,
    }
    const answer = await inFlags(flags, () => act.run(call))
    if (isPieces(answer)) return write(answer)
    await write([values.json ? `${JSON.stringify(answer)}\n` : format(answer, act.columns ?? [])])
    if (values.json) return
    const { next_cursor: cursor } = answer as { next_cursor?: string | null }
    if (cursor) console.error(`There may be more: --cursor ${cursor}`)
    if (act.secret) console.error(`Keep the ${act.secret}: it is not shown again.`)
  })
}

function isPieces(answer: unknown): answer is Iterable<string> {
  return typeof answer === 'object' && answer !== null && Symbol.iterator in answer
}

/** Flags whose field is named otherwise, or lies deeper. */
const fieldPaths: Readonly<Record<string, string>> = {
  account: 'account_id',
  key: 'key_id',
  'limit-tts': 'limits.tts',
  'limit-clone': 'limits.clone',
}

function pathOf(flag: string): string {
  return fieldPaths[flag] ?? flag.replaceAll('-', '_')
}

function fieldsOf(flags: Flags, given: Readonly<Record<string, string | undefined>>): Fields {
  const fields: Record<string, unknown> = {}
  for (const [flag, kind] of Object.entries(flags)) {
    const text = given[flag]
    if (text === undefined) continue
    const [outer, inner] = pathOf(flag).split('.') as [string, string?]
    const value = valueOf(kind, text)
    fields[outer] = inner ? { ...(fields[outer] as Fields), [inner]: value } : value
  }
  return fields
}

/** What cannot be read stays text, and the administration says what is allowed. */
function valueOf(kind: Flags[string], text: string): unknown {
  if (kind.startsWith('ID,')) return text === 'none' ? [] : text.split(',').map((id) => id.trim())
  if (kind.endsWith('|none') && text === 'none') return null
  if (kind.startsWith('N')) return withNumbers({ text }, ['text']).text
  if (kind === 'true|false' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** A field that was refused is called as it is on the command line; when its value can never be right it was misused. */
function inFlags<T>(flags: Flags, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const path = error instanceof AppError ? /^([\w.]+): /.exec(error.message)?.[1] : undefined
    const flag = path && Object.keys(flags).find((name) => pathOf(name) === path)
    if (!(error instanceof AppError) || !flag) throw error
    const message = `--${flag}${error.message.slice(path.length)}`
    throw error.code === 'invalid_params' ? new UsageError(message) : new AppError(error.code, message)
  }
}

function helpOf(verb: string): string {
  const parts = Object.entries(acts[verb]!).map(([name, { summary, takesId, required, optional }]) => {
    const flags = [
      ...(takesId ? ['ID'] : []),
      ...Object.entries(required ?? {}).map(([flag, kind]) => `--${flag} ${kind}`),
      ...Object.entries(optional ?? {}).map(([flag, kind]) => `[--${flag} ${kind}]`),
    ]
    return `${wrap(`sonant ${verb} ${name}`, flags)}\n    ${summary}\n`
  })
  if (verb === 'voices')
    parts.unshift(
      `sonant voices [list]\n    every voice; with what was set for it, where there is a data directory; then packs in trouble\n`,
      `sonant voices search [WORDS] [--hub URL]\n    what the hub has by name: en, en_US, Chinese, lessac, medium, …\n`,
      `sonant voices pull NAME [--hub URL]\n    install a pack: piper/en_US-lessac-medium, kokoro, kitten, openvoice-v2\n`,
    )
  return `${parts.join('\n')}
Each takes --data DIR (default ./data, or SONANT_DATA) and --json, and works beside a running server.
The word none clears a value. A TIME is as 2026-01-31 or 2026-01-31T12:00:00Z.
`
}

const helpColumns = 110

function wrap(start: string, words: string[]): string {
  const lines = [start]
  for (const word of words) {
    const line = `${lines.at(-1)} ${word}`
    if (line.length <= helpColumns) lines[lines.length - 1] = line
    else lines.push(`    ${word}`)
  }
  return lines.join('\n')
}
