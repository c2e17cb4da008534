/** The catalogue in the order of a data directory, for verbs. */
import { existsSync } from 'node:fs'
import { databasePath, readDataDirectory, type RawSettings } from '../config'
import { readCatalogue, type Catalogue } from '../voice/catalogue'

/** Without a database the order of a new directory; loads no SQLite then. Throws `ConfigError`. */
export async function readDirectoryCatalogue(flags: RawSettings): Promise<Catalogue> {
  const dataDirectory = readDataDirectory(flags, process.env)
  if (!existsSync(databasePath({ dataDirectory }))) return readCatalogue()
  const [{ openVerbDatabase }, { readOrder }] = await Promise.all([
    import('../data-directory'),
    import('../voice/order'),
  ])
  const db = openVerbDatabase(dataDirectory)
  try {
    return readCatalogue(readOrder(db))
  } finally {
    db.close()
  }
}
