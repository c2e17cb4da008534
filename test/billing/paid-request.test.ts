/** A paid request from its claim to its end, with work that succeeds, fails, or cannot be charged. */
import { beforeEach, describe, expect, it } from 'bun:test'
import { audit } from '../../src/billing/audit'
import { readBalance } from '../../src/billing/ledger/ledger'
import { pay, payOnce, recordFree, settle, type Billing, type PaidRequest } from '../../src/billing/paid-request'
import { releaseAll } from '../../src/billing/recovery'
import { findUsage } from '../../src/billing/usage/usage'
import { openDatabase, type Database } from '../../src/db/database'
import { startDeadline } from '../../src/deadline'
import { AppError } from '../../src/errors'
import { createLogger } from '../../src/log'
import { addAccount, addKey, credit, newRequestId } from '../billing'

let db: Database
let billing: Billing
let accountId: string
let keyId: string
let discarded: string[]
beforeEach(() => {
  db = openDatabase(':memory:')
  billing = { db, holdTimeoutMs: 60_000, running: new Map(), unsettled: new Map(), log: createLogger('silent') }
  accountId = addAccount(db)
  keyId = addKey(db, accountId)
  credit(db, accountId, 100)
  discarded = []
})

const product = { fileName: 'a.mp3', audioMs: 700, processingMs: 5 }
type Request = PaidRequest<typeof product>

function request(changes: Partial<Request> = {}, requestId = newRequestId()): Request {
  return {
    usage: {
      ...{ requestId, kind: 'tts', surface: 'api', accountId, keyId, voiceId: 'en-test', characters: 10 },
      ...{ speed: 1, format: 'mp3', digest: new Uint8Array([1]) },
    },
    make: async () => product,
    discard: async ({ fileName }) => void discarded.push(fileName),
    keepsUncharged: true,
    ...changes,
  }
}

const once = (asked: Request, prepare = () => asked, digest = asked.usage.digest!) => {
  const { requestId } = asked.usage
  return payOnce(billing, { requestId, accountId, digest, deadline: startDeadline(60_000) }, prepare)
}

/** Lets no row of the table be written in that way, until `mend`. */
function breakTable(table: string, change: 'INSERT' | 'UPDATE'): void {
  db.exec(`CREATE TEMP TRIGGER broken_${table} BEFORE ${change} ON ${table} BEGIN SELECT RAISE(ABORT, 'broken'); END`)
}
const mend = (table: string) => db.exec(`DROP TRIGGER broken_${table}`)

async function errorOf(work: Promise<unknown>): Promise<Error & { code?: string }> {
  return work.then(
    () => {
      throw new Error('nothing was thrown')
    },
    (error) => error,
  )
}

function expectWhole(available: number): void {
  expect(readBalance(db, accountId)).toEqual({ available, held: 0 })
  expect([billing.running.size, billing.unsettled.size]).toEqual([0, 0])
  expect(audit(db).difference).toBeUndefined()
}

