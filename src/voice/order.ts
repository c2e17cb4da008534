/** The order of the built-in voices, which a data directory remembers from its creation, in the database. */
import type { Database } from '../db/database'
import { prepare, transact } from '../db/statements'

/** Reads the ids in their order. Empty before the first start. */
export function readOrder(db: Database): string[] {
  return prepare<[], { id: string }>(db, 'SELECT voice_id AS id FROM built_in_voices ORDER BY position')
    .all()
    .map(({ id }) => id)
}

/** Adds those of `ids` that are new at the end. */
export function rememberOrder(db: Database, ids: readonly string[]): void {
  const known = new Set(readOrder(db))
  const added = ids.filter((id) => !known.has(id))
  if (added.length === 0) return
  const insert = 'INSERT INTO built_in_voices (position, voice_id) SELECT key + ?, value FROM json_each(?)'
  transact(db, () => prepare(db, insert).run(known.size + 1, JSON.stringify(added)))
}
