/**
 * The ledger: prepaid characters per account. Double entry: a movement is two rows whose units add up to zero, between
 * an account and a system account. Entries are never changed or deleted; a correction is a new movement. A hold sets
 * units aside and is captured or released exactly once; a capture may take a part and release the rest. Totals change in the same transaction, and the database itself
 * refuses a negative one. Knows nothing of speech or HTTP.
 *
 * Every function that writes must run inside a transaction (`transact`).
 */
import { prepare } from '../../db/statements'
import type { Database } from '../../db/database'
import { unitsMax } from '../../config'
import { AppError, assert } from '../../errors'

export type Balance = {
  readonly available: number
  /** Units set aside for running requests. */
  readonly held: number
}

export type HoldRequest = {
  readonly accountId: string
  readonly keyId: string
  readonly requestId: string
  readonly purpose: 'speech' | 'clones'
  readonly units: number
  readonly nowMs: number
  /** From this time on recovery may release the hold. It lies after the end of the longest request. */
  readonly expiresAtMs: number
}

export type KeySpending = {
  /** The most units, captured and held together, over the key's whole life. null: no cap. */
  readonly cap: number | null
  readonly captured: number
  readonly held: number
}

export function openBalance(db: Database, accountId: string): void {
  prepare(db, 'INSERT INTO balances (account_id) VALUES (?)').run(accountId)
}

export function openKeySpending(db: Database, keyId: string, cap: number | null): void {
  prepare(db, 'INSERT INTO key_spending (key_id, cap) VALUES (?, ?)').run(keyId, cap)
}

/** Sets the cap. A cap below the units spent already stops the key; its open holds can still be captured. */
export function setCap(db: Database, keyId: string, cap: number | null): void {
  prepare(db, 'UPDATE key_spending SET cap = ? WHERE key_id = ?').run(cap, keyId)
}

export function readBalance(db: Database, accountId: string): Balance {
  const row = prepare<[string], Balance>(db, 'SELECT available, held FROM balances WHERE account_id = ?').get(accountId)
  assert(row, 'every account has a balance')
  return row
}

/** The balance: available and held units, because a hold is not spent yet. */
export function settledUnits({ available, held }: Balance): number {
  return available + held
}

export function readKeySpending(db: Database, keyId: string): KeySpending {
  const sql = 'SELECT cap, captured, held FROM key_spending WHERE key_id = ?'
  const row = prepare<[string], KeySpending>(db, sql).get(keyId)
  assert(row, 'every key has its spending')
  return row
}

/**
 * Throws `key_cap_reached` or `insufficient_balance` when `units` cannot be held now. The message states the units left
 * and the units needed.
 */
export function ensureAffordable(db: Database, { accountId, keyId, units }: Affordable): void {
  ensureCapAllows(db, keyId, units)
  ensureAvailable(db, accountId, units)
}

type Affordable = Pick<HoldRequest, 'accountId' | 'keyId' | 'units'>

function ensureCapAllows(db: Database, keyId: string, units: number): void {
  const { cap, captured, held } = readKeySpending(db, keyId)
  if (cap === null || captured + held + units <= cap) return
  const left = Math.max(0, cap - captured - held)
  const message = `The cap of this API key leaves ${left} characters, and ${units} are needed: raise the cap or use another key.`
  throw new AppError('key_cap_reached', message)
}

function ensureAvailable(db: Database, accountId: string, units: number): void {
  const { available } = readBalance(db, accountId)
  if (available >= units) return
  const message = `${available} characters are available, and ${units} are needed: redeem a new activation code.`
  throw new AppError('insufficient_balance', message)
}

/** Sets units aside and returns the hold's id. Throws `key_cap_reached`, `insufficient_balance`. */
export function hold(db: Database, request: HoldRequest): number {
  const { accountId, keyId, requestId, purpose, units, nowMs, expiresAtMs } = request
  assert(Number.isInteger(units) && units > 0, 'a hold has units')
  assert(db.inTransaction, 'a hold belongs to a transaction')
  // An update that fails changes no row, so the reason is read only after a failure.
  if (!holdOfKey(db, keyId, units)) ensureCapAllows(db, keyId, units)
  if (!holdOfAccount(db, accountId, units)) ensureAvailable(db, accountId, units)
  const { lastInsertRowid } = prepare(
    db,
    `INSERT INTO holds (request_id, account_id, key_id, purpose, held_units, status, created_at_ms, expires_at_ms)
     VALUES (?, ?, ?, ?, ?, 'held', ?, ?)`,
  ).run(requestId, accountId, keyId, purpose, units, nowMs, expiresAtMs)
  return Number(lastInsertRowid)
}

/** Returns false when the cap does not allow the units. */
function holdOfKey(db: Database, keyId: string, units: number): boolean {
  const sql = 'UPDATE key_spending SET held = held + ? WHERE key_id = ? AND (cap IS NULL OR captured + held + ? <= cap)'
  return prepare(db, sql).run(units, keyId, units).changes === 1
}

/** Returns false when fewer units are available. */
function holdOfAccount(db: Database, accountId: string, units: number): boolean {
  const sql = 'UPDATE balances SET available = available - ?, held = held + ? WHERE account_id = ? AND available >= ?'
  return prepare(db, sql).run(units, units, accountId, units).changes === 1
}

export type Capture = {
  /** 1 to the units held. The rest is released. */
  readonly units: number
  readonly nowMs: number
}