describe('a paid request', () => {
  it('holds its units while it works, then charges them', async () => {
    const asked = request({
      async make() {
        expect(readBalance(db, accountId)).toEqual({ available: 90, held: 10 })
        expect(findUsage(db, asked.usage.requestId)!.status).toBe('running')
        expect(db.inTransaction).toBe(false)
        return product
      },
    })
    expect(await pay(billing, asked)).toEqual({ made: product, remaining: 90 })
    expect(findUsage(db, asked.usage.requestId)).toMatchObject({
      ...{ status: 'charged', units: 10, remaining: 90, fileName: 'a.mp3', audioMs: 700, processingMs: 5 },
    })
    expectWhole(90)
  })

  it('is at work until its end, so that a shutdown can wait for it', async () => {
    const made = Promise.withResolvers<typeof product>()
    const asked = request({ make: () => made.promise })
    const paid = pay(billing, asked)
    expect([...billing.running.keys()]).toEqual([asked.usage.requestId])
    made.resolve(product)
    await paid
    expectWhole(90)
  })

  it('that is not admitted leaves no row', async () => {
    const asked = request({
      admit() {
        throw new AppError('conflict', 'too many')
      },
    })
    expect(await errorOf(pay(billing, asked))).toMatchObject({ code: 'conflict' })
    expect(findUsage(db, asked.usage.requestId)).toBeUndefined()
    expectWhole(100)
  })

  it('that the ledger refuses is in the history as failed, and does no work', async () => {
    const asked = request({ make: () => Promise.reject(new Error('worked')) })
    const dear = { ...asked, usage: { ...asked.usage, characters: 101 } }
    expect(await errorOf(pay(billing, dear))).toMatchObject({ code: 'insufficient_balance' })
    expect(findUsage(db, asked.usage.requestId)).toMatchObject({ status: 'failed', errorCode: 'insufficient_balance' })
    expectWhole(100)
  })

  it.each([
    [new AppError('synthesis_timeout', 'late'), 'synthesis_failed'],
    [new Error('a secret of the inside'), 'internal_error'],
  ])('whose work fails with "%s" releases its units and keeps the public code %s', async (error, errorCode) => {
    const asked = request({ make: () => Promise.reject(error) })
    expect(await errorOf(pay(billing, asked))).toBe(error)
    expect(findUsage(db, asked.usage.requestId)).toMatchObject({ status: 'failed', errorCode, units: 0 })
    expect(discarded).toEqual([])
    expectWhole(100)
  })

  it.each([null, 'synthesis_failed'])(
    'that ends early charges its part and releases the rest (error %p)',
    async (code) => {
      const part = { ...product, partial: { units: 4, errorCode: code } }
      const asked = { ...request(), make: async () => part }
      expect(await pay(billing, asked)).toEqual({ made: part, remaining: 96 })
      expect(findUsage(db, asked.usage.requestId)).toMatchObject({
        ...{ status: 'partial', units: 4, characters: 10, remaining: 96, fileName: 'a.mp3', errorCode: code },
      })
      expectWhole(96)
    },
  )

  it('writes the rows of its result with the charge, or not at all', async () => {
    db.exec('CREATE TABLE results (name TEXT)')
    const record = ({ fileName }: typeof product) => void db.prepare('INSERT INTO results VALUES (?)').run(fileName)
    await pay(billing, request({ record }))
    breakTable('ledger_entries', 'INSERT')
    await pay(billing, request({ record }))
    expect(db.prepare('SELECT name FROM results').all()).toEqual([{ name: 'a.mp3' }])
    expectWhole(90)
  })
})

describe('a request that cannot be charged', () => {
  beforeEach(() => breakTable('ledger_entries', 'INSERT'))

  it('keeps its result uncharged when it says so', async () => {
    const asked = request()
    expect(await pay(billing, asked)).toEqual({ made: product, remaining: null })
    expect(findUsage(db, asked.usage.requestId)).toMatchObject({
      ...{ status: 'uncharged', units: 0, remaining: null, fileName: 'a.mp3' },
    })
    expect(discarded).toEqual([])
    expectWhole(100)
  })

  it('otherwise fails, and its result is removed before its units are released', async () => {
    const asked = request({
      keepsUncharged: false,
      async discard({ fileName }) {
        expect(readBalance(db, accountId).held).toBe(10)
        discarded.push(fileName)
      },
    })
    expect((await errorOf(pay(billing, asked))).message).toBe('broken')
    expect(findUsage(db, asked.usage.requestId)).toMatchObject({ status: 'failed', errorCode: 'internal_error' })
    expect(discarded).toEqual(['a.mp3'])
    expectWhole(100)
  })

  it('releases its units even when the result cannot be removed', async () => {
    const asked = request({ keepsUncharged: false, discard: () => Promise.reject(new Error('stuck')) })
    expect((await errorOf(pay(billing, asked))).message).toBe('stuck')
    expectWhole(100)
  })

  it('nor released fails, removes its result, and is closed by the next settlement', async () => {
    breakTable('holds', 'UPDATE')
    const asked = request()
    expect(await errorOf(pay(billing, asked))).toMatchObject({ code: 'storage_failed' })
    expect(discarded).toEqual(['a.mp3'])
    expect(findUsage(db, asked.usage.requestId)!.status).toBe('running')
    expect(audit(db).difference).toBeUndefined()
    mend('holds')
    settle(billing)
    expect(findUsage(db, asked.usage.requestId)).toMatchObject({ status: 'failed', errorCode: 'storage_failed' })
    expectWhole(100)
  })
})

