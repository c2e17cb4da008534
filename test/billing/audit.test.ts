/** The audit: raw SQL that bypasses all protection breaks every rule, and the audit names the broken rule. */
import { beforeEach, describe, expect, it } from 'bun:test'
import { audit } from '../../src/billing/audit'
import { openDatabase, type Database } from '../../src/db/database'
import { transact } from '../../src/db/statements'
import { release } from '../../src/billing/ledger/ledger'
import { finishUsage, startUsage } from '../../src/billing/usage/usage'
import {
  addAccount,
  addKey,
  begin,
  breakOff,
  credit,
  dayMs,
  fail,
  newRequestId,
  redeem,
  speakOnce,
  startMs,
} from '../billing'
import { explain, plansOf, repeatedScans } from '../query-plans'

let db: Database
let accountId: string
let keyId: string
let otherId: string
let otherKeyId: string
let requestId: string
let open: { holdId: number; requestId: string }
/** Of 20 held units 15 were charged. */
let stream: { holdId: number; requestId: string }

/** A busy database: two accounts, both kinds of credit, requests with every outcome, and one running request. */
beforeEach(() => {
  db = openDatabase(':memory:')
  accountId = addAccount(db, 'one')
  otherId = addAccount(db, 'two')
  keyId = addKey(db, accountId)
  otherKeyId = addKey(db, otherId, 500)
  redeem(db, accountId, 1000)
  redeem(db, otherId, 50)
  credit(db, otherId, 300)
  credit(db, otherId, -100)
  requestId = speakOnce(db, { accountId, keyId, units: 10 })
  speakOnce(db, { accountId, keyId, units: 25, nowMs: startMs + dayMs })
  speakOnce(db, { accountId: otherId, keyId: otherKeyId, units: 40 })
  const failed = begin(db, { accountId, keyId, units: 5 })
  fail(db, failed)
  speakOnce(db, { accountId, keyId, units: 6, requestId: failed.requestId, nowMs: startMs + dayMs })
  fail(db, begin(db, { accountId, keyId, units: 7 }))
  const uncharged = begin(db, { accountId, keyId, units: 8 })
  transact(db, () => {
    release(db, uncharged.holdId)
    const fileName = `${uncharged.requestId}.mp3`
    finishUsage(db, uncharged.requestId, { status: 'uncharged', fileName, audioMs: 900, processingMs: 3 })
  })
  cloneForNothing()
  stream = begin(db, { accountId, keyId, units: 20 })
  breakOff(db, accountId, stream, 15, 'synthesis_failed')
  breakOff(db, accountId, begin(db, { accountId, keyId, units: 11 }), 11)
  open = begin(db, { accountId, keyId, units: 9 })
})

function cloneForNothing(): void {
  const id = newRequestId()
  const start = {
    requestId: id,
    kind: 'clone',
    surface: 'api',
    accountId,
    keyId,
    createdAtMs: startMs,
    voiceId: 'cv-1',
  } as const
  transact(db, () => {
    startUsage(db, { ...start, characters: 0, speed: null, format: null, digest: null })
    finishUsage(db, id, { status: 'charged', units: 0, remaining: 0, fileName: null, audioMs: null, processingMs: 1 })
  })
}

function corrupt(sql: string): void {
  const triggers = db.prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
  db.exec('DROP INDEX holds_charged; PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON')
  db.exec(sql)
}

const entry = (movementId: string, account: string, units: number, kind: string, key: string | null = null) =>
  `INSERT INTO ledger_entries (movement_id, account, units, kind, key_id, reason, created_at_ms)
   VALUES ('${movementId}', '${account}', ${units}, '${kind}', ${key === null ? 'NULL' : `'${key}'`}, 'r', 0);`
const give = (units: number, to = accountId) =>
  `UPDATE balances SET available = available + ${units} WHERE account_id = '${to}';`
const captured = "status = 'captured' AND request_id = (SELECT request_id FROM usage ORDER BY id LIMIT 1)"
const first = 'id = (SELECT min(id) FROM usage)'

