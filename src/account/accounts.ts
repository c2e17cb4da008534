/** Accounts, and the first one: an empty data directory gets an administrator with one key. */
import type { Database } from '../db/database'
import { createKey } from './keys'

/** Makes the administrator and its key when there is no account yet; returns the key, else undefined. */
export function createFirstAccount(db: Database): string | undefined {
  return db
    .transaction(() => {
      if (db.prepare('SELECT 1 FROM accounts LIMIT 1').get()) return undefined
      const accountId = crypto.randomUUID()
      db.prepare(
        `INSERT INTO accounts (id, name, role, status, created_at_ms) VALUES (?, 'Administrator', 'admin', 'enabled', ?)`,
      ).run(accountId, Date.now())
      return createKey(db, { accountId, name: 'first key' })
    })
    .immediate()
}