describe('a crash', () => {
  it('at any moment of a request leaves what the audit accepts, before and after recovery', async () => {
    const moments: Buffer[] = []
    const note = () => void moments.push(db.serialize())
    note()
    const noteLater = async () => {
      note()
      await Promise.resolve()
      note()
      return product
    }
    const asked = request({ make: noteLater })
    await pay(billing, asked)
    note()
    breakTable('ledger_entries', 'INSERT')
    await pay(billing, request({ make: noteLater }))
    note()
    const discard = async () => note()
    await errorOf(pay(billing, request({ keepsUncharged: false, discard })))
    note()
    expect(moments).toHaveLength(9)
    const { default: Sqlite } = await import('better-sqlite3')
    for (const moment of moments) {
      const left = new Sqlite(moment)
      expect(audit(left).difference).toBeUndefined()
      releaseAll(left)
      expect(audit(left).difference).toBeUndefined()
      expect(readBalance(left, accountId).held).toBe(0)
      left.close()
    }
  })
})

describe('a request id', () => {
  it('is worked on once by parallel requests, and all get the same result', async () => {
    let works = 0
    const make = async () => {
      works++
      return product
    }
    const asked = request({ make })
    const [first, ...others] = await Promise.all([once(asked), once(asked), once(asked)])
    expect(first).toEqual({ made: product, remaining: 90 })
    for (const other of others) expect(other).toMatchObject({ earlier: { status: 'charged', fileName: 'a.mp3' } })
    expect(works).toBe(1)
    expectWhole(90)
  })

  it('of a failed request is free again, and one of those that waited works', async () => {
    let works = 0
    const make = async () => {
      works++
      if (works === 1) throw new AppError('synthesis_failed', 'no')
      return product
    }
    const asked = request({ make })
    const outcomes = await Promise.allSettled([once(asked), once(asked), once(asked)])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(works).toBe(2)
    expectWhole(90)
  })

  it('is looked up before the request is prepared', async () => {
    const asked = request()
    await once(asked)
    const never = () => {
      throw new Error('prepared')
    }
    expect(await once(asked, never)).toMatchObject({ earlier: { units: 10 } })
    expect(await errorOf(once(asked, never, new Uint8Array([2])))).toMatchObject({ code: 'idempotency_conflict' })
    const stranger = { accountId: addAccount(db), digest: new Uint8Array([1]), deadline: startDeadline(60_000) }
    const { requestId } = asked.usage
    expect(await errorOf(payOnce(billing, { requestId, ...stranger }, never))).toMatchObject({
      code: 'idempotency_conflict',
    })
  })

  it('of a request whose end could not be written is settled first', async () => {
    breakTable('ledger_entries', 'INSERT')
    breakTable('holds', 'UPDATE')
    const asked = request()
    await errorOf(once(asked))
    mend('holds')
    mend('ledger_entries')
    expect(await once(asked)).toEqual({ made: product, remaining: 90 })
    expectWhole(90)
  })

  it('is waited for until the deadline', async () => {
    const made = Promise.withResolvers<typeof product>()
    const asked = request({ make: () => made.promise })
    const first = once(asked)
    const { requestId } = asked.usage
    const late = { requestId, accountId, digest: asked.usage.digest!, deadline: startDeadline(0) }
    expect(await errorOf(payOnce(billing, late, () => asked))).toMatchObject({ code: 'synthesis_timeout' })
    made.resolve(product)
    await first
    expectWhole(90)
  })
})

it('a free request is charged 0 units, together with its rows', () => {
  const { characters: _, ...usage } = request().usage
  const fails = () => {
    throw new Error('no row')
  }
  expect(() => recordFree(billing, usage, fails)).toThrow('no row')
  expect(findUsage(db, usage.requestId)).toBeUndefined()
  expect(recordFree(billing, { ...usage, kind: 'clone' }, () => {})).toBe(100)
  expect(findUsage(db, usage.requestId)).toMatchObject({ status: 'charged', units: 0, remaining: 100 })
  expectWhole(100)
})