/** For each rule a change that breaks it and no rule that is checked before it. */
const corruptions: [rule: string, what: string, sql: () => string][] = [
  [
    'a movement is two entries that add up to zero',
    'an adjustment without its other side',
    () => entry('adjustment-x', accountId, 5, 'adjustment') + give(5),
  ],
  [
    'a movement is two entries that add up to zero',
    'an entry that was made larger',
    () => `UPDATE ledger_entries SET units = 1001 WHERE account = '${accountId}' AND kind = 'code'; ${give(1)}`,
  ],
  [
    'a movement is two entries that add up to zero',
    'a deleted entry',
    () => `DELETE FROM ledger_entries WHERE kind = 'code' AND account = 'codes'`,
  ],
  [
    'a movement is between an account and the system account of its kind',
    'units from one account to another',
    () =>
      entry('adjustment-x', accountId, -5, 'adjustment') +
      entry('adjustment-x', otherId, 5, 'adjustment') +
      give(-5) +
      give(5, otherId),
  ],
  [
    'a movement is between an account and the system account of its kind',
    'units for an account that does not exist',
    () => entry('adjustment-x', 'nobody', 5, 'adjustment') + entry('adjustment-x', 'adjustments', -5, 'adjustment'),
  ],
  [
    'a movement is between an account and the system account of its kind',
    'a code that was credited from adjustments',
    () => "UPDATE ledger_entries SET account = 'adjustments' WHERE account = 'codes'",
  ],
  [
    'a movement is between an account and the system account of its kind',
    'two sides that name different keys',
    () => "UPDATE ledger_entries SET key_id = NULL WHERE account = 'speech'",
  ],
  [
    'every account has a balance, and every key its spending',
    'an account without a balance',
    () => {
      const id = addAccount(db)
      return `DELETE FROM balances WHERE account_id = '${id}'`
    },
  ],
  [
    'every account has a balance, and every key its spending',
    'a key without its spending',
    () => {
      const id = addKey(db, accountId)
      return `DELETE FROM key_spending WHERE key_id = '${id}'`
    },
  ],
  ['a balance is the sum of its entries', 'units from nowhere', () => give(1)],
  ['a balance is the sum of its entries', 'units that vanished', () => give(-1)],
  [
    'no account is overdrawn',
    'more spent than there was',
    () =>
      entry('adjustment-x', accountId, -2000, 'adjustment') +
      entry('adjustment-x', 'adjustments', 2000, 'adjustment') +
      give(-2000),
  ],
  [
    'a captured hold spent 1 to its held units, and any other hold none',
    'a capture of more than was held',
    () => `UPDATE holds SET held_units = 14 WHERE id = ${stream.holdId}`,
  ],
  [
    'a captured hold spent 1 to its held units, and any other hold none',
    'a capture that does not say what it spent',
    () => `UPDATE holds SET captured_units = NULL WHERE id = ${stream.holdId}`,
  ],
  [
    'a captured hold spent 1 to its held units, and any other hold none',
    'an open hold that spent something',
    () => `UPDATE holds SET captured_units = 3 WHERE id = ${open.holdId}`,
  ],
  [
    'the held units of an account are the sum of its open holds',
    'a partial capture that kept the rest aside',
    () => `UPDATE balances SET held = held + 5, available = available - 5 WHERE account_id = '${accountId}'`,
  ],
  [
    'the held and spent units of a key are the sums of its holds',
    'a key that was charged for all that a partial capture held',
    () => `UPDATE key_spending SET captured = captured + 5 WHERE key_id = '${keyId}'`,
  ],
  [
    'the held units of an account are the sum of its open holds',
    'units held for nothing',
    () => `UPDATE balances SET held = held + 1, available = available - 1`,
  ],
  [
    'the held and spent units of a key are the sums of its holds',
    'a key that forgot what it spent',
    () => `UPDATE key_spending SET captured = captured - 10 WHERE key_id = '${keyId}'`,
  ],
  [
    'the held and spent units of a key are the sums of its holds',
    'a key that holds for nothing',
    () => `UPDATE key_spending SET held = held + 1 WHERE key_id = '${otherKeyId}'`,
  ],
  [
    'a captured hold has its movement',
    'a capture without its movement',
    () =>
      `DELETE FROM ledger_entries WHERE movement_id = (SELECT 'hold-' || id FROM holds WHERE ${captured}); ${give(10)}`,
  ],
  [
    'a captured hold has its movement',
    'a capture of speech that went to clones',
    () => "UPDATE ledger_entries SET account = 'clones' WHERE account = 'speech'",
  ],
  [
    'a captured hold has its movement',
    'a capture under another key',
    () => `UPDATE ledger_entries SET key_id = '${otherKeyId}' WHERE key_id = '${keyId}'`,
  ],
  [
    'a captured hold has its movement',
    'a capture that took less than was held',
    () =>
      `UPDATE ledger_entries SET units = sign(units) * 9
       WHERE movement_id = (SELECT 'hold-' || id FROM holds WHERE ${captured}); ${give(1)}`,
  ],
  [
    'a captured hold has its movement',
    'a partial capture whose movement took all that was held',
    () => `UPDATE ledger_entries SET units = sign(units) * 20 WHERE movement_id = 'hold-${stream.holdId}'; ${give(-5)}`,
  ],
  [
    'the movement of a hold belongs to a captured hold',
    'a charge without a hold',
    () => entry('hold-999', accountId, -5, 'capture') + entry('hold-999', 'speech', 5, 'capture') + give(-5),
  ],
  [
    'the movement of a hold belongs to a captured hold',
    'a second charge of one hold under a similar name',
    () => entry('hold-1x', accountId, -5, 'capture') + entry('hold-1x', 'speech', 5, 'capture') + give(-5),
  ],
  [
    'the movement of a hold belongs to a captured hold',
    'a charge of a hold that is still open',
    () => {
      const movementId = `hold-${open.holdId}`
      return entry(movementId, accountId, -9, 'capture') + entry(movementId, 'speech', 9, 'capture') + give(-9)
    },
  ],
  [
    'a captured hold is a charged request of the same kind, account, key and units',
    'a charge for a request that failed',
    () => `UPDATE usage SET status = 'failed', error_code = 'x', units = 0 WHERE ${first}`,
  ],
  [
    'a captured hold is a charged request of the same kind, account, key and units',
    'a request that says it cost less',
    () => `UPDATE usage SET units = 9, characters = 9 WHERE ${first}`,
  ],
  [
    'a captured hold is a charged request of the same kind, account, key and units',
    'a charge for no request at all',
    () => `DELETE FROM usage WHERE ${first}`,
  ],
  [
    'a captured hold is a charged request of the same kind, account, key and units',
    'a request in the history of somebody else',
    () => `UPDATE usage SET account_id = '${otherId}' WHERE ${first}`,
  ],
  [
    'a captured hold is a charged request of the same kind, account, key and units',
    'a request under another key of the account',
    () => `UPDATE usage SET key_id = '${addKey(db, accountId)}' WHERE ${first}`,
  ],
  [
    'a captured hold is a charged request of the same kind, account, key and units',
    'a clone that was paid as speech',
    () => `UPDATE usage SET kind = 'clone' WHERE ${first}`,
  ],
  [
    'a captured hold is a charged request of the same kind, account, key and units',
    'a partial request that says it cost less',
    () => `UPDATE usage SET units = 14 WHERE request_id = '${stream.requestId}'`,
  ],
  [
    'a captured hold is a charged request of the same kind, account, key and units',
    'a partial capture for a request that failed',
    () => `UPDATE usage SET status = 'failed', units = 0 WHERE request_id = '${stream.requestId}'`,
  ],
  [
    'a charged request has one captured hold',
    'a partial request that no hold paid',
    () => `UPDATE usage SET status = 'partial', units = 1 WHERE status = 'uncharged'`,
  ],
  [
    'a charged request has one captured hold',
    'a request that was charged twice',
    () => {
      const again = begin(db, { accountId, keyId, units: 10 })
      return `
        UPDATE holds SET request_id = '${requestId}', status = 'captured', captured_units = 10 WHERE id = ${again.holdId};
        DELETE FROM usage WHERE request_id = '${again.requestId}';
        UPDATE balances SET held = held - 10 WHERE account_id = '${accountId}';
        UPDATE key_spending SET held = held - 10, captured = captured + 10 WHERE key_id = '${keyId}';
        ${entry(`hold-${again.holdId}`, accountId, -10, 'capture', keyId)}
        ${entry(`hold-${again.holdId}`, 'speech', 10, 'capture', keyId)}`
    },
  ],
  [
    'a charged request has one captured hold',
    'a charge that no hold paid',
    () => `UPDATE usage SET status = 'charged', units = characters, error_code = NULL WHERE status = 'failed'`,
  ],
  [
    'a charged tts request costs its characters',
    'speech that cost nothing',
    () => `UPDATE usage SET status = 'charged' WHERE status = 'uncharged'`,
  ],
  [
    'a charged tts request costs its characters',
    'a partial request that says it was charged whole',
    () => `UPDATE usage SET status = 'charged', error_code = NULL WHERE request_id = '${stream.requestId}'`,
  ],
  [
    'only tts requests are partial, for 1 to their characters',
    'a partial request with fewer characters than it cost',
    () => `UPDATE usage SET characters = 14 WHERE request_id = '${stream.requestId}'`,
  ],
  [
    'only tts requests are partial, for 1 to their characters',
    'a partial request for nothing',
    () => `UPDATE usage SET status = 'partial' WHERE status = 'uncharged'`,
  ],
  [
    'a tts request held its characters, and a charged one spent all that it held',
    'a request with more characters than it held',
    () => `UPDATE usage SET characters = 21 WHERE request_id = '${stream.requestId}'`,
  ],
  [
    'a tts request held its characters, and a charged one spent all that it held',
    'a request that was charged whole and spent a part',
    () =>
      `UPDATE usage SET status = 'charged', error_code = NULL, characters = 15 WHERE request_id = '${stream.requestId}'`,
  ],
  [
    'a clone was paid for by its account',
    'a clone that cost nothing',
    () => `
      INSERT INTO reference_files (sha256, size_bytes, created_at_ms) VALUES (zeroblob(32), 1, 0);
      INSERT INTO clones SELECT 'cv-1', account_id, request_id, zeroblob(32), 'n', 'en', 'male', 'adapted', 'en-ross',
        '{}', '[]', 1, 'demos/n.mp3', 0 FROM usage WHERE kind = 'clone'`,
  ],
  [
    'a hold and a request are on a key of their account',
    'a failed request under a key of another account',
    () => `UPDATE usage SET key_id = '${otherKeyId}' WHERE status = 'failed'`,
  ],
  [
    'a hold and a request are on a key of their account',
    'a released hold under a key of another account',
    () => `UPDATE holds SET key_id = '${otherKeyId}' WHERE status = 'released'`,
  ],
  [
    'a hold and a request are on a key of their account',
    'a key that was moved to another account',
    () => `UPDATE api_keys SET account_id = '${otherId}' WHERE id = '${keyId}'`,
  ],
  [
    'an open hold is a running request, and a running request an open hold',
    'a hold whose request has ended',
    () => `UPDATE usage SET status = 'failed', error_code = 'x' WHERE request_id = '${open.requestId}'`,
  ],
  [
    'an open hold is a running request, and a running request an open hold',
    'a running request without a hold',
    () => `UPDATE usage SET status = 'running', error_code = NULL WHERE status = 'failed'`,
  ],
  [
    'a used code was credited once, to the account that used it',
    'a used code without a credit',
    () =>
      `INSERT INTO activation_codes (id, code_sha256, suffix, units, status, created_at_ms, used_by)
       VALUES ('x', zeroblob(32), 'XXXX', 5, 'used', 0, '${accountId}')`,
  ],
  [
    'a used code was credited once, to the account that used it',
    'a code that was credited to somebody else',
    () => `UPDATE activation_codes SET used_by = '${otherId}' WHERE used_by = '${accountId}'`,
  ],
  [
    'a used code was credited once, to the account that used it',
    'a code that was credited with more units',
    () => `UPDATE activation_codes SET units = units - 1`,
  ],
  [
    'a credit from a code belongs to a used code',
    'a used code that became unused again',
    () => `UPDATE activation_codes SET status = 'unused', used_by = NULL`,
  ],
  [
    'a credit from a code belongs to a used code',
    'a code that was credited again under a similar name',
    () => {
      const { id } = db.prepare<[], { id: string }>('SELECT id FROM activation_codes LIMIT 1').get()!
      return entry(`kode-${id}`, accountId, 5, 'code') + entry(`kode-${id}`, 'codes', -5, 'code') + give(5)
    },
  ],
  [
    'the sums of a day are those of its requests',
    'a day that counts one more',
    () => 'UPDATE usage_days SET requests = requests + 1',
  ],
  [
    'the sums of a day are those of its requests',
    'a day that counts fewer units',
    () => 'UPDATE usage_days SET units = units - 1',
  ],
  [
    'the sums of a day are those of its requests',
    'a day that counts all characters of a partial request',
    () => `UPDATE usage_days SET units = units + 5 WHERE account_id = '${accountId}'`,
  ],
  [
    'the sums of a day are those of its requests',
    'a day that counts more sound',
    () => 'UPDATE usage_days SET audio_ms = audio_ms + 1',
  ],
  ['the sums of a day are those of its requests', 'a day that is missing', () => 'DELETE FROM usage_days'],
  [
    'the sums of a day are those of its requests',
    'a day without requests that has some',
    () => `INSERT INTO usage_days VALUES ('${otherId}', 1, 1, 0, 0)`,
  ],
  [
    'an erased account has no persons, clones or keys',
    'an account that kept its keys',
    () => `UPDATE accounts SET erased_at_ms = 1, status = 'disabled' WHERE id = '${accountId}'`,
  ],
  [
    'an erased account has no persons, clones or keys',
    'an account that was enabled again',
    () => `UPDATE accounts SET erased_at_ms = 1 WHERE id = '${otherId}'`,
  ],
  [
    'the sums of a day are those of its requests',
    'a request that moved to another day',
    () => `UPDATE usage SET created_at_ms = created_at_ms + ${dayMs} WHERE ${first}`,
  ],
]

