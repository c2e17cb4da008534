/** The statement of an account: kinds of movements, balances, pages. */
import { beforeEach, describe, expect, it } from 'bun:test'
import { openDatabase, type Database } from '../../src/db/database'
import { readBalance, settledUnits } from '../../src/billing/ledger/ledger'
import { listStatement } from '../../src/billing/statement'
import type { Fields } from '../../src/fields'
import { addAccount, addKey, begin, breakOff, credit, fail, redeem, speakOnce, startMs } from '../billing'

let db: Database
let accountId: string
let keyId: string
beforeEach(() => {
  db = openDatabase(':memory:')
  accountId = addAccount(db)
  keyId = addKey(db, accountId)
})

const list = (fields: Fields = {}, of = accountId) => listStatement(db, fields, of)
type Item = ReturnType<typeof list>['items'][number]

function readAll(limit: number): Item[] {
  const items: Item[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = list({ limit, cursor })
    items.push(...page.items)
    cursor = page.next_cursor
  }
  return items
}

describe('the statement', () => {
  it('is empty at first', () => {
    expect(list()).toEqual({ items: [], next_cursor: null })
  })

  it('has every kind of movement, with its reason, its request and the balance after it', () => {
    credit(db, accountId, 100, startMs - 3)
    redeem(db, accountId, 50, startMs - 2)
    credit(db, accountId, -20, startMs - 1)
    const requestId = speakOnce(db, { accountId, keyId, units: 7 })
    const items = list().items
    expect(items.map(({ kind, units, balance_after }) => [kind, units, balance_after])).toEqual([
      ['speech', -7, 123],
      ['adjustment', -20, 130],
      ['code', 50, 150],
      ['adjustment', 100, 100],
    ])
    expect(items.map(({ reason }) => reason)).toEqual(['speech', 'for a test', 'code', 'for a test'])
    expect(items.map(({ request_id }) => request_id)).toEqual([requestId, null, null, null])
    expect(items[0]).toMatchObject({ id: requestId, created_at: '2026-01-31T12:00:00.000Z' })
    expect(new Set(items.map(({ id }) => id)).size).toBe(4)
  })

  it('shows what a request charged: nothing while it runs or after it failed, a part after an early end', () => {
    credit(db, accountId, 100)
    begin(db, { accountId, keyId, units: 9 })
    fail(db, begin(db, { accountId, keyId, units: 9 }))
    const early = begin(db, { accountId, keyId, units: 9 })
    breakOff(db, accountId, early, 4)
    const [charge, ...others] = list().items
    expect(charge).toMatchObject({ units: -4, balance_after: 96, request_id: early.requestId })
    expect(others).toHaveLength(1)
    expect(settledUnits(readBalance(db, accountId))).toBe(96)
  })

  it('is complete in pages of any size, with equal balances, also among equal times', () => {
    credit(db, accountId, 1000, startMs - 10)
    for (let i = 0; i < 12; i++) speakOnce(db, { accountId, keyId, units: i + 1 })
    redeem(db, accountId, 5, startMs + 10)
    const whole = list({ limit: 200 }).items
    expect(whole).toHaveLength(14)
    expect(whole[0]!.balance_after).toBe(1000 - 78 + 5)
    whole.forEach(({ balance_after, units }, i) => expect(balance_after - units).toBe(whole[i + 1]?.balance_after ?? 0))
    for (const limit of [1, 2, 5, 7, 13, 14]) expect(readAll(limit)).toEqual(whole)
  })

  it('keeps the balances of older movements while newer ones are added between two pages', () => {
    credit(db, accountId, 100, startMs - 10)
    credit(db, accountId, 10, startMs - 5)
    const before = list().items
    const first = list({ limit: 1 })
    credit(db, accountId, 7, startMs + 5)
    expect([...first.items, ...list({ cursor: first.next_cursor }).items]).toEqual(before)
    expect(list().items[0]!.balance_after).toBe(117)
  })

  it('shows no movement of another account, also with its cursor', () => {
    const otherId = addAccount(db)
    credit(db, otherId, 10)
    credit(db, otherId, 20)
    expect(list()).toEqual({ items: [], next_cursor: null })
    const { next_cursor: cursor } = list({ limit: 1 }, otherId)
    expect(list({ cursor })).toEqual({ items: [], next_cursor: null })
  })

  it('refuses the cursor of another list', () => {
    for (const text of [`${startMs}.7`, `${startMs}.${Bun.randomUUIDv7()}`, `${startMs}.99999999999999_hold-1`]) {
      const cursor = Buffer.from(text).toString('base64url')
      expect(() => list({ cursor })).toThrow('cursor: found ')
    }
  })
})
