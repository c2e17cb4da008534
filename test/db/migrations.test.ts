/** The schema: a new database has that of a migrated one, and a migration keeps every row or changes nothing. */
import { afterAll, describe, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audit } from '../../src/billing/audit'
import { describeRecord } from '../../src/billing/history'
import { readBalance } from '../../src/billing/ledger/ledger'
import { releaseAll } from '../../src/billing/recovery'
import { findUsage } from '../../src/billing/usage/usage'
import { openDatabase, openExistingDatabase, type Database } from '../../src/db/database'
import { migrations } from '../../src/db/migrations'
import { findFirstClone } from '../../src/voice/clones'
import { listPlans } from '../../src/voice/plans'
import { speakOnce } from '../billing'
import { makeOldDatabase } from '../old-database'
import { oldFixtureVersion, writeOldFixture } from '../old-fixture'

const directory = await mkdtemp(join(tmpdir(), 'sonant-migrations-'))
afterAll(() => rm(directory, { recursive: true }))

let count = 0
const newPath = () => join(directory, `${count++}.db`)

async function writeFixture(): Promise<string> {
  const path = newPath()
  await writeOldFixture(path)
  return path
}

type Row = Record<string, any>
const rowsOf = (db: Database, sql: string) => db.prepare<[], Row>(sql).all()
const schemaOf = (db: Database) => rowsOf(db, 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name')
const version = (db: Database) => db.pragma('user_version', { simple: true })

/** Reads a database of any version, without migrating it. */
function readOld<T>(path: string, read: (db: Database) => T): T {
  let result: T
  const stop = new Error('enough')
  try {
    openDatabase(path, (db) => {
      result = read(db)
      throw stop
    }).close()
  } catch (error) {
    if (error !== stop) throw error
  }
  return result!
}

const tablesOf = (db: Database) =>
  rowsOf(db, "SELECT name FROM sqlite_schema WHERE type = 'table'").map((row) => row.name)
const contentOf = (db: Database): Record<string, Row[]> =>
  Object.fromEntries(tablesOf(db).map((name) => [name, rowsOf(db, `SELECT * FROM ${name} ORDER BY 1, 2`)]))

/** Renames columns of a row. */
const renamed = (row: Row, names: Record<string, string>) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [names[name] ?? name, value]))

describe('a new database', () => {
  it.each(migrations.map((_, i) => i + 1).slice(0, -1))('has the schema of one migrated from version %d', (from) => {
    const path = newPath()
    makeOldDatabase(path, from).close()
    const migrated = openDatabase(path)
    const made = openDatabase(newPath())
    expect(schemaOf(migrated)).toEqual(schemaOf(made))
    expect([version(migrated), version(made)]).toEqual([migrations.length, migrations.length])
    for (const db of [migrated, made]) db.close()
  })
})

