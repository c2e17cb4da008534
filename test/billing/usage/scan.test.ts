/** Filters by voice and status, and sums, over histories that take several steps to read. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { listUsageDays, valuesOf } from '../../../src/billing/usage/usage'
import { readUsagePage, scanUsage, sumUsage, sumUsageDays } from '../../../src/billing/usage/scan'
import type { Place, UsageFilter } from '../../../src/billing/usage/usage'
import { openDatabase, type Database } from '../../../src/db/database'
import { addAccount, addKey, begin, breakOff, credit, dayMs, fail, speakOnce, startMs, succeed } from '../../billing'
import { detailsOf, plansOf } from '../../query-plans'

/** More than two steps of one scan, several rows per time. */
const rows = 5_000

let db: Database
let accountId: string
let keyId: string
let otherId: string
beforeAll(() => {
  db = openDatabase(':memory:')
  ;[accountId, otherId] = [addAccount(db), addAccount(db)]
  keyId = addKey(db, accountId)
  db.prepare(
    `WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < ? - 1)
     INSERT INTO usage (request_id, kind, account_id, key_id, created_at_ms, voice_id, characters, speed, format,
       status, error_code, units, audio_ms)
     SELECT printf('%032x', i), 'tts', ?, ?, ? + i / 7, iif(i % 1000 = 3, 'en-rare', 'en-often'), 12, 1, 'mp3',
       iif(i % 500 = 0, 'failed', 'charged'), iif(i % 500 = 0, 'synthesis_failed', NULL),
       iif(i % 500 = 0, 0, 12), iif(i % 500 = 0, NULL, 900)
     FROM numbers`,
  ).run(rows, accountId, keyId, startMs)
  const otherKeyId = addKey(db, otherId)
  credit(db, otherId, 100)
  speakOnce(db, { accountId: otherId, keyId: otherKeyId, units: 5, voiceId: 'en-rare', nowMs: startMs - dayMs })
})
afterAll(() => db.close())

const idOf = (i: number) => i.toString(16).padStart(32, '0')
const rare = [4003, 3003, 2003, 1003, 3].map(idOf)
const failed = [4500, 4000, 3500, 3000, 2500, 2000, 1500, 1000, 500, 0].map(idOf)

async function readAll(filter: UsageFilter, limit: number, scanRowsMax?: number) {
  const pages: string[][] = []
  let before: Place | undefined
  do {
    const { rows, next } = await readUsagePage(db, filter, { limit, before, scanRowsMax })
    pages.push(rows.map(({ requestId }) => requestId))
    before = next
  } while (before)
  return pages
}

describe('a filter by voice or status', () => {
  it('finds all requests that match, in pages of any size', async () => {
    for (const limit of [1, 2, 3, 5, 200]) {
      expect((await readAll({ accountId, voiceId: 'en-rare' }, limit)).flat()).toEqual(rare)
      expect((await readAll({ keyId, status: 'failed' }, limit)).flat()).toEqual(failed)
    }
    expect((await readAll({ accountId, status: 'failed', voiceId: 'en-rare' }, 5)).flat()).toEqual([])
    expect((await readAll({ accountId, keyId, status: 'charged', voiceId: 'en-rare' }, 5)).flat()).toEqual(rare)
    expect((await readAll({ voiceId: 'en-rare' }, 200)).flat().slice(0, 5)).toEqual(rare)
    expect((await readAll({ accountId, status: 'partial' }, 200)).flat()).toEqual([])
    const range = { accountId, fromMs: startMs + 143, toMs: startMs + 429 }
    expect((await readAll({ ...range, voiceId: 'en-rare' }, 1)).flat()).toEqual([2003, 1003].map(idOf))
    expect((await readAll({ accountId: otherId, keyId, voiceId: 'en-rare' }, 5)).flat()).toEqual([])
  })

  it('ends a page early behind many requests that do not match, and the next page goes on there', async () => {
    const pages = await readAll({ accountId, voiceId: 'en-rare' }, 200, 2_000)
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(rare)
  })

  it('reads the same index as without it, a bounded number of rows at a time', () => {
    const fresh = openDatabase(':memory:')
    const plans = plansOf(fresh, () => [...scanUsage(fresh, { accountId: 'a', voiceId: 'v' }, undefined, 10)])
    expect(plans.map(detailsOf)).toEqual([
      ['SEARCH usage USING COVERING INDEX usage_by_account (account_id=? AND created_at_ms>? AND created_at_ms<?)'],
      ['SEARCH usage USING INDEX usage_by_account (account_id=? AND created_at_ms>? AND created_at_ms<?)'],
    ])
    fresh.close()
    // SQLite would read on to the oldest row otherwise, at every step.
    expect(valuesOf({ fromMs: 1 }, { before: undefined, last: { createdAtMs: 9, id: 1 } }).fromMs).toBe(9)
    const sizes = [...scanUsage(db, { accountId, status: 'charged' }, undefined, 700)].map((step) => step.rows.length)
    expect(sizes).toHaveLength(8)
    expect(Math.max(...sizes)).toBeLessThan(700)
  })

  it('leaves out running requests', async () => {
    const own = openDatabase(':memory:')
    const id = addAccount(own)
    const key = addKey(own, id)
    credit(own, id, 100)
    const begun = begin(own, { accountId: id, keyId: key, units: 1 })
    const read = () => readUsagePage(own, { accountId: id, voiceId: 'en-test' }, { limit: 5, before: undefined })
    expect((await read()).rows).toEqual([])
    expect((await sumUsage(own, { accountId: id })).requests).toBe(0)
    succeed(own, id, begun, 1)
    expect((await read()).rows).toHaveLength(1)
    own.close()
  })
})

