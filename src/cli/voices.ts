/** `sonant voices`: the catalogue and, where there is a data directory, what administrators set. */
import { existsSync } from 'node:fs'
import { listVoices } from '../admin/voices'
import { databasePath, readDataDirectory, type RawSettings } from '../config'
import { readCatalogue } from '../voice/catalogue'
import { administrationOf, withDatabase } from './data'
import { commonFlags, readFlags } from './flags'
import { write } from './print'

type Settings = { active: boolean; public: boolean; featured: boolean; position: number }
type Item = { id: string; display_name: string; language: string; gender: string | null } & Partial<Settings>

export async function printVoices(args: string[]): Promise<void> {
  const { values } = readFlags(args, commonFlags)
  const items = await readItems(values)
  if (values.json) return write([`${JSON.stringify({ items, next_cursor: null })}\n`])
  const catalogue = readCatalogue()
  const lines = items.map((item) => {
    const { id, language, gender, display_name: name } = item
    const states = item.active === undefined ? [] : [statesOf(item as Settings).padEnd(statesWidth)]
    return [
      id.padEnd(14),
      language.padEnd(6),
      (gender ?? '-').padEnd(7),
      ...states,
      name,
      catalogue.find(id)?.description ?? '',
    ]
      .join('  ')
      .trimEnd()
  })
  await write(lines.map((line) => `${line}\n`))
}

/** As administrators get them over HTTP; without a database only what the catalogue says. */
async function readItems(flags: RawSettings): Promise<readonly Item[]> {
  const path = databasePath({ dataDirectory: readDataDirectory(flags, process.env) })
  if (flags.data === undefined && !existsSync(path))
    return readCatalogue().voices.map(({ id, displayName, language, gender, engine }) => {
      return { id, display_name: displayName, language, gender, engine }
    })
  return withDatabase(flags, (db) => listVoices(administrationOf(db)).items)
}

const statesWidth = 'public, featured 10'.length

function statesOf({ active, public: isPublic, featured, position }: Settings): string {
  if (!active) return 'deactivated'
  return `${isPublic ? 'public' : 'in plans'}${featured ? `, featured ${position}` : ''}`
}
