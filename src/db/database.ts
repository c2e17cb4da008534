/** Opens SQLite with the settings that money needs, and brings the schema up to date. Knows no table but its own. */
import Database from 'better-sqlite3'
import { migrations } from './migrations'

export type { Database } from 'better-sqlite3'

/** `path` may be `:memory:`. Throws when the file is from a newer version of the program. */
export function openDatabase(path: string): Database.Database {
  const db = new Database(path)
  db.pragma('busy_timeout = 5000')
  db.pragma('journal_mode = WAL')
  // While the schema is made a commit need not be durable, only whole; from then on it must be both.
  db.pragma('synchronous = NORMAL')
  db.pragma('foreign_keys = ON')
  migrate(db)
  db.pragma('synchronous = FULL')
  return db
}

function migrate(db: Database.Database): void {
  const version = () => db.pragma('user_version', { simple: true }) as number
  if (version() > migrations.length) throw new Error('the database was written by a newer version of sonant')
  if (version() === migrations.length) return
  db.transaction(() => {
    for (let next = version(); next < migrations.length; next++) db.exec(migrations[next]!)
    db.pragma(`user_version = ${migrations.length}`)
  }).immediate()
}
