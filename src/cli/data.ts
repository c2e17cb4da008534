/** The data directory, for verbs beside a server. Only the server creates, locks and upgrades it. */
import { userInfo } from 'node:os'
import { addressesOf, type Addresses } from '../addresses'
import type { Administration } from '../admin/administration'
import type { Stores } from '../admin/clones'
import type { Packs } from '../admin/packs'
import { audioDirectory, readDataDirectory, referencesDirectory, type RawSettings } from '../config'
import { openVerbDatabase } from '../data-directory'
import type { Database } from '../db/database'
import { openReferences } from '../storage/references'
import { openStorage } from '../storage/storage'
import type { Catalogue } from '../voice/catalogue'
import { readDirectoryCatalogue } from './directory-catalogue'
import { readServerConfig } from './server-config'
import { openPackRegistry } from './pack-registry'

/** Runs `work` on the database of the data directory. Throws `ConfigError` when there is none. */
export async function withDatabase<T>(flags: RawSettings, work: (db: Database) => T | Promise<T>): Promise<T> {
  const db = openVerbDatabase(readDataDirectory(flags, process.env))
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

/** The administration by the user of the command line. */
export function administrationOf(db: Database): Administration {
  return { db, actor: `cli ${userName()}`, refusesLockOut: false, nowMs: Date.now }
}

/** The voices, those of installed packs included. Reads every pack, so only commands that need voices call it. */
export async function openVoices(flags: RawSettings): Promise<{ catalogue: Catalogue; packs: Packs }> {
  const catalogue = await readDirectoryCatalogue(flags)
  const registry = await openPackRegistry(flags, catalogue)
  return { catalogue, packs: { registry, loaded: () => [], installs: () => [] } }
}

/** The stores of the data directory; opening them creates and removes nothing. */
export function storesOf(flags: RawSettings): Stores {
  const dataDirectory = readDataDirectory(flags, process.env)
  return {
    storage: openStorage({ directory: audioDirectory({ dataDirectory }), minFreeBytes: 0 }),
    references: openReferences({ directory: referencesDirectory({ dataDirectory }) }),
  }
}

/** The addresses of a server with this data directory and the same settings. */
export async function readAddresses(flags: RawSettings): Promise<Addresses> {
  const config = await readServerConfig(flags)
  return addressesOf(config, config.port)
}

/** A user without a name, as in many containers, is shown by number. */
function userName(): string {
  const { username, uid } = userInfo()
  return username && username !== 'unknown' ? username : `uid ${uid}`
}