describe('the sums', () => {
  it('cover every request that matches', async () => {
    const all = {
      requests: rows,
      characters: 12 * rows,
      units: 12 * (rows - 10),
      audioMs: 900 * (rows - 10),
      failed: 10,
    }
    expect(await sumUsage(db, { accountId })).toEqual(all)
    expect(await sumUsage(db, { accountId, keyId })).toEqual(all)
    const one = { requests: 1, characters: 5, units: 5, audioMs: 1000, failed: 0 }
    expect(await sumUsage(db, { accountId: otherId })).toEqual(one)
    expect((await sumUsage(db, {})).requests).toBe(rows + 1)
    expect(await sumUsage(db, { voiceId: 'en-rare' })).toEqual({
      ...{ requests: 6, characters: 65, units: 65, audioMs: 5500, failed: 0 },
    })
    const nothing = { requests: 0, characters: 0, units: 0, audioMs: 0, failed: 0 }
    expect(await sumUsage(db, { accountId, status: 'failed' })).toEqual({
      ...{ ...nothing, requests: 10, characters: 120, failed: 10 },
    })
    expect(await sumUsage(db, { accountId, fromMs: startMs + 1, toMs: startMs + 3 })).toMatchObject({ requests: 14 })
    for (const none of [{ accountId: otherId, keyId }, { accountId: 'nobody' }, { voiceId: 'x' }, { toMs: 0 }])
      expect(await sumUsage(db, none)).toEqual(nothing)
  })

  it('count the characters that an early end charged', async () => {
    const own = openDatabase(':memory:')
    const id = addAccount(own)
    const key = addKey(own, id)
    credit(own, id, 100)
    breakOff(own, id, begin(own, { accountId: id, keyId: key, units: 9 }), 4)
    fail(own, begin(own, { accountId: id, keyId: key, units: 3 }))
    expect(await sumUsage(own, { accountId: id })).toEqual({
      ...{ requests: 2, characters: 12, units: 4, audioMs: 400, failed: 1 },
    })
    own.close()
  })

  it('let other work run between their steps, and stop when their client has left', async () => {
    let turns = 0
    let isDone = false
    const count = () => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    await Promise.all(Array.from({ length: 3 }, () => sumUsage(db, { accountId })))
    isDone = true
    // Three sums of three steps each.
    expect(turns).toBeGreaterThanOrEqual(8)
    expect((await sumUsage(db, { accountId }, AbortSignal.abort())).requests).toBe(2_000)
  })

  it('of days are those of all accounts together', async () => {
    const own = openDatabase(':memory:')
    // More than one step.
    const ids = Array.from({ length: 230 }, () => addAccount(own))
    for (const id of [ids[0]!, ids[1]!, ids[229]!]) {
      const key = addKey(own, id)
      credit(own, id, 100)
      speakOnce(own, { accountId: id, keyId: key, units: 5 })
      speakOnce(own, { accountId: id, keyId: key, units: 2, nowMs: startMs - dayMs })
    }
    const sums = [...(await sumUsageDays(own, 0))].sort((a, b) => a.day - b.day)
    const [first] = listUsageDays(own, ids[0]!, 0)
    expect(sums).toEqual([
      { day: first!.day, requests: 3, units: 6, audioMs: 3000 },
      { day: first!.day + 1, requests: 3, units: 15, audioMs: 3000 },
    ])
    expect([...(await sumUsageDays(own, first!.day + 1))]).toHaveLength(1)
    own.close()
  })
})
