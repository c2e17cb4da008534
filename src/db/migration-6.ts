/**
 * Step 6 of the schema: brings version 5 to the base schema. Plans, times and triggers get names that say what they
 * are; people, the console's key, surfaces and partial captures get their columns; lists by age get complete indexes.
 */
import type { Database } from 'better-sqlite3'
import { assert } from '../errors'
import { baseSchema } from './base-schema'

const { tables, indexes, triggers } = baseSchema
type Table = keyof typeof tables

/**
 * Must run in a transaction with foreign keys off. Small tables are copied, and so is `holds`, which gets a column for
 * each of its rows. `usage` is the largest table and keeps its rows and indexes.
 */
export function migrateTo6(db: Database): void {
  for (const name of namesOf(db, 'trigger')) db.exec(`DROP TRIGGER ${name}`)
  rebuild(db, 'plans', 'id, name, created_at_ms', 'groups')
  rebuild(db, 'plan_voices', 'group_id, voice_id', 'group_voices')
  rebuild(db, 'voice_settings', 'voice_id, active, public, featured, position, display_name, provider')
  rebuild(db, 'accounts', 'id, name, email, role, status, group_id, account_number, created_at_ms')
  rebuild(
    db,
    'api_keys',
    `id, account_id, 'api', name, prefix, secret_sha256, status, expires_at_ms, limit_tts, limit_clone, created_at_ms,
       last_used_at_ms`,
  )
  rebuild(db, 'reference_files', 'sha256, size_bytes, is_kept, created_at_ms')
  rebuild(
    db,
    'clones',
    `id, account_id, request_id, sha256, name, language, gender, method, base_voice_id, profile, warnings, duration_ms,
       demo_name, created_at_ms`,
  )
  rebuildHolds(db)
  changeUsage(db)
  const kept = new Set(namesOf(db, 'table'))
  for (const [name, sql] of Object.entries(tables)) if (!kept.has(name)) db.exec(sql)
  replaceIndexes(db)
  for (const sql of Object.values(triggers)) db.exec(sql)
}

/** Replaces the table `from` by the base table `name`. `columns` select the values of its columns, in their order. */
function rebuild(db: Database, name: Table, columns: string, from: string = name): void {
  db.exec(`
    CREATE TABLE kept AS SELECT * FROM ${from};
    DROP TABLE ${from};
    ${tables[name]};
    INSERT INTO ${name} SELECT ${columns} FROM kept;
    DROP TABLE kept`)
}

/** No table refers to `holds`, so renaming it changes no other table. */
function rebuildHolds(db: Database): void {
  db.exec(`
    ALTER TABLE holds RENAME TO old_holds;
    ${tables.holds};
    INSERT INTO holds
      SELECT id, request_id, account_id, key_id, purpose, units, iif(status = 'captured', units, NULL), status,
        created_at_ms, expires_at_ms
      FROM old_holds ORDER BY id;
    DROP TABLE old_holds`)
}

/**
 * Changes names and checks in the text of the schema, as https://www.sqlite.org/lang_altertable.html#otheralter
 * describes for changes that no stored row shows. Every old row satisfies the new checks.
 */
function changeUsage(db: Database): void {
  db.exec(`
    ALTER TABLE usage RENAME COLUMN duration_ms TO processing_ms;
    ALTER TABLE usage ADD COLUMN surface TEXT NOT NULL DEFAULT 'api'`)
  const columns = JSON.stringify(db.pragma('table_xinfo(usage)'))
  db.unsafeMode(true)
  try {
    db.pragma('writable_schema = ON')
    const swap = db.prepare("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = 'usage'")
    assert(swap.run(tables.usage.trim()).changes === 1, 'there is one table "usage"')
    db.pragma('writable_schema = RESET')
  } finally {
    db.pragma('writable_schema = OFF')
    db.unsafeMode(false)
  }
  assert(JSON.stringify(db.pragma('table_xinfo(usage)')) === columns, 'only checks of "usage" change')
}

/** Leaves an index that stays as it is: to make those of `usage` again would take most of the time. */
function replaceIndexes(db: Database): void {
  const find = db.prepare<[], { name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
  )
  const wanted = new Map<string, string>(Object.entries(indexes))
  for (const { name, sql } of find.all())
    if (wanted.get(name) === sql) wanted.delete(name)
    else db.exec(`DROP INDEX ${name}`)
  for (const sql of wanted.values()) db.exec(sql)
}

function namesOf(db: Database, type: 'table' | 'trigger'): string[] {
  const rows = db.prepare<[string], { name: string }>('SELECT name FROM sqlite_schema WHERE type = ?').all(type)
  return rows.map(({ name }) => name)
}
