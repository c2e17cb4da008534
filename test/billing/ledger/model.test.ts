/**
 * Random interleavings of all operations that move units, compared with a model of plain numbers after each step, and
 * audited after each step.
 */
import { afterAll, describe, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audit } from '../../../src/billing/audit'
import { openDatabase, type Database } from '../../../src/db/database'
import { transact } from '../../../src/db/statements'
import { AppError } from '../../../src/errors'
import { readBalance, readKeySpending, setCap } from '../../../src/billing/ledger/ledger'
import { releaseAll, releaseExpired } from '../../../src/billing/recovery'
import { addAccount, addKey, begin, breakOff, credit, fail, redeem, startMs, succeed } from '../../billing'
import { createRandom, type Random } from '../../random'

const directory = await mkdtemp(join(tmpdir(), 'sonant-ledger-'))
afterAll(() => rm(directory, { recursive: true }))

type ModelKey = { id: string; account: ModelAccount; cap: number | null; captured: number; held: number }
type ModelAccount = { id: string; available: number; held: number }
type ModelHold = { holdId: number; requestId: string; key: ModelKey; units: number; expiresAtMs: number }
type World = {
  db: Database
  nowMs: number
  accounts: ModelAccount[]
  keys: ModelKey[]
  open: ModelHold[]
  closed: ModelHold[]
}

/** Returns the code of the error, or undefined without an error. */
function codeOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

function forget({ open, closed }: World, gone: ModelHold): void {
  open.splice(open.indexOf(gone), 1)
  closed.push(gone)
}

function releaseModelHold(world: World, gone: ModelHold): void {
  const { key, units } = gone
  key.held -= units
  key.account.held -= units
  key.account.available += units
  forget(world, gone)
}

const steps: Record<string, (world: World, random: Random) => void> = {
  code({ db, accounts }, random) {
    const account = random.pick(accounts)
    const units = 1 + random.below(30)
    redeem(db, account.id, units)
    account.available += units
  },
  adjust({ db, accounts }, random) {
    const account = random.pick(accounts)
    const units = random.pick([-1, 1]) * (1 + random.below(25))
    const isPossible = account.available + units >= 0
    expect(codeOf(() => credit(db, account.id, units))).toBe(isPossible ? undefined : 'conflict')
    if (isPossible) account.available += units
  },
  hold({ db, keys, nowMs, open }, random) {
    const key = random.pick(keys)
    const units = 1 + random.below(12)
    const expiresAtMs = nowMs + 1 + random.below(20)
    const isUnderCap = key.cap === null || key.captured + key.held + units <= key.cap
    const refusal = !isUnderCap ? 'key_cap_reached' : key.account.available < units ? 'insufficient_balance' : undefined
    const request = { accountId: key.account.id, keyId: key.id, units, nowMs, expiresAtMs }
    let begun: { holdId: number; requestId: string } | undefined
    expect(codeOf(() => (begun = begin(db, request)))).toBe(refusal)
    if (!begun) return
    key.held += units
    key.account.held += units
    key.account.available -= units
    open.push({ ...begun, key, units, expiresAtMs })
  },
  capture(world, random) {
    if (world.open.length === 0) return
    const taken = random.pick(world.open)
    succeed(world.db, taken.key.account.id, taken, taken.units)
    taken.key.held -= taken.units
    taken.key.captured += taken.units
    taken.key.account.held -= taken.units
    forget(world, taken)
  },
  partly(world, random) {
    if (world.open.length === 0) return
    const taken = random.pick(world.open)
    const units = 1 + random.below(taken.units)
    breakOff(world.db, taken.key.account.id, taken, units, random.pick([null, 'synthesis_failed']))
    taken.key.held -= taken.units
    taken.key.captured += units
    taken.key.account.held -= taken.units
    taken.key.account.available += taken.units - units
    forget(world, taken)
  },
  release(world, random) {
    if (world.open.length === 0) return
    const taken = random.pick(world.open)
    fail(world.db, taken)
    releaseModelHold(world, taken)
  },
  again({ db, closed }, random) {
    if (closed.length === 0) return
    const taken = random.pick(closed)
    const twice = random.pick([
      () => succeed(db, taken.key.account.id, taken, taken.units),
      () => breakOff(db, taken.key.account.id, taken, 1),
      () => fail(db, taken),
    ])
    expect(twice).toThrow('a hold is captured or released once')
  },
  expire(world, random) {
    world.nowMs += random.below(15)
    const expired = world.open.filter(({ expiresAtMs }) => expiresAtMs < world.nowMs)
    expect(releaseExpired(world.db, world.nowMs, () => false)).toHaveLength(expired.length)
    for (const gone of expired) releaseModelHold(world, gone)
  },
  cap({ db, keys }, random) {
    const key = random.pick(keys)
    key.cap = random.pick([null, 0, random.below(20), random.below(80)])
    transact(db, () => setCap(db, key.id, key.cap))
  },
}

