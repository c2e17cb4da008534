/** The history of requests: pages, filters, retries, sums per day, and the index that each list reads. */
import { beforeEach, describe, expect, it } from 'bun:test'
import { audit } from '../../../src/billing/audit'
import { openDatabase, type Database } from '../../../src/db/database'
import { transact } from '../../../src/db/statements'
import {
  dayOf,
  findUsage,
  finishUsage,
  hasDigest,
  listUsage,
  listUsageDays,
  startUsage,
  surfaces,
  type UsageFilter,
} from '../../../src/billing/usage/usage'
import {
  addAccount,
  addKey,
  begin,
  breakOff,
  credit,
  dayMs,
  fail,
  newRequestId,
  speakOnce,
  startMs,
  succeed,
} from '../../billing'
import { detailsOf, plansOf } from '../../query-plans'

let db: Database
let accountId: string
let keyId: string
beforeEach(() => {
  db = openDatabase(':memory:')
  accountId = addAccount(db)
  keyId = addKey(db, accountId)
  credit(db, accountId, 10_000)
})

const speak = (nowMs: number, key = keyId) => speakOnce(db, { accountId, keyId: key, units: 1, nowMs })

/** Reads all pages and returns their ids. Calls `between` after each page. */
function readAll(filter: UsageFilter, limit: number, between = () => {}): string[] {
  const seen: string[] = []
  let before: { createdAtMs: number; id: number } | undefined
  for (;;) {
    const page = listUsage(db, filter, { limit, before })
    seen.push(...page.map(({ requestId }) => requestId))
    if (page.length < limit) return seen
    before = page.at(-1)
    between()
  }
}

const list = (filter: UsageFilter) => readAll(filter, 200)

describe('the pages of the history', () => {
  /** Groups of equal times, inserted out of order. */
  const times = [5, 5, 5, 1, 1, 9, 3, 5, 9, 1, 2, 2, 2, 2, 7].map((offset) => startMs + offset)
  const newestFirst = (ids: string[]) =>
    ids
      .map((id, i) => ({ id, i }))
      .sort((a, b) => times[b.i]! - times[a.i]! || b.i - a.i)
      .map(({ id }) => id)

  it('are complete, ordered and without repetition at any size, also among equal times', () => {
    const ids = times.map((timeMs) => speak(timeMs))
    for (let limit = 1; limit <= times.length + 1; limit++)
      for (const filter of [{ accountId }, { keyId }, { accountId, keyId }, {}])
        expect(readAll(filter, limit)).toEqual(newestFirst(ids))
  })

  it('neither miss nor repeat a request while newer ones are added', () => {
    const ids = times.map((timeMs) => speak(timeMs))
    for (let limit = 1; limit <= 5; limit++) {
      const there = list({ accountId })
      const seen = readAll({ accountId }, limit, () => void speak(startMs + 20 + limit))
      expect(seen).toEqual(there)
    }
    expect(list({ accountId })).toContain(ids[0]!)
  })

  it('show requests that are added behind the cursor once each', () => {
    times.forEach((timeMs) => speak(timeMs))
    const there = list({ accountId })
    let added: string | undefined
    const seen = readAll({ accountId }, 2, () => (added ??= speak(startMs - 1)))
    expect(seen).toEqual([...there, added!])
  })

  it('leave out running requests', () => {
    const begun = begin(db, { accountId, keyId, units: 1 })
    for (const filter of [{ accountId }, { keyId }, {}]) expect(list(filter)).toEqual([])
    succeed(db, accountId, begun, 1)
    expect(list({ accountId })).toEqual([begun.requestId])
  })
})