describe('the database of an older executable', () => {
  it('gets the schema of a new one', async () => {
    const path = await writeFixture()
    const before = readOld(path, (db) => [version(db), schemaOf(db).length])
    expect(before[0]).toBe(oldFixtureVersion)
    const migrated = openDatabase(path)
    const made = openDatabase(':memory:')
    expect(schemaOf(migrated)).toEqual(schemaOf(made))
    for (const pragma of ['integrity_check', 'foreign_key_check'])
      expect(migrated.pragma(pragma)).toEqual(made.pragma(pragma))
    migrated.close()
  })

  it('keeps every row, under the new names', async () => {
    const path = await writeFixture()
    const old = readOld(path, contentOf)
    const db = openDatabase(path)
    const now = contentOf(db)
    const changed: Record<string, (row: Row) => Row> = {
      accounts: (row) => ({ ...renamed(row, { group_id: 'plan_id' }), erased_at_ms: null, files_left: 0 }),
      api_keys: (row) => ({ ...row, kind: 'api', revokes_at_ms: null }),
      clones: (row) => renamed(row, { duration_ms: 'recording_ms' }),
      group_voices: (row) => renamed(row, { group_id: 'plan_id' }),
      holds: (row) => ({
        ...renamed(row, { units: 'held_units' }),
        captured_units: row.status === 'captured' ? row.units : null,
      }),
      usage: (row) => ({ ...renamed(row, { duration_ms: 'processing_ms' }), surface: 'api' }),
    }
    const names: Record<string, string> = { groups: 'plans', group_voices: 'plan_voices' }
    for (const [name, rows] of Object.entries(old))
      expect([name, now[names[name] ?? name]]).toEqual([name, rows.map(changed[name] ?? ((row) => row))])
    const added = Object.keys(now).filter((name) => !Object.keys(old).some((known) => (names[known] ?? known) === name))
    expect(added.sort()).toEqual(['built_in_voices', 'invitations', 'persons', 'sessions'])
    for (const name of ['accounts', 'api_keys', 'plans', 'clones', 'activation_codes', 'audit_log', 'holds', 'usage'])
      expect([name, now[name]!.length > 1]).toEqual([name, true])
    db.close()
  })

  it('passes the audit before and after its running request is released, and takes new requests', async () => {
    const db = openDatabase(await writeFixture())
    expect(audit(db).difference).toBeUndefined()
    expect(releaseAll(db)).toHaveLength(1)
    expect(audit(db).difference).toBeUndefined()
    const statuses = new Set(rowsOf(db, 'SELECT status FROM usage').map(({ status }) => status))
    expect([...statuses].sort()).toEqual(['charged', 'failed', 'uncharged'])
    const [clone] = rowsOf(db, "SELECT account_id FROM clones WHERE name = 'Mine'")
    expect(findFirstClone(db, clone!.account_id)).toMatchObject({ name: 'Mine', recordingMs: expect.any(Number) })
    expect(listPlans(db).map(({ name, voices }) => [name, voices])).toEqual([
      ['Narrators', ['en-kevin', 'en-ross']],
      ['Empty', []],
    ])
    const key = rowsOf(db, "SELECT id, account_id FROM api_keys WHERE name = 'first'")[0]!
    const { available } = readBalance(db, key.account_id)
    const requestId = speakOnce(db, { accountId: key.account_id, keyId: key.id, units: 5 })
    expect(readBalance(db, key.account_id)).toEqual({ available: available - 5, held: 0 })
    expect(describeRecord(findUsage(db, requestId)!, 'http://a').surface).toBe('api')
    expect(audit(db).difference).toBeUndefined()
    db.close()
  })

  it('is protected by the triggers again', async () => {
    const db = openDatabase(await writeFixture())
    expect(() => db.exec("UPDATE usage SET units = 1 WHERE status = 'charged'")).toThrow('never changed')
    expect(() => db.exec('DELETE FROM holds')).toThrow('never deleted')
    expect(() => db.exec('DELETE FROM ledger_entries')).toThrow('never deleted')
    expect(() => db.exec('DELETE FROM audit_log')).toThrow('never shortened')
    expect(() => db.exec("UPDATE sqlite_schema SET sql = ''")).toThrow('may not be modified')
    expect(() => db.exec("DELETE FROM accounts WHERE name = 'Plain'")).toThrow('FOREIGN KEY constraint failed')
    db.close()
  })

  it.each([
    ['in its first table', 'CREATE TABLE plans (id TEXT, name TEXT)', 'table plans already exists'],
    ['behind its largest table', 'CREATE TABLE persons (id TEXT, name TEXT)', 'no such column: account_id'],
    ['in its last index', 'CREATE TABLE audit_log_by_age (id TEXT, name TEXT)', 'already a table named'],
  ])('is unchanged when its migration fails %s', async (_where, obstacle, message) => {
    const path = await writeFixture()
    readOld(path, (db) => db.exec(obstacle))
    const read = (db: Database) => [version(db), schemaOf(db), contentOf(db)]
    const before = readOld(path, read)
    expect(() => openDatabase(path)).toThrow(message)
    expect(readOld(path, read)).toEqual(before)
  })

  it('is unchanged when the disk fills up during its migration, and is migrated when there is room', async () => {
    const path = await writeFixture()
    const read = (db: Database) => [version(db), schemaOf(db), contentOf(db)]
    const before = readOld(path, read)
    const pages = readOld(path, (db) => db.pragma('page_count', { simple: true }) as number)
    const fill = (db: Database) => void db.pragma(`max_page_count = ${pages + 5}`)
    expect(() => openDatabase(path, fill)).toThrow('database or disk is full')
    expect(readOld(path, read)).toEqual(before)
    const db = openDatabase(path)
    expect([version(db), audit(db).difference]).toEqual([migrations.length, undefined])
    db.close()
  })

  it('is opened by a command only after a server migrated it', async () => {
    const path = await writeFixture()
    expect(() => openExistingDatabase(path)).toThrow('is of an older version; start the server once')
    openDatabase(path).close()
    openExistingDatabase(path).close()
  })
})
