/** The rules of the ledger one by one, and those that the database enforces against raw SQL. */
import { beforeEach, describe, expect, it } from 'bun:test'
import { eraseNamesInLog } from '../../../src/account/erasure'
import { logOperation } from '../../../src/account/audit-log'
import { audit } from '../../../src/billing/audit'
import { unitsMax } from '../../../src/config'
import { openDatabase, type Database } from '../../../src/db/database'
import { transact } from '../../../src/db/statements'
import {
  adjust,
  capture,
  ensureAffordable,
  hold,
  openHolds,
  readBalance,
  readKeySpending,
  setCap,
} from '../../../src/billing/ledger/ledger'
import { countCharacters } from '../../../src/billing/ledger/characters'
import { releaseExpired } from '../../../src/billing/recovery'
import { addAccount, addKey, begin, breakOff, credit, fail, speakOnce, startMs, succeed } from '../../billing'

let db: Database
let accountId: string
let keyId: string
beforeEach(() => {
  db = openDatabase(':memory:')
  accountId = addAccount(db)
  keyId = addKey(db, accountId)
  credit(db, accountId, 100)
})

const start = (units: number) => begin(db, { accountId, keyId, units })
const errorOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return error as { code: string; message: string; param: string | null }
  }
  throw new Error('nothing was thrown')
}

describe('a hold', () => {
  it('is captured or released once', () => {
    const captured = start(10)
    succeed(db, accountId, captured, 10)
    const released = start(10)
    fail(db, released)
    for (const begun of [captured, released]) {
      expect(() => transact(db, () => capture(db, begun.holdId, { units: 10, nowMs: startMs }))).toThrow(
        'captured or released once',
      )
      expect(() => fail(db, begun)).toThrow('captured or released once')
    }
    expect(readBalance(db, accountId)).toEqual({ available: 90, held: 0 })
  })

  it('cannot be captured under an unknown id', () => {
    expect(() => transact(db, () => capture(db, 12345, { units: 10, nowMs: startMs }))).toThrow(
      'captured or released once',
    )
  })

  it('needs a whole positive number of units', () => {
    const request = { accountId, keyId, requestId: 'r', purpose: 'speech', nowMs: 0, expiresAtMs: 0 } as const
    for (const units of [0, -1, 1.5, Number.NaN])
      expect(() => transact(db, () => hold(db, { ...request, units }))).toThrow('a hold has units')
    expect(readBalance(db, accountId)).toEqual({ available: 100, held: 0 })
  })

  it('may take the last unit and no more', () => {
    start(100)
    expect(errorOf(() => start(1)).code).toBe('insufficient_balance')
    expect(readBalance(db, accountId)).toEqual({ available: 0, held: 100 })
  })

  it('expires after its expiry time, not at it, and not while its request runs', () => {
    const { holdId, requestId } = begin(db, { accountId, keyId, units: 10, expiresAtMs: startMs + 1000 })
    expect(releaseExpired(db, startMs + 1000, () => false)).toEqual([])
    expect(openHolds(db)).toEqual([{ id: holdId, requestId }])
    expect(releaseExpired(db, startMs + 1001, (id) => id === requestId)).toEqual([])
    expect(releaseExpired(db, startMs + 1001, () => false)).toEqual([requestId])
    expect(openHolds(db)).toEqual([])
    expect(readBalance(db, accountId)).toEqual({ available: 100, held: 0 })
  })

  it('stays open when the transaction of its capture fails', () => {
    const begun = start(10)
    expect(() =>
      transact(db, () => {
        capture(db, begun.holdId, { units: 10, nowMs: startMs })
        throw new Error('the disk is gone')
      }),
    ).toThrow('the disk is gone')
    expect(readBalance(db, accountId)).toEqual({ available: 90, held: 10 })
    expect(audit(db).difference).toBeUndefined()
    succeed(db, accountId, begun, 10)
    expect(readBalance(db, accountId)).toEqual({ available: 90, held: 0 })
  })
})

describe('a partial capture', () => {
  it('spends a part of the hold and releases the rest at once', () => {
    const capped = addKey(db, accountId, 50)
    const begun = begin(db, { accountId, keyId: capped, units: 30 })
    breakOff(db, accountId, begun, 12)
    expect(readBalance(db, accountId)).toEqual({ available: 88, held: 0 })
    expect(readKeySpending(db, capped)).toEqual({ cap: 50, captured: 12, held: 0 })
    expect(audit(db).difference).toBeUndefined()
    expect(() => breakOff(db, accountId, begun, 12)).toThrow('captured or released once')
  })

  it('returns the balance after it', () => {
    const { holdId } = start(30)
    const after = transact(db, () => capture(db, holdId, { units: 12, nowMs: startMs }))
    expect(after).toEqual({ available: 88, held: 0 })
  })

  it('takes 1 unit to all that are held, and otherwise changes nothing', () => {
    const { holdId } = start(10)
    for (const units of [0, -1, 11, 1.5, Number.NaN])
      expect(() => transact(db, () => capture(db, holdId, { units, nowMs: startMs }))).toThrow()
    expect(readBalance(db, accountId)).toEqual({ available: 90, held: 10 })
    expect(openHolds(db).map(({ id }) => id)).toEqual([holdId])
    for (const [units, left] of [
      [1, 99],
      [10, 89],
    ] as const) {
      breakOff(db, accountId, units === 1 ? { holdId, requestId: openHolds(db)[0]!.requestId } : start(10), units)
      expect(readBalance(db, accountId)).toEqual({ available: left, held: 0 })
    }
    expect(audit(db).difference).toBeUndefined()
  })

  it('lets the next request use the released units', () => {
    const begun = start(100)
    breakOff(db, accountId, begun, 40)
    speakOnce(db, { accountId, keyId, units: 60 })
    expect(errorOf(() => start(1)).code).toBe('insufficient_balance')
  })
})

