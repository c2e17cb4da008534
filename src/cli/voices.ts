/**
 * `sonant voices`: lists the catalogue with the voices of installed packs and, in a data directory, the administrators'
 * settings; then the packs that cannot be used.
 */
import { existsSync } from 'node:fs'
import { listVoices } from '../admin/voices'
import { databasePath, readDataDirectory, type RawSettings } from '../config'
import type { PackRegistry } from '../packs/registry'
import type { Catalogue } from '../voice/catalogue'
import { withDatabase } from './data'
import { readDirectoryCatalogue } from './directory-catalogue'
import { voicesList } from './commands/voices'
import { readFlags } from './flags'
import { printable, write } from './print'
import { openPackRegistry } from './pack-registry'

type Settings = { active: boolean; public: boolean; featured: boolean; position: number }
type Item = { id: string; display_name: string; language: string; gender: string | null } & Partial<Settings>

export async function printVoices(args: string[]): Promise<void> {
  const { values } = readFlags('voices', voicesList, args)
  const catalogue = await readDirectoryCatalogue(values)
  const registry = await openPackRegistry(values, catalogue)
  const items = await readItems(values, catalogue, registry)
  if (values.json) return write([`${JSON.stringify({ items, next_cursor: null })}\n`])
  const idWidth = Math.max(14, ...items.map(({ id }) => id.length))
  const lines = items.map((item) => {
    const { id, language, gender, display_name: name } = item
    const states = item.active === undefined ? [] : [statesOf(item as Settings).padEnd(statesWidth)]
    const description = catalogue.find(id)?.description ?? ''
    return [id.padEnd(idWidth), language.padEnd(6), (gender ?? '-').padEnd(7), ...states, name, description]
      .join('  ')
      .trimEnd()
  })
  const troubles = registry.list().flatMap((pack) => {
    const reason = pack.state === 'refused' ? pack.reason : 'not tested yet'
    return pack.state === 'ready' ? [] : [`${pack.name}: ${reason}`]
  })
  const below = troubles.length > 0 ? ['', 'Packs that cannot be used:', ...troubles] : []
  await write([...lines, ...below].map((line) => `${printable(line)}\n`))
}

/**
 * The voices as administrators get them over HTTP; without a database only the catalogue's data. Throws `ConfigError`
 * for a given directory with neither a database nor packs.
 */
async function readItems(flags: RawSettings, catalogue: Catalogue, registry: PackRegistry): Promise<readonly Item[]> {
  const hasPacks = registry.list().length > 0
  const path = databasePath({ dataDirectory: readDataDirectory(flags, process.env) })
  if (!existsSync(path) && (flags.data === undefined || hasPacks))
    return catalogue.voices.map(({ id, displayName, language, gender, engine }) => {
      return { id, display_name: displayName, language, gender, engine }
    })
  return withDatabase(flags, (db) => listVoices({ db, catalogue }, registry).items)
}

const statesWidth = 'public, featured 10'.length

function statesOf({ active, public: isPublic, featured, position }: Settings): string {
  if (!active) return 'deactivated'
  return `${isPublic ? 'public' : 'in plans'}${featured ? `, featured ${position}` : ''}`
}