describe('the filter', () => {
  it('includes its start and excludes its end, on every page', () => {
    const ids = [0, 1, 2, 3, 4].map((offset) => speak(startMs + offset))
    for (const limit of [1, 2, 10])
      for (const filter of [{ accountId }, { keyId }, {}]) {
        const range = { ...filter, fromMs: startMs + 1, toMs: startMs + 3 }
        expect(readAll(range, limit)).toEqual([ids[2]!, ids[1]!])
      }
    expect(list({ accountId, fromMs: startMs + 4 })).toEqual([ids[4]!])
    expect(list({ accountId, toMs: startMs + 1 })).toEqual([ids[0]!])
    expect(list({ accountId, fromMs: startMs + 2, toMs: startMs + 2 })).toEqual([])
    expect(list({ accountId, fromMs: startMs + 3, toMs: startMs + 1 })).toEqual([])
  })

  it('keeps its end when the cursor is newer', () => {
    const ids = [0, 1, 2].map((offset) => speak(startMs + offset))
    const before = { createdAtMs: startMs + 50, id: 99 }
    const page = listUsage(db, { accountId, toMs: startMs + 2 }, { limit: 10, before })
    expect(page.map(({ requestId }) => requestId)).toEqual([ids[1]!, ids[0]!])
  })

  it('tells keys and accounts apart', () => {
    const secondKeyId = addKey(db, accountId)
    const otherId = addAccount(db)
    const otherKeyId = addKey(db, otherId)
    credit(db, otherId, 10)
    const [first, second] = [speak(startMs), speak(startMs + 1, secondKeyId)]
    const other = speakOnce(db, { accountId: otherId, keyId: otherKeyId, units: 1, nowMs: startMs + 2 })
    expect(list({ accountId })).toEqual([second, first])
    expect(list({ accountId, keyId })).toEqual([first])
    expect(list({ accountId, keyId: secondKeyId })).toEqual([second])
    expect(list({ accountId: otherId })).toEqual([other])
    expect(list({ accountId, keyId: otherKeyId })).toEqual([])
    expect(list({})).toEqual([other, second, first])
    expect(list({ accountId: 'nobody' })).toEqual([])
  })
})

describe('a list', () => {
  it.each([
    ['usage_by_age', false, false],
    ['usage_by_account', true, false],
    ['usage_by_key', false, true],
    ['usage_by_key', true, true],
  ])('is read from %s without sorting (account %p, key %p)', (index, hasAccount, hasKey) => {
    speak(startMs)
    for (const before of [undefined, { createdAtMs: startMs, id: 9 }]) {
      const plan = planOf((fresh, owner) => {
        const filter = { ...(hasAccount && { accountId: owner }), ...(hasKey && { keyId: addKey(fresh, owner) }) }
        listUsage(fresh, { ...filter, fromMs: 1, toMs: startMs + 1 }, { limit: 5, before })
      })
      expect(plan).toHaveLength(1)
      expect(plan[0]).toStartWith(`SEARCH usage USING INDEX ${index} (`)
      expect(plan[0]).toContain('created_at_ms')
    }
  })

  /** Returns the query plan of the last statement that `work` prepares on a new database. */
  function planOf(work: (fresh: Database, accountId: string) => unknown): string[] {
    const fresh = openDatabase(':memory:')
    return detailsOf(plansOf(fresh, () => work(fresh, addAccount(fresh))).at(-1)!)
  }
})