describe('a refusal', () => {
  it('states the units available and the units needed', () => {
    start(30)
    expect(errorOf(() => start(71))).toMatchObject({
      code: 'insufficient_balance',
      message: '70 characters are available, and 71 are needed: redeem a new activation code.',
    })
  })

  it('states the units that the cap leaves and those needed, before it looks at the balance', () => {
    const capped = addKey(db, accountId, 50)
    begin(db, { accountId, keyId: capped, units: 20 })
    expect(errorOf(() => ensureAffordable(db, { accountId, keyId: capped, units: 1000 }))).toMatchObject({
      code: 'key_cap_reached',
      message: 'The cap of this API key leaves 30 characters, and 1000 are needed: raise the cap or use another key.',
    })
  })

  it('of an adjustment states the units found and the units available', () => {
    start(30)
    expect(errorOf(() => credit(db, accountId, -71))).toMatchObject({
      code: 'conflict',
      message: 'units: found -71; the account has 70 available.',
      param: 'units',
    })
    credit(db, accountId, -70)
    expect(readBalance(db, accountId)).toEqual({ available: 0, held: 30 })
  })

  it('comes when available and held units together would exceed the most of an account', () => {
    credit(db, accountId, unitsMax - 100)
    start(100)
    expect(errorOf(() => credit(db, accountId, 1))).toMatchObject({
      code: 'conflict',
      message: `units: found 1; an account holds at most ${unitsMax}.`,
    })
    expect(readBalance(db, accountId)).toEqual({ available: unitsMax - 100, held: 100 })
    expect(audit(db).difference).toBeUndefined()
  })
})

describe('a cap', () => {
  it('of 0 stops the key at once', () => {
    const capped = addKey(db, accountId, 0)
    expect(errorOf(() => begin(db, { accountId, keyId: capped, units: 1 }))).toMatchObject({
      code: 'key_cap_reached',
      message: expect.stringContaining('leaves 0 characters'),
    })
  })

  it('may be reached exactly, counts held and captured units, and does not count released ones', () => {
    const capped = addKey(db, accountId, 10)
    speakOnce(db, { accountId, keyId: capped, units: 4 })
    const begun = begin(db, { accountId, keyId: capped, units: 6 })
    expect(errorOf(() => begin(db, { accountId, keyId: capped, units: 1 })).code).toBe('key_cap_reached')
    fail(db, begun)
    speakOnce(db, { accountId, keyId: capped, units: 6 })
    expect(readKeySpending(db, capped)).toEqual({ cap: 10, captured: 10, held: 0 })
  })

  it('below the units spent leaves 0, never less, and lets open holds be captured', () => {
    const capped = addKey(db, accountId, 50)
    const begun = begin(db, { accountId, keyId: capped, units: 20 })
    transact(db, () => setCap(db, capped, 5))
    expect(errorOf(() => begin(db, { accountId, keyId: capped, units: 1 })).message).toContain('leaves 0 characters')
    succeed(db, accountId, begun, 20)
    expect(readKeySpending(db, capped)).toEqual({ cap: 5, captured: 20, held: 0 })
    transact(db, () => setCap(db, capped, null))
    speakOnce(db, { accountId, keyId: capped, units: 80 })
  })

  it('limits one key and no other key of the account', () => {
    const capped = addKey(db, accountId, 0)
    speakOnce(db, { accountId, keyId, units: 10 })
    expect(readKeySpending(db, capped)).toEqual({ cap: 0, captured: 0, held: 0 })
  })
})

