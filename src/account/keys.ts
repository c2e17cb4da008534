/**
 * API keys: 256 random bits, shown once. Only the SHA-256 is stored; with that much entropy a slow hash would add
 * nothing. Finding one is a lookup by the hash, so no comparison can leak its timing.
 */
import type { Database } from '../db/database'
import { AppError } from '../errors'

export type Caller = {
  readonly accountId: string
  readonly keyId: string
  readonly role: 'user' | 'admin'
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretDigits = 43
const prefixLength = 'sk-'.length + 4

/** Makes a key for an account and returns it whole, for the only time. */
export function createKey(db: Database, { accountId, name }: { accountId: string; name: string }): string {
  const apiKey = generateKey()
  db.prepare(
    `INSERT INTO api_keys (id, account_id, name, prefix, secret_sha256, status, created_at_ms)
     VALUES (?, ?, ?, ?, ?, 'active', ?)`,
  ).run(crypto.randomUUID(), accountId, name, apiKey.slice(0, prefixLength), sha256(apiKey), Date.now())
  return apiKey
}

/** Whose key this is. Throws `invalid_api_key`, `api_key_revoked`, `account_disabled`. */
export function authenticate(db: Database, apiKey: string): Caller {
  const row = db
    .prepare<[Buffer], { account_id: string; key_id: string; role: Caller['role']; key: string; account: string }>(
      `SELECT api_keys.account_id, api_keys.id AS key_id, accounts.role, api_keys.status AS key, accounts.status AS account
       FROM api_keys JOIN accounts ON accounts.id = api_keys.account_id
       WHERE api_keys.secret_sha256 = ?`,
    )
    .get(sha256(apiKey))
  if (!row) throw new AppError('invalid_api_key', 'The API key does not exist or was deleted.')
  if (row.key === 'revoked') throw new AppError('api_key_revoked', 'The API key was revoked.')
  if (row.account === 'disabled') throw new AppError('account_disabled', 'The account is disabled.')
  return { accountId: row.account_id, keyId: row.key_id, role: row.role }
}

/** `sk-` and 43 base62 digits: a random number below 62^43 > 2^256. */
function generateKey(): string {
  let number = 0n
  for (const byte of crypto.getRandomValues(new Uint8Array(32))) number = (number << 8n) | BigInt(byte)
  let digits = ''
  for (let i = 0; i < secretDigits; i++) {
    digits = alphabet[Number(number % 62n)] + digits
    number /= 62n
  }
  return `sk-${digits}`
}

function sha256(text: string): Buffer {
  return Buffer.from(new Bun.CryptoHasher('sha256').update(text).digest())
}
