/**
 * The audit of ledger and usage: computes every total again from the rows and compares each record with those that must
 * agree with it. It only reads, in one snapshot of the database, so it can run beside a working server.
 */
import type { Database } from '../db/database'

/** `difference` names the first broken rule and a row that breaks it. undefined: every rule holds. */
export type AuditReport = { readonly difference: string | undefined; readonly checks: number; readonly totals: Totals }

type Totals = { accounts: number; entries: number; holds: number; requests: number; units: number }

type Check = {
  /** The invariant. */
  readonly rule: string
  /** Selects the rows that break it, each as a text in the column `row`. */
  readonly sql: string
}

const checks: readonly Check[] = [
  {
    rule: 'a movement is two entries that add up to zero',
    sql: `SELECT movement_id || ': ' || count(*) || ' entries, sum ' || sum(units) AS row
          FROM ledger_entries GROUP BY movement_id HAVING count(*) <> 2 OR sum(units) <> 0`,
  },
  {
    rule: 'a movement is between an account and the system account of its kind',
    sql: `SELECT movement_id || ': ' || group_concat(account, ' and ') AS row FROM ledger_entries GROUP BY movement_id
          HAVING sum(account IN (SELECT id FROM accounts)) <> 1 OR count(DISTINCT kind || ' ' || coalesce(key_id, '')) <> 1
            OR sum(CASE kind WHEN 'code' THEN account = 'codes' WHEN 'adjustment' THEN account = 'adjustments'
              ELSE account IN ('speech', 'clones') END) <> 1`,
  },
  {
    rule: 'every account has a balance, and every key its spending',
    sql: `SELECT 'account ' || id AS row FROM accounts WHERE id NOT IN (SELECT account_id FROM balances)
          UNION ALL SELECT 'key ' || id FROM api_keys WHERE id NOT IN (SELECT key_id FROM key_spending)`,
  },
  {
    rule: 'a balance is the sum of its entries',
    // The list of system accounts lets SQLite use the partial index `ledger_entries_by_account`.
    sql: `SELECT 'account ' || account_id || ': balance ' || balance || ', entries ' || entries AS row FROM
            (SELECT account_id, available + held AS balance,
               (SELECT coalesce(sum(units), 0) FROM ledger_entries
                WHERE account = account_id AND account NOT IN ('codes', 'speech', 'clones', 'adjustments')) AS entries
             FROM balances)
          WHERE balance <> entries`,
  },
  {
    rule: 'no account is overdrawn',
    sql: `SELECT 'account ' || account_id || ': available ' || available AS row FROM balances WHERE available < 0`,
  },
  {
    rule: 'a captured hold spent 1 to its held units, and any other hold none',
    sql: `SELECT 'hold ' || id || ', ' || status || ': ' || coalesce(captured_units, 'none') || ' of ' || held_units AS row
          FROM holds WHERE (status = 'captured') <> (captured_units IS NOT NULL)
            OR captured_units NOT BETWEEN 1 AND held_units`,
  },
  {
    rule: 'the held units of an account are the sum of its open holds',
    sql: `WITH sums AS (SELECT account_id AS id, sum(held_units) AS units FROM holds WHERE status = 'held' GROUP BY account_id)
          SELECT 'account ' || account_id || ': held ' || held || ', open holds ' || coalesce(units, 0) AS row
          FROM balances LEFT JOIN sums ON id = account_id WHERE held <> coalesce(units, 0)`,
  },
  {
    rule: 'the held and spent units of a key are the sums of its holds',
    sql: `WITH sums AS (SELECT key_id AS id, sum(iif(status = 'held', held_units, 0)) AS held,
            sum(captured_units) AS captured FROM holds GROUP BY key_id)
          SELECT 'key ' || key_id || ': held ' || key_spending.held || ' and captured ' || key_spending.captured
            || ', holds ' || coalesce(sums.held, 0) || ' and ' || coalesce(sums.captured, 0) AS row
          FROM key_spending LEFT JOIN sums ON id = key_id
          WHERE key_spending.held <> coalesce(sums.held, 0) OR key_spending.captured <> coalesce(sums.captured, 0)`,
  },
  {
    rule: 'a captured hold has its movement',
    sql: `SELECT 'hold ' || holds.id AS row FROM holds LEFT JOIN ledger_entries AS entry
            ON entry.movement_id = 'hold-' || holds.id AND entry.account = holds.account_id
          LEFT JOIN ledger_entries AS other ON other.movement_id = entry.movement_id AND other.account = holds.purpose
          WHERE status = 'captured' AND (other.units IS NULL OR entry.units <> -holds.captured_units
            OR entry.key_id IS NOT holds.key_id OR entry.kind <> 'capture')`,
  },
  {
    rule: 'the movement of a hold belongs to a captured hold',
    sql: `SELECT movement_id AS row FROM ledger_entries WHERE kind = 'capture'
            AND NOT EXISTS (SELECT 1 FROM holds
              WHERE id = CAST(substr(movement_id, 6) AS INTEGER) AND movement_id = 'hold-' || id AND status = 'captured')`,
  },
  {
    rule: 'a captured hold is a charged request of the same kind, account, key and units',
    sql: `SELECT 'hold ' || holds.id || ', request ' || request_id AS row FROM holds LEFT JOIN usage USING (request_id)
          WHERE holds.status = 'captured' AND (usage.id IS NULL OR usage.status NOT IN ('charged', 'partial')
            OR usage.units <> captured_units OR (usage.kind = 'tts') <> (purpose = 'speech')
            OR usage.account_id <> holds.account_id OR usage.key_id <> holds.key_id)`,
  },
  {
    rule: 'a charged request has one captured hold',
    // The condition "not released" lets SQLite use the partial index `holds_charged`.
    sql: `SELECT 'request ' || request_id AS row FROM usage WHERE status IN ('charged', 'partial') AND (units > 0) <>
            (SELECT count(*) FROM holds WHERE holds.request_id = usage.request_id
              AND holds.status <> 'released' AND holds.status = 'captured')`,
  },
  {
    rule: 'a charged tts request costs its characters',
    sql: `SELECT 'request ' || request_id || ': ' || units || ' units, ' || characters || ' characters' AS row
          FROM usage WHERE kind = 'tts' AND status = 'charged' AND units <> characters`,
  },
  {
    rule: 'only tts requests are partial, for 1 to their characters',
    sql: `SELECT 'request ' || request_id || ': ' || units || ' units, ' || characters || ' characters' AS row
          FROM usage WHERE status = 'partial' AND (kind <> 'tts' OR units NOT BETWEEN 1 AND characters)`,
  },
  {
    rule: 'a tts request held its characters, and a charged one spent all that it held',
    sql: `SELECT 'request ' || request_id || ': ' || captured_units || ' of ' || held_units || ' held units' AS row
          FROM usage JOIN holds USING (request_id) WHERE holds.status = 'captured'
            AND (kind = 'tts' AND held_units <> characters OR usage.status = 'charged' AND captured_units <> held_units)`,
  },
  {
    rule: 'a hold and a request are on a key of their account',
    sql: `SELECT 'hold ' || holds.id AS row FROM holds LEFT JOIN api_keys ON api_keys.id = key_id
          WHERE api_keys.account_id IS NOT holds.account_id
          UNION ALL SELECT 'request ' || request_id FROM usage LEFT JOIN api_keys ON api_keys.id = key_id
          WHERE api_keys.account_id IS NOT usage.account_id`,
  },
  {
    rule: 'an open hold is a running request, and a running request an open hold',
    sql: `SELECT 'hold ' || id AS row FROM holds WHERE status = 'held' AND NOT EXISTS
            (SELECT 1 FROM usage WHERE usage.request_id = holds.request_id AND usage.status = 'running')
          UNION ALL SELECT 'request ' || request_id FROM usage WHERE status = 'running' AND request_id NOT IN
            (SELECT request_id FROM holds WHERE status = 'held')`,
  },
  {
    rule: 'a used code was credited once, to the account that used it',
    sql: `SELECT 'code ' || code.id AS row FROM activation_codes AS code LEFT JOIN ledger_entries AS entry
            ON movement_id = 'code-' || code.id AND account = used_by
          WHERE status = 'used' AND (entry.units IS NULL OR entry.units <> code.units)`,
  },
  {
    rule: 'a credit from a code belongs to a used code',
    sql: `SELECT movement_id AS row FROM ledger_entries WHERE kind = 'code'
            AND NOT EXISTS (SELECT 1 FROM activation_codes
              WHERE id = substr(movement_id, 6) AND movement_id = 'code-' || id AND status = 'used')`,
  },
  {
    rule: 'a clone was paid for by its account',
    sql: `SELECT 'clone ' || clones.id AS row FROM clones LEFT JOIN usage USING (request_id)
          WHERE kind IS NOT 'clone' OR status <> 'charged' OR units = 0 OR voice_id <> clones.id
            OR usage.account_id <> clones.account_id`,
  },
  {
    rule: 'an erased account has no persons, clones or keys',
    sql: `SELECT 'account ' || id AS row FROM accounts WHERE erased_at_ms IS NOT NULL AND (status <> 'disabled'
            OR EXISTS (SELECT 1 FROM persons WHERE account_id = accounts.id)
            OR files_left = 0 AND EXISTS (SELECT 1 FROM clones WHERE account_id = accounts.id)
            OR EXISTS (SELECT 1 FROM api_keys WHERE account_id = accounts.id AND status <> 'deleted'))`,
  },
  {
    rule: 'the sums of a day are those of its requests',
    // One sort groups both lists. A join of them takes hours with millions of requests.
    sql: `SELECT 'account ' || account_id || ', day ' || day AS row FROM (
            SELECT account_id, day, requests, units, audio_ms FROM usage_days
            UNION ALL SELECT account_id, created_at_ms / 86400000, -1, -units, -coalesce(audio_ms, 0)
              FROM usage WHERE status <> 'running')
          GROUP BY account_id, day HAVING sum(requests) <> 0 OR sum(units) <> 0 OR sum(audio_ms) <> 0`,
  },
]

export function audit(db: Database): AuditReport {
  return db.transaction(() => {
    const totals = db
      .prepare<[], Totals>(
        `SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM ledger_entries) AS entries,
           (SELECT count(*) FROM holds) AS holds, (SELECT count(*) FROM usage) AS requests,
           (SELECT coalesce(sum(available + held), 0) FROM balances) AS units`,
      )
      .get()!
    for (const { rule, sql } of checks) {
      const broken = db.prepare<[], { row: string }>(`${sql} LIMIT 1`).get()
      if (broken) return { difference: `${rule}; found ${broken.row}`, checks: checks.length, totals }
    }
    return { difference: undefined, checks: checks.length, totals }
  })()
}
