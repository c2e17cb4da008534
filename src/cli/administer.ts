/** Runs one administrative operation: flags become fields, and the answer is printed as a table, lines or JSON. */
import { AppError } from '../errors'
import { withNumbers, type Fields } from '../fields'
import type { Catalogue } from '../voice/catalogue'
import type { Kind } from '../operations/operation'
import type { Flags, Group } from './commands/description'
import { findCommand, findVerb } from './commands/table'
import { administrationOf, openVoices, readAddresses, storesOf, withDatabase } from './data'
import { readFlags, UsageError } from './flags'
import { findOperation } from './operations'
import { format, write } from './print'

/** `name`: the word of the operation, as `create`. */
export async function administer(verb: string, name: string, args: string[]): Promise<void> {
  const words = `${verb} ${name}`
  const command = findCommand(findVerb(verb) as Group, name)!
  const operation = findOperation(words)
  const { values, positionals } = readFlags(words, command, args)
  const given = values as Readonly<Record<string, string | undefined>>
  if (command.flags.yes && !given.yes) throw new UsageError(`${words} cannot be undone; confirm it with --yes`)
  const idFlag = Object.keys(command.flags).find((flag) => command.flags[flag]!.isId)
  const id = (idFlag ? given[idFlag] : positionals[0]) ?? ''
  await withDatabase(given, async (db) => {
    const call = {
      admin: administrationOf(db),
      id,
      fields: fieldsOf(command.flags, given),
      ...('storage-url' in command.flags ? await readAddresses(given) : { baseUrl: '', storageUrl: '' }),
      stores: storesOf(given),
      flags: given,
    }
    const answer = await inFlags(command.flags, async () => {
      if (!operation.usesVoices) return operation.run(call)
      const { catalogue, packs } = await openVoices(given)
      if (command.argument?.takes === 'VOICE') await ensureVoice(id, catalogue)
      return operation.run({ ...call, admin: { ...call.admin, catalogue }, packs })
    })
    if (isPieces(answer)) return write(answer)
    await write([values.json ? `${JSON.stringify(answer)}\n` : format(answer, operation.columns ?? [])])
    if (values.json) return
    const { next_cursor: cursor } = answer as { next_cursor?: string | null }
    if (cursor) console.error(`There may be more: --cursor ${cursor}`)
    if (operation.secret) console.error(`Keep the ${operation.secret}: it is not shown again.`)
  })
}

/** Throws `not_found` for an unknown voice, with a suggestion. */
async function ensureVoice(id: string, catalogue: Catalogue): Promise<void> {
  if (catalogue.find(id)) return
  const { suggestVoice } = await import('./suggest-voice')
  throw new AppError('not_found', `There is no voice "${id}"${suggestVoice(id, catalogue) || '.'}`)
}

function isPieces(answer: unknown): answer is Iterable<string> {
  return typeof answer === 'object' && answer !== null && Symbol.iterator in answer
}

function fieldsOf(flags: Flags, given: Readonly<Record<string, string | undefined>>): Fields {
  const fields: Record<string, unknown> = {}
  for (const [flag, { takes, field, isId }] of Object.entries(flags)) {
    const text = given[flag]
    if (text === undefined || field === undefined || isId) continue
    const [outer, inner] = field.split('.') as [string, string?]
    const value = valueOf(takes!, text)
    fields[outer] = inner ? { ...(fields[outer] as Fields), [inner]: value } : value
  }
  return fields
}

/** An unparsable value stays text; the administration then refuses it with the allowed values. */
function valueOf(kind: Kind, text: string): unknown {
  if (kind.startsWith('ID,')) return text === 'none' ? [] : text.split(',').map((id) => id.trim())
  if (kind.endsWith('|none') && text === 'none') return null
  if (kind === 'N' || kind === 'N|none') return withNumbers({ text }, ['text']).text
  if (kind === 'true|false' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Replaces the field's name in an error by the flag's. `invalid_params` becomes a `UsageError`. */
async function inFlags<T>(flags: Flags, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const field = error instanceof AppError ? /^([\w.]+): /.exec(error.message)?.[1] : undefined
    const flag = field && Object.keys(flags).find((name) => flags[name]!.field === field)
    if (!(error instanceof AppError) || !flag) throw error
    const message = `--${flag}${error.message.slice(field.length)}`
    throw error.code === 'invalid_params' ? new UsageError(message) : new AppError(error.code, message)
  }
}
