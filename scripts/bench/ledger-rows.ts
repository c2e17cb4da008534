/** A ledger and a history with the rows of years of use, written with plain SQL. The audit accepts them. */
import type { Database } from 'better-sqlite3'

export const usageRows = 5_000_000
/** Requests of the big account; the other accounts share the rest. */
export const bigAccountRows = usageRows / 5

const credit = 1_000_000_000
const units = 50

export const accountIdOf = (index: number) => `0199a000-0000-7000-8000-${String(index).padStart(12, '0')}`
export const keyIdOf = (index: number) => `0199a000-0000-7000-9000-${String(index).padStart(12, '0')}`

/** Inserts accounts with a key and a credit each, and `usageRows` finished requests spread over the last year. */
export function fillBooks(db: Database, { accounts, usageRows }: { accounts: number; usageRows: number }): void {
  const indexes = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL",
    )
    .all()
  const firstAtMs = Date.now() - 365 * 86_400_000
  const stepMs = Math.floor((364 * 86_400_000) / Math.max(1, usageRows))
  db.pragma('foreign_keys = OFF')
  db.pragma('synchronous = OFF')
  db.pragma('journal_mode = MEMORY')
  db.transaction(() => {
    // Creating the indexes after the rows is faster.
    for (const { name } of indexes) db.exec(`DROP INDEX ${name}`)
    db.exec(`
      CREATE TEMP TABLE people AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${accounts - 1})
        SELECT i, printf('0199a000-0000-7000-8000-%012d', i) AS account_id,
          printf('0199a000-0000-7000-9000-%012d', i) AS key_id FROM n;
      INSERT INTO accounts (id, name, role, status, account_number, created_at_ms)
        SELECT account_id, 'Account ' || i, 'user', 'enabled', printf('%016d', i), ${firstAtMs} FROM people;
      INSERT INTO api_keys (id, account_id, name, prefix, secret_sha256, status, created_at_ms)
        SELECT key_id, account_id, 'key', 'sk-0000', randomblob(32), 'active', ${firstAtMs} FROM people;
      INSERT INTO usage (id, request_id, kind, account_id, key_id, created_at_ms, voice_id, characters, units, speed,
          format, digest, file_name, audio_ms, processing_ms, remaining, status)
        WITH RECURSIVE n(id) AS (SELECT 1 WHERE ${usageRows} > 0 UNION ALL SELECT id + 1 FROM n WHERE id < ${usageRows}),
          whose(id, i) AS (SELECT id, iif(id % 5 = 0, 0, 1 + (id * 7919) % ${Math.max(1, accounts - 1)}) FROM n)
        SELECT id, printf('0199a00000007000a000%012d', id),
          'tts', printf('0199a000-0000-7000-8000-%012d', i), printf('0199a000-0000-7000-9000-%012d', i),
          ${firstAtMs} + id * ${stepMs}, 'heart', ${units}, ${units}, 1, 'mp3', randomblob(32),
          printf('0199a00000007000a000%012d.mp3', id), 3000, 200, 1000000, 'charged' FROM whose;
      INSERT INTO holds (id, request_id, account_id, key_id, purpose, held_units, captured_units, status, created_at_ms,
          expires_at_ms)
        SELECT id, request_id, account_id, key_id, 'speech', units, units, 'captured', created_at_ms, created_at_ms + 600000
        FROM usage ORDER BY id;
      INSERT INTO ledger_entries (movement_id, account, units, kind, reason, created_at_ms)
        SELECT 'adjustment-' || i, 'adjustments', -${credit}, 'adjustment', 'bench', ${firstAtMs} FROM people;
      INSERT INTO ledger_entries (movement_id, account, units, kind, reason, created_at_ms)
        SELECT 'adjustment-' || i, account_id, ${credit}, 'adjustment', 'bench', ${firstAtMs} FROM people;
      INSERT INTO ledger_entries (movement_id, account, units, kind, key_id, created_at_ms)
        SELECT 'hold-' || holds.id, iif(side.sign < 0, account_id, 'speech'), side.sign * captured_units, 'capture', key_id, created_at_ms
        FROM holds, (SELECT -1 AS sign UNION ALL SELECT 1) AS side;
      INSERT INTO usage_days (account_id, day, requests, units, audio_ms)
        SELECT account_id, created_at_ms / 86400000, count(*), sum(units), sum(audio_ms) FROM usage GROUP BY 1, 2;
      CREATE TEMP TABLE spent AS SELECT account_id, key_id, sum(captured_units) AS units FROM holds GROUP BY 1, 2;
      CREATE INDEX temp.spent_by_account ON spent (account_id);
      INSERT INTO balances (account_id, available)
        SELECT account_id, ${credit} - coalesce(units, 0) FROM people LEFT JOIN spent USING (account_id);
      INSERT INTO key_spending (key_id, captured)
        SELECT people.key_id, coalesce(units, 0) FROM people LEFT JOIN spent USING (account_id);
      DROP TABLE spent;
      DROP TABLE people;
    `)
    for (const { sql } of indexes) db.exec(sql)
  })()
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
}
