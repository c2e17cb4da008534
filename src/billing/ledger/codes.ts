/**
 * Activation codes: 80 random bits in Crockford's base32, shown once; only the SHA-256 is stored. A code is used once:
 * one statement changes its status from unused to used, and the credit's movement carries its id.
 */
import { prepare } from '../../db/statements'
import type { Database } from '../../db/database'
import { AppError } from '../../errors'
import { sha256 } from '../../hash'
import { creditCode } from './ledger'

export type ActivationCode = {
  readonly id: string
  /** The last group of four digits. The other digits are not stored. */
  readonly suffix: string
  readonly units: number
  readonly status: 'unused' | 'used' | 'void'
  readonly note: string | null
  readonly createdAtMs: number
  readonly expiresAtMs: number | null
  readonly usedAtMs: number | null
  /** Id of the account that used the code. */
  readonly usedBy: string | null
}

export type NewCode = {
  readonly units: number
  readonly expiresAtMs: number | null
  readonly note: string | null
  readonly nowMs: number
}

/** Crockford's base32 has no I, L, O and U; https://www.crockford.com/base32.html */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 16
const groupLength = 4

const columns = `id, suffix, units, status, note, created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs,
  used_at_ms AS usedAtMs, used_by AS usedBy`

/**
 * Creates a code and returns the only copy of its digits. `code` is a code chosen by a test; without it the code is
 * random. Throws `invalid_params`, `conflict`.
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
 * Credits the account with the code's units and returns them. Must run in a transaction. Throws `invalid_params`, with
 * the same message for a code that is unknown, used, void or expired.
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
    throw new AppError('invalid_params', 'code: this activation code is unknown, used, void or expired.', {
      param: 'code',
    })
  creditCode(db, { accountId, units: used.units, nowMs }, used.id)
  return used.units
}

export function findCode(db: Database, id: string): ActivationCode | undefined {
  return prepare<[string], ActivationCode>(db, `SELECT ${columns} FROM activation_codes WHERE id = ?`).get(id)
}

/** Lists codes older than `before`, newest first, at most `limit`. */
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

/** Voids an unused code. Throws `conflict` when the code is used or void already. */
export function voidCode(db: Database, id: string): void {
  const sql = "UPDATE activation_codes SET status = 'void' WHERE id = ? AND status = 'unused'"
  if (prepare(db, sql).run(id).changes === 0)
    throw new AppError('conflict', `The code is ${findCode(db, id)?.status} already.`)
}

function generateCode(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(codeLength)), (byte) => alphabet[byte % 32]).join('')
}

/**
 * Normalizes a typed code: upper case, no hyphens or blanks, 0 for O, 1 for I and L. Returns undefined when `text` has
 * not the form of a code.
 */
function canonicalCode(text: string): string | undefined {
  const code = text.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return /^[0-9A-HJKMNP-TV-Z]{16}$/.test(code) ? code : undefined
}

function grouped(canonical: string): string {
  return canonical.match(/.{4}/g)!.join('-')
}