describe('a request', () => {
  it('is started once, and again only after a failure and by the same account', () => {
    const begun = begin(db, { accountId, keyId, units: 2 })
    const again = () => begin(db, { accountId, keyId, units: 2, requestId: begun.requestId })
    expect(again).toThrow('a request id is used once')
    fail(db, begun)
    const otherId = addAccount(db)
    credit(db, otherId, 10)
    const stranger = { accountId: otherId, keyId: addKey(db, otherId), units: 2, requestId: begun.requestId }
    expect(() => begin(db, stranger)).toThrow('a request id is used once')
    const second = again()
    succeed(db, accountId, second, 2)
    expect(again).toThrow('a request id is used once')
    expect(findUsage(db, begun.requestId)).toMatchObject({ status: 'charged', units: 2, errorCode: null })
    expect(() => finishUsage(db, begun.requestId, { status: 'failed', errorCode: 'x' })).toThrow('finished once')
  })

  it('keeps the surface it came by, also when a retry comes by another', () => {
    const requestId = newRequestId()
    const start = { requestId, kind: 'tts', accountId, keyId, createdAtMs: startMs, voiceId: 'en-test' } as const
    for (const surface of surfaces) {
      transact(db, () => {
        startUsage(db, { ...start, surface, characters: 1, speed: 1, format: 'mp3', digest: null })
        finishUsage(db, requestId, { status: 'failed', errorCode: 'x' })
      })
      expect(findUsage(db, requestId)!.surface).toBe(surface)
    }
    expect(surfaces).toEqual(['api', 'v1', 'stream', 'ws', 'wyoming', 'console'])
  })

  it('that ended early has its units, its file and its error, and is never changed again', () => {
    const begun = begin(db, { accountId, keyId, units: 8 })
    breakOff(db, accountId, begun, 3, 'synthesis_failed')
    const partial = { status: 'partial', units: 3, characters: 8, remaining: 9_997, errorCode: 'synthesis_failed' }
    expect(findUsage(db, begun.requestId)).toMatchObject({ ...partial, fileName: `${begun.requestId}.mp3` })
    const left = begin(db, { accountId, keyId, units: 8 })
    breakOff(db, accountId, left, 8)
    expect(findUsage(db, left.requestId)).toMatchObject({ status: 'partial', units: 8, errorCode: null })
    expect(list({ accountId })).toEqual([left.requestId, begun.requestId])
    const again = { accountId, keyId, units: 8, requestId: begun.requestId }
    expect(() => begin(db, again)).toThrow('a request id is used once')
    expect(() => db.exec("UPDATE usage SET units = 4 WHERE status = 'partial'")).toThrow('never changed')
    for (const units of [0, 9])
      expect(() => breakOff(db, accountId, begin(db, { accountId, keyId, units: 8 }), units)).toThrow()
    expect(listUsageDays(db, accountId, 0)).toMatchObject([{ requests: 2, units: 11, audioMs: 800 }])
  })

  it('keeps one row when it is retried, with its new time, key and fields', () => {
    const secondKeyId = addKey(db, accountId)
    const begun = begin(db, { accountId, keyId, units: 2 })
    fail(db, begun)
    const { id } = findUsage(db, begun.requestId)!
    const nowMs = startMs + dayMs
    const retry = { accountId, keyId: secondKeyId, units: 3, requestId: begun.requestId, nowMs, voiceId: 'zh-test' }
    speakOnce(db, retry)
    expect(list({ accountId })).toEqual([begun.requestId])
    expect(list({ keyId })).toEqual([])
    expect(findUsage(db, begun.requestId)).toMatchObject({
      ...{ id, keyId: secondKeyId, createdAtMs: nowMs, voiceId: 'zh-test', characters: 3, units: 3 },
    })
  })

  it('is recognised by its digest, if it has one', () => {
    const requestId = newRequestId()
    const digest = new Uint8Array([1, 2, 3])
    const who = { requestId, kind: 'tts', surface: 'v1', accountId, keyId } as const
    const start = { ...who, createdAtMs: startMs, voiceId: 'en-test' }
    transact(db, () => startUsage(db, { ...start, characters: 1, speed: 1, format: 'mp3', digest }))
    expect(hasDigest(db, requestId, digest)).toBe(true)
    expect(hasDigest(db, requestId, new Uint8Array([1, 2, 4]))).toBe(false)
    expect(hasDigest(db, newRequestId(), digest)).toBe(false)
    expect(hasDigest(db, speak(startMs), digest)).toBe(false)
  })
})

describe('the sums of a day', () => {
  const day = dayOf(startMs)
  const sums = () => listUsageDays(db, accountId, 0)

  it('count requests, units and audio time of finished requests, by the UTC day of their start', () => {
    const midnightMs = (day + 1) * dayMs
    speak(midnightMs - 1)
    speak(midnightMs)
    fail(db, begin(db, { accountId, keyId, units: 5, nowMs: midnightMs + 1 }))
    const uncharged = begin(db, { accountId, keyId, units: 5, nowMs: midnightMs + 2 })
    expect(sums()).toEqual([
      { day, requests: 1, units: 1, audioMs: 1000 },
      { day: day + 1, requests: 2, units: 1, audioMs: 1000 },
    ])
    succeed(db, accountId, uncharged, 5, 250)
    expect(sums()[1]).toEqual({ day: day + 1, requests: 3, units: 6, audioMs: 1250 })
    expect(listUsageDays(db, accountId, day + 1)).toHaveLength(1)
  })

  it('move with a failed request that is retried on another day', () => {
    const begun = begin(db, { accountId, keyId, units: 5 })
    fail(db, begun)
    expect(sums()).toEqual([{ day, requests: 1, units: 0, audioMs: 0 }])
    const again = { accountId, keyId, units: 5, requestId: begun.requestId, nowMs: startMs + 2 * dayMs }
    fail(db, begin(db, again))
    expect(sums().map(({ requests }) => requests)).toEqual([0, 1])
    speakOnce(db, { ...again, nowMs: startMs + 3 * dayMs })
    expect(sums()).toEqual([
      { day, requests: 0, units: 0, audioMs: 0 },
      { day: day + 2, requests: 0, units: 0, audioMs: 0 },
      { day: day + 3, requests: 1, units: 5, audioMs: 1000 },
    ])
    expect(audit(db).difference).toBeUndefined()
  })

  it('are kept per account', () => {
    speak(startMs)
    expect(listUsageDays(db, addAccount(db), 0)).toEqual([])
  })
})
