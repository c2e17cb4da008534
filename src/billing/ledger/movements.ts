/** The movements of one account, as its owner sees them: the account's side of each movement, with its request. */
import { prepare } from '../../db/statements'
import type { Database } from '../../db/database'

export type Movement = {
  readonly id: string
  readonly createdAtMs: number
  /** Negative for a charge. */
  readonly units: number
  readonly kind: 'capture' | 'code' | 'adjustment'
  /** Given by the administrator; null except for adjustments. */
  readonly reason: string | null
  /** The request that was charged; null for other movements. */
  readonly requestId: string | null
  readonly purpose: 'speech' | 'clones' | null
  /** The account's balance in the same snapshot. */
  readonly settled: number
}

/**
 * Lists movements older than `before`, newest first by (time, id). The list of system accounts lets SQLite use the
 * partial index. The id of a capture is `hold-` and the id of its hold.
 */
export function listMovements(
  db: Database,
  accountId: string,
  { limit, before }: { limit: number; before: { createdAtMs: number; id: string } | undefined },
): Movement[] {
  return prepare<Record<string, unknown>, Movement>(
    db,
    `SELECT entry.movement_id AS id, entry.created_at_ms AS createdAtMs, entry.units, entry.kind, entry.reason,
       holds.request_id AS requestId, holds.purpose,
       (SELECT available + held FROM balances WHERE account_id = @accountId) AS settled
     FROM ledger_entries AS entry INDEXED BY ledger_entries_by_account
     LEFT JOIN holds ON entry.kind = 'capture' AND holds.id = CAST(substr(entry.movement_id, 6) AS INTEGER)
     WHERE account = @accountId AND account NOT IN ('codes', 'speech', 'clones', 'adjustments')
       AND (entry.created_at_ms, entry.movement_id) < (@startMs, @startId)
     ORDER BY entry.created_at_ms DESC, entry.movement_id DESC LIMIT @limit`,
  ).all({ accountId, startMs: before?.createdAtMs ?? Number.MAX_SAFE_INTEGER, startId: before?.id ?? '', limit })
}
