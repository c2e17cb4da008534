/** Opens what a server keeps in its data directory: lock, database, audio and recordings. */
import { createRecovery, removeUnrecorded, type Recovery } from '../billing/recovery'
import { audioDirectory, referencesDirectory, type Config } from '../config'
import { openServerDatabase } from '../data-directory'
import { isCramped, type Database } from '../db/database'
import { lockDirectory } from '../db/lock'
import { AppError } from '../errors'
import type { Logger } from '../log'
import { prepareDataDirectory } from '../starting'
import { makePrivate, type PrivacyReport } from '../storage/private'
import { openReferences, type References } from '../storage/references'
import { readFreeBytes } from '../storage/space'
import { openStorage, type Storage } from '../storage/storage'
import { listReferences } from '../voice/clones'

export type Stores = {
  readonly lock: ReturnType<typeof lockDirectory>
  readonly db: Database
  readonly storage: Storage
  readonly references: References
  /** Not done while the disk is full. */
  readonly recovery: Recovery
}

/** Locks the data directory, recovers from an earlier crash and removes incomplete files. */
export async function openStores(config: Config, log: Logger): Promise<Stores> {
  await prepareDataDirectory(config)
  reportPrivacy(makePrivate(config.dataDirectory), log)
  const lock = lockDirectory(config.dataDirectory)
  const db = openServerDatabase(config.dataDirectory)
  const storage = openStorage({ directory: audioDirectory(config), minFreeBytes: config.minFreeBytes })
  await storage.prepare()
  await removeUnrecorded(db, storage)
  const recovery = await startRecovery(db, storage, config, log)
  return { lock, db, storage, references: await openKnownReferences(config, db), recovery }
}

/** Starts recovery. On a full disk the server starts anyway: it serves stored files, and recovery waits. */
async function startRecovery(db: Database, storage: Storage, config: Config, log: Logger): Promise<Recovery> {
  const { dataDirectory, minFreeBytes } = config
  const recovery = createRecovery(db, log)
  if (!isCramped(db)) recoverUnlessFull(recovery)
  if (await storage.isFull()) {
    const freeBytes = await readFreeBytes(dataDirectory)
    log.error(
      { dataDirectory, freeBytes, minFreeBytes },
      'the disk is full: stored files are served, and nothing new is made',
    )
  }
  return recovery
}

function recoverUnlessFull(recovery: Recovery): void {
  try {
    recovery.run()
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'storage_failed')) throw error
  }
}

function reportPrivacy({ mended, exposed }: PrivacyReport, log: Logger): void {
  if (mended.length > 0) log.info({ paths: mended }, 'removed the rights of other users')
  for (const { path, because } of exposed) log.warn({ path, because }, 'other users may be able to access the data')
}

async function openKnownReferences(config: Config, db: Database): Promise<References> {
  const references = openReferences({ directory: referencesDirectory(config) })
  const known = new Set(listReferences(db))
  await references.prepare((sha256) => known.has(sha256))
  return references
}
