/**
 * Runs one administrative act: flags become the fields of a request body; prints the answer as a table, lines or JSON.
 */
import { AppError } from '../errors'
import { withNumbers, type Fields } from '../fields'
import type { Catalogue } from '../voice/catalogue'
import { converterAmong } from '../cloning/convert/installed-converter'
import { acts, type Act } from './acts'
import type { Command, Flags, Group, Kind } from './commands/description'
import { findAct, findVerb } from './commands/table'
import { administrationOf, readStorageUrl, storesOf, withDatabase } from './data'
import { readFlags, UsageError } from './flags'
import { format, write } from './print'

/** `actName`: an act of the administration. */
export async function administer(verb: string, actName: string, args: string[]): Promise<void> {
  const words = `${verb} ${actName}`
  const command = findAct(findVerb(verb) as Group, actName)!
  const act = (acts as Readonly<Record<string, Readonly<Record<string, Act>>>>)[verb]![actName]!
  const flags = fieldFlagsOf(command)
  const { values, positionals } = readFlags(words, command, args)
  const given = values as Readonly<Record<string, string | undefined>>
  const id = positionals[0] ?? ''
  await withDatabase(given, async (db) => {
    const fields = fieldsOf(flags, given)
    const storageUrl = verb === 'usage' ? await readStorageUrl(given) : ''
    const administration = await administrationOf(db, given)
    const call = {
      ...administration,
      id,
      fields,
      storageUrl,
      stores: storesOf(given),
      converter: () => converterAmong(administration.packs.registry.packs),
      flags: given,
    }
    if (command.argument?.takes === 'VOICE') await ensureVoice(id, administration.admin.catalogue)
    const answer = await inFlags(flags, () => act.run(call))
    if (isPieces(answer)) return write(answer)
    await write([values.json ? `${JSON.stringify(answer)}\n` : format(answer, act.columns ?? [])])
    if (values.json) return
    const { next_cursor: cursor } = answer as { next_cursor?: string | null }
    if (cursor) console.error(`There may be more: --cursor ${cursor}`)
    if (act.secret) console.error(`Keep the ${act.secret}: it is not shown again.`)
  })
}

/** Throws `not_found` for an unknown voice, with a suggestion. */
async function ensureVoice(id: string, catalogue: Catalogue): Promise<void> {
  if (catalogue.find(id)) return
  const { suggestVoice } = await import('./suggest-voice')
  throw new AppError('not_found', `There is no voice "${id}"${suggestVoice(id, catalogue) || '.'}`)
}

/** The flags that are fields of the act, without the addresses of the server. */
function fieldFlagsOf({ flags }: Command): Flags {
  const { 'base-url': _, 'storage-url': __, ...fields } = flags
  return fields
}

function isPieces(answer: unknown): answer is Iterable<string> {
  return typeof answer === 'object' && answer !== null && Symbol.iterator in answer
}

/** Flags whose field has another name or is nested. */
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
  for (const [flag, { takes }] of Object.entries(flags)) {
    const text = given[flag]
    if (text === undefined) continue
    const [outer, inner] = pathOf(flag).split('.') as [string, string?]
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