/** Ends the process, sometimes within a transaction, and opens the database again. */
function crash(world: World, path: string, random: Random): void {
  if (random.below(2)) {
    world.db.exec('BEGIN IMMEDIATE')
    credit(world.db, random.pick(world.accounts).id, 5)
  }
  world.db.close()
  world.db = openDatabase(path)
  expect(releaseAll(world.db)).toHaveLength(world.open.length)
  for (const gone of [...world.open]) releaseModelHold(world, gone)
}

function compare({ db, accounts, keys }: World): void {
  for (const { id, available, held } of accounts) {
    expect(Math.min(available, held)).toBeGreaterThanOrEqual(0)
    expect(readBalance(db, id)).toEqual({ available, held })
    const sum = db.prepare<[string], { units: number }>(
      'SELECT coalesce(sum(units), 0) AS units FROM ledger_entries WHERE account = ?',
    )
    expect(sum.get(id)!.units).toBe(available + held)
  }
  for (const { id, cap, captured, held } of keys) expect(readKeySpending(db, id)).toEqual({ cap, captured, held })
  expect(audit(db).difference).toBeUndefined()
}

function openWorld(path: string): World {
  const db = openDatabase(path)
  // This test is about order, not about durability.
  db.pragma('synchronous = OFF')
  const accounts = [0, 1].map((i) => ({ id: addAccount(db, `account ${i}`), available: 0, held: 0 }))
  const keys = [0, 1, 2].map((i) => {
    const account = accounts[i % 2]!
    const cap = [null, 40, null][i]!
    return { id: addKey(db, account.id, cap), account, cap, captured: 0, held: 0 }
  })
  return { db, nowMs: startMs, accounts, keys, open: [], closed: [] }
}

/** Holds come more often, because most of the other steps need one. */
const names = [...Object.keys(steps), 'hold', 'hold', 'hold', 'code']

function play(seed: number, path: string, stepCount: number): Set<string> {
  const random = createRandom(seed)
  const world = openWorld(path)
  const played: string[] = []
  try {
    for (let i = 0; i < stepCount; i++) {
      const name = path !== ':memory:' && random.below(6) === 0 ? 'crash' : random.pick(names)
      played.push(name)
      if (name === 'crash') crash(world, path, random)
      else steps[name]!(world, random)
      compare(world)
    }
  } catch (error) {
    throw new Error(`seed ${seed}, after ${played.join(', ')}: ${(error as Error).message}`, { cause: error })
  } finally {
    world.db.close()
  }
  return new Set(played)
}

describe('the ledger under random operations', () => {
  it('agrees with plain arithmetic after every step', () => {
    const played = new Set<string>()
    for (let seed = 1; seed <= 200; seed++) for (const name of play(seed, ':memory:', 22)) played.add(name)
    expect([...played].sort()).toEqual(Object.keys(steps).sort())
  }, 60_000)

  it('agrees with it across crashes, which release the open holds and nothing else', () => {
    const played = new Set<string>()
    for (let seed = 1001; seed <= 1030; seed++)
      for (const name of play(seed, join(directory, `${seed}.db`), 30)) played.add(name)
    expect([...played].sort()).toEqual([...Object.keys(steps), 'crash'].sort())
  }, 60_000)
})
