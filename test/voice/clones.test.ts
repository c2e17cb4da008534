import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/database'
import { migrations } from '../../src/db/migrations'
import { makeOldDatabase } from '../old-database'
import { findAnyClone, insertClone, keepReference, listClones, updateClone, type Clone } from '../../src/voice/clones'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'sonant-clones-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

/** Makes a database of the version that knew adapted voices only, with two clones of two recordings. */
function openThirdVersion(path: string) {
  const db = makeOldDatabase(path, 3)
  db.exec(`
    INSERT INTO accounts VALUES ('a1', 'Old', NULL, 'user', 'enabled', NULL, '0000000000000001', 1);
    INSERT INTO api_keys VALUES ('k1', 'a1', 'key', 'sk', zeroblob(32), 'active', NULL, NULL, NULL, 1, NULL);`)
  for (const n of [1, 2])
    db.exec(`
      INSERT INTO usage (request_id, kind, account_id, key_id, created_at_ms, voice_id, characters, status)
        VALUES ('r${n}', 'clone', 'a1', 'k1', ${n}, 'cv-${n}', 300, 'running');
      INSERT INTO reference_files VALUES (unhex('${`0${n}`.repeat(32)}'), 1000, 1, 1);
      INSERT INTO reference_urls VALUES ('http://there/${n}', unhex('${`0${n}`.repeat(32)}'));
      INSERT INTO clones VALUES ('cv-${n}', 'a1', 'r${n}', unhex('${`0${n}`.repeat(32)}'), 'Voice ${n}', 'en', 'male',
        'adapted', 'en-ross', '{"version":1}', '[{"code":"short","message":"Longer."}]', 4000, 'demos/${n}.mp3', ${n});`)
  return db
}

describe('a database of the version before converted voices', () => {
  it('keeps its clones and then accepts converted ones', () => {
    const path = join(directory, 'old.db')
    const old = openThirdVersion(path)
    expect(() => old.exec("UPDATE clones SET method = 'converted'")).toThrow('CHECK constraint failed')
    const rows = old
      .prepare<[], { duration_ms: number }>('SELECT * FROM clones ORDER BY id')
      .all()
      .map(({ duration_ms: recording_ms, ...row }) => ({ ...row, recording_ms }))
    expect(rows.length).toBe(2)
    old.close()

    const db = openDatabase(path)
    expect(db.pragma('user_version', { simple: true })).toBe(migrations.length)
    expect(db.pragma('foreign_key_check')).toEqual([])
    expect(db.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(db.prepare('SELECT * FROM clones ORDER BY id').all()).toEqual(rows)
    expect(listClones(db, 'a1').map(({ id, method }) => [id, method])).toEqual([
      ['cv-1', 'adapted'],
      ['cv-2', 'adapted'],
    ])
    const first = findAnyClone(db, 'cv-1')!
    expect(updateClone(db, { ...first, method: 'converted' })).toBe(true)
    expect(findAnyClone(db, 'cv-1')!.method).toBe('converted')
    expect(() => db.exec("UPDATE clones SET method = 'guessed'")).toThrow('CHECK constraint failed')
    db.close()
  })

  it('gets the same constraints, indexes and references as a new one', () => {
    const path = join(directory, 'rules.db')
    openThirdVersion(path).close()
    const [upgraded, fresh] = [openDatabase(path), openDatabase(join(directory, 'fresh.db'))]
    const [old, made] = [upgraded, fresh].map((db) =>
      db.prepare("SELECT name, sql FROM sqlite_schema WHERE tbl_name = 'clones' ORDER BY name").all(),
    )
    expect(old).toEqual(made!)
    expect(old!.length).toBe(6)
    keepReference(upgraded, { sha256: 'ab'.repeat(32), sizeBytes: 1, nowMs: 0 })
    const first = findAnyClone(upgraded, 'cv-1')!
    const other: Clone = { ...first, id: 'cv-3', sha256: 'ab'.repeat(32), method: 'converted' }
    expect(() => insertClone(upgraded, other)).toThrow('UNIQUE constraint failed')
    expect(() => insertClone(upgraded, { ...other, requestId: 'nobody paid' })).toThrow('FOREIGN KEY constraint failed')
    expect(() => insertClone(upgraded, { ...other, sha256: first.sha256 })).toThrow('UNIQUE constraint failed')
    upgraded.close()
    fresh.close()
  })
})