/** Spends `units` of the hold, releases the rest and returns the balance after it. Throws when the hold is not open. */
export function capture(db: Database, holdId: number, { units, nowMs }: Capture): Balance {
  // The database refuses units outside of 1 to the units held, and the column those that are not whole.
  const { accountId, keyId, purpose, heldUnits } = resolve(db, holdId, 'captured', units)
  const after = updateTotals(db, { accountId, keyId, heldUnits, units })
  const movementId = `hold-${holdId}`
  move(db, { movementId, from: accountId, to: purpose, units, kind: 'capture', keyId, reason: null, nowMs })
  return after
}

/** Returns the held units to the available balance. Throws when the hold is not open. */
export function release(db: Database, holdId: number): void {
  updateTotals(db, { ...resolve(db, holdId, 'released', null), units: 0 })
}

type ResolvedHold = { accountId: string; keyId: string; purpose: 'speech' | 'clones'; heldUnits: number }

function resolve(db: Database, holdId: number, status: 'captured' | 'released', units: number | null): ResolvedHold {
  const row = prepare<[string, number | null, number], ResolvedHold>(
    db,
    `UPDATE holds SET status = ?, captured_units = ? WHERE id = ? AND status = 'held'
     RETURNING account_id AS accountId, key_id AS keyId, purpose, held_units AS heldUnits`,
  ).get(status, units, holdId)
  assert(row, 'a hold is captured or released once')
  return row
}

/** Takes the held units off the totals, of which `units` are spent. */
function updateTotals(
  db: Database,
  { accountId, keyId, heldUnits, units }: Omit<ResolvedHold, 'purpose'> & { units: number },
): Balance {
  const balance = `UPDATE balances SET available = available + ?, held = held - ? WHERE account_id = ?
    RETURNING available, held`
  const after = prepare<[number, number, string], Balance>(db, balance).get(heldUnits - units, heldUnits, accountId)
  assert(after, 'every account has a balance')
  const spending = 'UPDATE key_spending SET held = held - ?, captured = captured + ? WHERE key_id = ?'
  prepare(db, spending).run(heldUnits, units, keyId)
  return after
}

/** Whether the hold is neither captured nor released. */
export function isOpen(db: Database, holdId: number): boolean {
  return prepare(db, "SELECT 1 FROM holds WHERE id = ? AND status = 'held'").get(holdId) !== undefined
}

/** Lists the open holds that expired before `expiredBeforeMs`; all open ones without it. */
export function openHolds(db: Database, expiredBeforeMs = Number.MAX_SAFE_INTEGER): OpenHold[] {
  const sql = "SELECT id, request_id AS requestId FROM holds WHERE status = 'held' AND expires_at_ms < ?"
  return prepare<[number], OpenHold>(db, sql).all(expiredBeforeMs)
}

/** Counts the open holds of an account. */
export function countOpenHolds(db: Database, accountId: string, purpose: HoldRequest['purpose']): number {
  const sql = "SELECT count(*) AS count FROM holds WHERE status = 'held' AND account_id = ? AND purpose = ?"
  return prepare<[string, string], { count: number }>(db, sql).get(accountId, purpose)!.count
}

export type OpenHold = { readonly id: number; readonly requestId: string }

export type Credit = {
  readonly accountId: string
  readonly units: number
  readonly nowMs: number
}

/** Credits the units of an activation code. The movement id makes a second credit of the same code fail. */
export function creditCode(db: Database, { accountId, units, nowMs }: Credit, codeId: string): void {
  addToAvailable(db, accountId, units)
  const movementId = `code-${codeId}`
  move(db, { movementId, from: 'codes', to: accountId, units, kind: 'code', keyId: null, reason: null, nowMs })
}

/** Adds `units`, or subtracts negative ones. Throws `conflict` when the available units do not suffice. */
export function adjust(db: Database, { accountId, units, nowMs }: Credit, reason: string): void {
  addToAvailable(db, accountId, units)
  const movementId = `adjustment-${Bun.randomUUIDv7()}`
  const from = 'adjustments'
  move(db, { movementId, from, to: accountId, units, kind: 'adjustment', keyId: null, reason, nowMs })
}

function addToAvailable(db: Database, accountId: string, units: number): void {
  const balance = readBalance(db, accountId)
  if (balance.available + units < 0)
    throw new AppError('conflict', `units: found ${units}; the account has ${balance.available} available.`, {
      param: 'units',
    })
  if (settledUnits(balance) + units > unitsMax)
    throw new AppError('conflict', `units: found ${units}; an account holds at most ${unitsMax}.`, { param: 'units' })
  prepare(db, 'UPDATE balances SET available = available + ? WHERE account_id = ?').run(units, accountId)
}

type Movement = {
  readonly movementId: string
  readonly from: string
  readonly to: string
  readonly units: number
  readonly kind: 'capture' | 'code' | 'adjustment'
  readonly keyId: string | null
  readonly reason: string | null
  readonly nowMs: number
}

function move(db: Database, movement: Movement): void {
  prepare<Movement>(
    db,
    `INSERT INTO ledger_entries (movement_id, account, units, kind, key_id, reason, created_at_ms)
     VALUES (@movementId, @from, -@units, @kind, @keyId, @reason, @nowMs),
       (@movementId, @to, @units, @kind, @keyId, @reason, @nowMs)`,
  ).run(movement)
}
