/** Databases of older versions, made by the released steps of the schema. */
import { openDatabase, type Database } from '../src/db/database'
import { migrations } from '../src/db/migrations'

/** Makes an empty database of `version` and returns it with foreign keys on. */
export function makeOldDatabase(path: string, version: number): Database {
  // Only the db room may import the SQLite package, so this empties a new database.
  const db = openDatabase(path)
  db.pragma('foreign_keys = OFF')
  const tables = db.prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  for (const { name } of tables) db.exec(`DROP TABLE ${name}`)
  const left = db.prepare<[], { left: number }>('SELECT count(*) AS left FROM sqlite_schema').get()!.left
  if (left > 0) throw new Error(`${left} things are left in the schema`)
  for (const step of migrations.slice(0, version))
    if (typeof step === 'string') db.exec(step)
    else step(db)
  db.pragma(`user_version = ${version}`)
  db.pragma('foreign_keys = ON')
  return db
}
