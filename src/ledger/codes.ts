/**
 * Activation codes: 80 random bits in Crockford's base32, shown whole once; only the SHA-256 is stored. A code is used
 * once: one statement turns it from unused to used, and the credit's movement carries its id.
 */
import { prepare } from '../db/statements'
import type { Database } from '../db/database'
import { AppError } from '../errors'
import { creditCode } from './ledger'

export type ActivationCode = {
  readonly id: string
  /** The last group; the rest is not known any more. */
  readonly suffix: string
  readonly units: number
  readonly status: 'unused' | 'used' | 'void'
  readonly note: string | null
  readonly createdAtMs: number
  readonly expiresAtMs: number | null
  readonly usedAtMs: number | null
  /** Id of the account. */
  readonly usedBy: string | null
}

export type NewCode = {
  readonly units: number
  readonly expiresAtMs: number | null
  readonly note: string | null
  readonly nowMs: number
}

/** Without I, L, O and U; https://www.crockford.com/base32.html */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 16
const groupLength = 4

const columns = `id, suffix, units, status, note, created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs,
  used_at_ms AS usedAtMs, used_by AS usedBy`

/**
 * Makes a code and returns it whole, for the only time. `code` is for repeatable tests, else it is random. Throws `invalid_params`, `conflict`.
 */
export function createCode(
  db: Database,
  { units, expiresAtMs, note, nowMs }: NewCode,
  code = generateCode(),
): ActivationCode & { code: string } {
  const canonical = canonicalCode(code)
  if (!canonical)
    throw new AppError('invalid_params', 'code: found no activation code; XXXX-XXXX-XXXX-XXXX is required.', {
      param: 'code',
    })
  const id = Bun.randomUUIDv7()
  const inserted = prepare(
    db,
    `INSERT INTO activation_codes (id, code_sha256, suffix, units, status, note, created_at_ms, expires_at_ms)
     VALUES (?, ?, ?, ?, 'unused', ?, ?, ?) ON CONFLICT (code_sha256) DO NOTHING`,
  ).run(id, sha256(canonical), canonical.slice(-groupLength), units, note, nowMs, expiresAtMs)
  if (inserted.changes === 0) throw new AppError('conflict', 'code: this code exists already.', { param: 'code' })
  return { ...findCode(db, id)!, code: grouped(canonical) }
}

/**
 * Credits the account with the code's units and returns them; must run in a transaction. One wording for a code that is
 * unknown, used, void or expired: `invalid_params`.
 */
export function redeemCode(
  db: Database,
  { code, accountId, nowMs }: { code: string; accountId: string; nowMs: number },
): number {
  const canonical = canonicalCode(code)
  const used =
    canonical &&
    prepare<[number, string, Buffer, number], { id: string; units: number }>(
      db,
      `UPDATE activation_codes SET status = 'used', used_at_ms = ?, used_by = ?
       WHERE code_sha256 = ? AND status = 'unused' AND (expires_at_ms IS NULL OR expires_at_ms > ?)
       RETURNING id, units`,
    ).get(nowMs, accountId, sha256(canonical), nowMs)
  if (!used)
    throw new AppError('invalid_params', 'code: this is not an activation code that can be used.', { param: 'code' })
  creditCode(db, { accountId, units: used.units, nowMs }, used.id)
  return used.units
}

export function findCode(db: Database, id: string): ActivationCode | undefined {
  return prepare<[string], ActivationCode>(db, `SELECT ${columns} FROM activation_codes WHERE id = ?`).get(id)
}

/** Newest first, at most `limit`, older than `before`. */
export function listCodes(
  db: Database,
  { limit, before }: { limit: number; before: { createdAtMs: number; id: string } | undefined },
): ActivationCode[] {
  return prepare<[number, string, number], ActivationCode>(
    db,
    `SELECT ${columns} FROM activation_codes WHERE (created_at_ms, id) < (?, ?)
     ORDER BY created_at_ms DESC, id DESC LIMIT ?`,
  ).all(before?.createdAtMs ?? Number.MAX_SAFE_INTEGER, before?.id ?? '', limit)
}

/** Makes an unused code worthless. Throws `conflict` when it was used or voided before. */
export function voidCode(db: Database, id: string): void {
  const sql = "UPDATE activation_codes SET status = 'void' WHERE id = ? AND status = 'unused'"
  if (prepare(db, sql).run(id).changes === 0)
    throw new AppError('conflict', `The code is ${findCode(db, id)?.status} already.`)
}

function generateCode(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(codeLength)), (byte) => alphabet[byte % 32]).join('')
}

/** As people type it: any case, with or without hyphens, O for 0, I and L for 1. Undefined when it is no code. */
function canonicalCode(text: string): string | undefined {
  const code = text.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return /^[0-9A-HJKMNP-TV-Z]{16}$/.test(code) ? code : undefined
}

function grouped(canonical: string): string {
  return canonical.match(/.{4}/g)!.join('-')
}

function sha256(text: string): Buffer {
  return Buffer.from(new Bun.CryptoHasher('sha256').update(text).digest())
}
