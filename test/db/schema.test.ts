/** What the database itself refuses of the tables that no code writes yet: people, and the key of the console. */
import { beforeEach, describe, expect, it } from 'bun:test'
import { findKey, hasAdministratorKey, listKeys } from '../../src/account/keys'
import { createAccount } from '../../src/account/accounts'
import { audit } from '../../src/billing/audit'
import { openBalance, openKeySpending } from '../../src/billing/ledger/ledger'
import { openDatabase, type Database } from '../../src/db/database'
import { transact } from '../../src/db/statements'
import { addAccount, addKey, credit, speakOnce, startMs } from '../billing'

let db: Database
let accountId: string
beforeEach(() => {
  db = openDatabase(':memory:')
  accountId = addAccount(db)
})

const refuses = (work: () => unknown, reason: string) => expect(work).toThrow(reason)

describe('the key of the console', () => {
  const add = (id: string, changes: Record<string, unknown> = {}) => {
    const row = { id, account_id: accountId, kind: 'console', prefix: null, secret_sha256: null, ...changes }
    transact(db, () => {
      db.prepare(
        `INSERT INTO api_keys (id, account_id, kind, name, prefix, secret_sha256, status, created_at_ms)
         VALUES (@id, @account_id, @kind, 'console', @prefix, @secret_sha256, 'active', 0)`,
      ).run(row)
      openKeySpending(db, id, null)
    })
  }

  it('has no secret, pays like any other, and is one per account', () => {
    add('console')
    credit(db, accountId, 10)
    speakOnce(db, { accountId, keyId: 'console', units: 4 })
    expect(audit(db).difference).toBeUndefined()
    refuses(() => add('second'), 'UNIQUE constraint failed: api_keys.account_id')
    const otherId = addAccount(db)
    add('of another', { account_id: otherId })
  })

  it('is hidden from the lists of keys and is no administrator’s key', () => {
    const { id } = transact(db, () => {
      const account = createAccount(db, { name: 'A', email: null, role: 'admin', planId: null, nowMs: 0 })
      openBalance(db, account.id)
      return account
    })
    add('console', { account_id: id })
    expect([listKeys(db, id), findKey(db, 'console')]).toEqual([[], undefined])
    expect(hasAdministratorKey(db, { nowMs: startMs })).toBe(false)
    const keyId = addKey(db, id)
    expect(listKeys(db, id).map((key) => key.id)).toEqual([keyId])
    expect(hasAdministratorKey(db, { nowMs: startMs })).toBe(true)
  })

  it('cannot have a secret, and an API key cannot be without', () => {
    const secret_sha256 = Buffer.alloc(32)
    for (const changes of [
      { secret_sha256, prefix: 'sk-0000' },
      { secret_sha256 },
      { prefix: 'sk-0000' },
      { kind: 'api' },
      { kind: 'api', secret_sha256 },
      { kind: 'other' },
    ])
      refuses(() => add('k', changes), 'CHECK constraint failed')
    add('k', { kind: 'api', secret_sha256, prefix: 'sk-0000' })
  })
})

describe('people', () => {
  const addPerson = (id: string, folded: string, account = accountId) =>
    db
      .prepare("INSERT INTO persons VALUES (?, ?, 'Ada@Example.org', ?, 'Ada', '$argon2id$', 0)")
      .run(id, account, folded)

  it('have one e-mail each without regard to case, and an account', () => {
    addPerson('p1', 'ada@example.org')
    refuses(() => addPerson('p2', 'ada@example.org'), 'UNIQUE constraint failed: persons.email_folded')
    addPerson('p2', 'grace@example.org')
    refuses(() => addPerson('p3', 'x@example.org', 'nobody'), 'FOREIGN KEY constraint failed')
  })

  it('take their sessions with them', () => {
    addPerson('p1', 'ada@example.org')
    db.prepare("INSERT INTO sessions VALUES ('s1', 'p1', zeroblob(32), NULL, 0, NULL, '', 0, 0)").run()
    refuses(
      () => db.exec("INSERT INTO sessions VALUES ('s2', 'p1', zeroblob(32), NULL, 0, NULL, '', 0, 0)"),
      'UNIQUE constraint failed',
    )
    db.exec("DELETE FROM persons WHERE id = 'p1'")
    expect(db.prepare('SELECT * FROM sessions').all()).toEqual([])
  })

  it('are invited for a time, and set up without a limit', () => {
    const invite = (kind: string, expiresAtMs: number | null, secret: number) =>
      db
        .prepare('INSERT INTO invitations VALUES (? || ?, ?, ?, randomblob(32), 0, ?, NULL)')
        .run(kind, secret, kind, accountId, expiresAtMs)
    invite('invitation', 5, 1)
    invite('setup', null, 2)
    refuses(() => invite('invitation', null, 3), 'CHECK constraint failed')
    refuses(() => invite('setup', 5, 4), 'CHECK constraint failed')
  })
})

it('the gender of a clone may be unknown', () => {
  const keyId = addKey(db, accountId)
  credit(db, accountId, 300)
  const requestId = speakOnce(db, { accountId, keyId, units: 300 })
  db.exec('INSERT INTO reference_files (sha256, size_bytes, created_at_ms) VALUES (zeroblob(32), 1, 0)')
  const add = (gender: string | null) =>
    db
      .prepare(
        `INSERT INTO clones VALUES ('cv-1', ?, ?, zeroblob(32), 'n', 'en', ?, 'adapted', 'en-ross', '{}', '[]', 1, 'd', 0)`,
      )
      .run(accountId, requestId, gender)
  refuses(() => add('unknown'), 'CHECK constraint failed')
  expect(add(null).changes).toBe(1)
})