describe('the audit', () => {
  it('passes a busy database and counts its rows', () => {
    const report = audit(db)
    expect(report.difference).toBeUndefined()
    expect(report.totals).toEqual({
      accounts: 2,
      entries: 20,
      holds: 10,
      requests: 10,
      units: 1000 + 50 + 200 - 10 - 25 - 40 - 6 - 15 - 11,
    })
  })

  it('passes a new database', () => {
    expect(audit(openDatabase(':memory:')).difference).toBeUndefined()
  })

  it.each(corruptions)('says "%s" of %s', (rule, _what, sql) => {
    corrupt(sql())
    const { difference } = audit(db)
    expect(difference).toStartWith(`${rule}; found `)
    expect(difference).not.toEndWith('; found null')
  })

  it('has no rule without a test above', () => {
    expect(new Set(corruptions.map(([rule]) => rule)).size).toBe(audit(db).checks)
  })

  it('reads no table once per row of another, which would take quadratic time', () => {
    const plans = plansOf(db, () => audit(db))
    // The rules and the totals.
    expect(plans).toHaveLength(audit(db).checks + 1)
    expect(plans.map((plan) => [plan.sql, repeatedScans(plan)]).filter(([, scans]) => scans!.length > 0)).toEqual([])
  })

  it.each([
    'SELECT 1 FROM usage LEFT JOIN holds ON instr(holds.request_id, usage.request_id)',
    'SELECT (SELECT count(*) FROM holds WHERE instr(holds.request_id, usage.request_id)) FROM usage',
  ])('would fail for %s', (sql) => {
    expect(repeatedScans(explain(db, sql))).toEqual([expect.stringMatching(/^SCAN holds/)])
  })
})