describe('the database itself', () => {
  const refuses = (sql: string, reason: string) => expect(() => db.exec(sql)).toThrow(reason)

  it('refuses an overdraft', () => {
    refuses('UPDATE balances SET available = available - 101', 'CHECK constraint failed: available >= 0')
    refuses('UPDATE balances SET held = held - 1', 'CHECK constraint failed: held >= 0')
    refuses('UPDATE key_spending SET held = held - 1', 'CHECK constraint failed: held >= 0')
    refuses('UPDATE key_spending SET captured = captured - 1', 'CHECK constraint failed: captured >= 0')
  })

  it('refuses to change or delete entries, also by REPLACE', () => {
    refuses('UPDATE ledger_entries SET units = 1', 'ledger entries are never changed')
    refuses('DELETE FROM ledger_entries', 'ledger entries are never deleted')
    refuses(
      `INSERT OR REPLACE INTO ledger_entries SELECT movement_id, account, units * 2, kind, key_id, reason, created_at_ms
       FROM ledger_entries`,
      'ledger entries are never deleted',
    )
  })

  it('refuses a second movement of the same id', () => {
    const { holdId } = start(10)
    transact(db, () => capture(db, holdId, { units: 10, nowMs: startMs }))
    refuses(
      `INSERT INTO ledger_entries (movement_id, account, units, kind, created_at_ms)
       VALUES ('hold-${holdId}', '${accountId}', -10, 'capture', 0)`,
      'UNIQUE constraint failed',
    )
  })

  it('refuses entries of 0 units and adjustments without a reason', () => {
    const insert = (units: number, kind: string) =>
      `INSERT INTO ledger_entries (movement_id, account, units, kind, created_at_ms) VALUES ('m', 'codes', ${units}, '${kind}', 0)`
    refuses(insert(0, 'code'), 'CHECK constraint failed: units <> 0')
    refuses(insert(1, 'adjustment'), 'CHECK constraint failed')
    expect(() => transact(db, () => adjust(db, { accountId, units: 0, nowMs: 0 }, 'none'))).toThrow('units <> 0')
  })

  it('refuses to resolve a hold twice, to change its other columns, and to delete it', () => {
    const { holdId } = start(10)
    for (const change of [
      'id = id + 1',
      'held_units = 1',
      "request_id = 'x'",
      "purpose = 'clones'",
      `account_id = '${addAccount(db)}'`,
      `key_id = '${addKey(db, accountId)}'`,
    ])
      refuses(`UPDATE holds SET ${change} WHERE id = ${holdId}`, 'a hold is resolved once')
    refuses('DELETE FROM holds', 'holds are never deleted')
    for (const units of [0, 11, 'NULL'])
      refuses(
        `UPDATE holds SET status = 'captured', captured_units = ${units} WHERE id = ${holdId}`,
        'CHECK constraint failed',
      )
    refuses(`UPDATE holds SET status = 'released', captured_units = 5 WHERE id = ${holdId}`, 'CHECK constraint failed')
    for (const status of ['captured', 'released']) {
      const { holdId: other } = start(10)
      const unitsOf = (name: string) => `captured_units = ${name === 'captured' ? 10 : 'NULL'}`
      db.exec(`UPDATE holds SET status = '${status}', ${unitsOf(status)} WHERE id = ${other}`)
      for (const next of ['held', 'captured', 'released'])
        refuses(`UPDATE holds SET status = '${next}', ${unitsOf(next)} WHERE id = ${other}`, 'a hold is resolved once')
    }
  })

  it('refuses a second charge of a request', () => {
    const requestId = speakOnce(db, { accountId, keyId, units: 10 })
    refuses(
      `INSERT INTO holds (request_id, account_id, key_id, purpose, held_units, status, created_at_ms, expires_at_ms)
       VALUES ('${requestId}', '${accountId}', '${keyId}', 'speech', 10, 'held', 0, 0)`,
      'UNIQUE constraint failed: holds.request_id',
    )
  })

  it('refuses to change a request that succeeded, to move one to another account, and to delete one', () => {
    speakOnce(db, { accountId, keyId, units: 10 })
    refuses('UPDATE usage SET units = 1', 'never changed')
    refuses("UPDATE usage SET status = 'failed', units = 0, error_code = 'x'", 'never changed')
    const running = start(10)
    const where = `WHERE request_id = '${running.requestId}'`
    refuses(`UPDATE usage SET account_id = '${addAccount(db)}' ${where}`, 'never changed')
    refuses(`UPDATE usage SET request_id = 'x' ${where}`, 'never changed')
    refuses(`UPDATE usage SET units = 5 ${where}`, 'CHECK constraint failed')
    refuses('DELETE FROM usage', 'usage is never deleted')
    refuses('REPLACE INTO usage SELECT * FROM usage', 'usage is never deleted')
  })

  it('refuses to change or shorten the audit log', () => {
    logOperation(db, { actor: 'a', act: 'b', subject: 'c', before: null, after: { name: 'Ada', cap: 1 } }, startMs)
    refuses("UPDATE audit_log SET actor = 'nobody'", 'the audit log is never changed')
    for (const after of ['NULL', `'{"name":"Eve","cap":1}'`, `'{"name":"erased","cap":2}'`])
      refuses(`UPDATE audit_log SET after = ${after}`, 'the audit log is never changed')
    // An erasure.
    eraseNamesInLog(db, ['c'])
    expect(db.prepare('SELECT after FROM audit_log').pluck().get()).toBe('{"name":"erased","cap":1}')
    refuses('DELETE FROM audit_log', 'the audit log is never shortened')
    refuses('REPLACE INTO audit_log SELECT * FROM audit_log', 'the audit log is never shortened')
  })
})

it('counts code points', () => {
  expect(['', 'abc', '😀', '🇩🇪', 'e\u0301', '你好 ', '👨‍👩‍👧'].map(countCharacters)).toEqual([0, 3, 1, 2, 2, 3, 5])
})
