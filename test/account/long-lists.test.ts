/** Searches in the long lists of administrators: complete, and other work runs meanwhile. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { createAccount } from '../../src/account/accounts'
import { logOperation } from '../../src/account/audit-log'
import { listAccounts } from '../../src/admin/accounts'
import { listLog } from '../../src/admin/log'
import { openBalance } from '../../src/billing/ledger/ledger'
import { openDatabase, type Database } from '../../src/db/database'
import { transact } from '../../src/db/statements'
import type { Fields } from '../../src/fields'

const count = 5000
const rareEvery = 1250
const startMs = 1_700_000_000_000

describe('a search in a long list', () => {
  let db: Database
  const administration = () => ({ db, actor: 'cli', refusesLockOut: false, nowMs: Date.now })
  beforeAll(() => {
    db = openDatabase(':memory:')
    transact(db, () => {
      for (let i = 0; i < count; i++) {
        const isRare = i % rareEvery === 0
        // Several have the same time.
        const nowMs = startMs + Math.floor(i / 7)
        const name = `${isRare ? 'rare' : 'common'} ${i}`
        const { id } = createAccount(db, { name, email: null, role: 'user', planId: null, nowMs })
        openBalance(db, id)
        const act = isRare ? 'account erase' : 'account create'
        logOperation(
          db,
          { actor: `key ${isRare ? 'rare' : i}`, act, subject: id, before: null, after: { name } },
          nowMs,
        )
      }
    })
  })
  afterAll(() => db.close())

  type Page<Item> = { readonly items: readonly Item[]; readonly next_cursor: string | null }

  async function readAll<Item>(list: (fields: Fields) => Promise<Page<Item>>, fields: Fields): Promise<Item[]> {
    const found: Item[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Page<Item> = await list({ ...fields, ...(cursor && { cursor }) })
      found.push(...page.items)
      cursor = page.next_cursor
    }
    return found
  }

  const rare = [3750, 2500, 1250, 0].map((i) => `rare ${i}`)
  const accounts = (fields: Fields) => listAccounts(administration(), fields)
  const log = (fields: Fields) => listLog(administration(), fields)
  const nameOf = ({ after }: { after: unknown }) => (after as { name: string }).name

  it('finds every account that matches, in pages of any size', async () => {
    for (const limit of [1, 3, 4, 200])
      expect((await readAll(accounts, { q: 'RARE', limit })).map(({ name }) => name)).toEqual(rare)
  })

  it('finds every operation that matches, in pages of any size', async () => {
    for (const filter of [{ act: 'account erase' }, { actor: 'rare' }, { act: 'account erase', actor: 'key' }])
      for (const limit of [1, 3, 4, 200]) expect((await readAll(log, { ...filter, limit })).map(nameOf)).toEqual(rare)
    const from = new Date(startMs + Math.floor(1250 / 7)).toISOString()
    expect((await readAll(log, { act: 'account erase', from })).map(nameOf)).toEqual(rare.slice(0, 3))
    const [found] = await readAll(accounts, { q: 'rare 2500' })
    expect((await readAll(log, { subject: found!.id, actor: 'rare', limit: 1 })).map(nameOf)).toEqual(['rare 2500'])
  })

  it.each([
    ['accounts', () => accounts({ q: 'nobody' })],
    ['the audit log', () => log({ actor: 'nobody' })],
  ])('lets other work run between its steps: %s', async (_what, search) => {
    let turns = 0
    let hasEnded = false
    const countTurns = () => {
      turns++
      if (!hasEnded) setImmediate(countTurns)
    }
    setImmediate(countTurns)
    const { items } = await search()
    hasEnded = true
    expect(items).toEqual([])
    expect(turns).toBeGreaterThanOrEqual(2)
  })
})
