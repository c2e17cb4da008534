/**
 * The log of administrative operations: actor, operation, state before and after. Append-only; the database refuses
 * changes and deletions.
 */
import type { Database } from '../db/database'
import { prepare } from '../db/statements'
import type { ListOptions } from './accounts'

export type Operation = {
  readonly actor: string
  /** The operation's name, as on the command line: `account create`. */
  readonly act: string
  /** Id of the account, key, voice or other object that was changed. */
  readonly subject: string
  /** JSON values without secrets. null: the object did not exist. */
  readonly before: unknown
  readonly after: unknown
}

export type LoggedOperation = Operation & { readonly id: string; readonly createdAtMs: number }

/** Must run in the transaction of the operation itself. */
export function logOperation(db: Database, { actor, act, subject, before, after }: Operation, nowMs: number): void {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
  prepare(
    db,
    'INSERT INTO audit_log (created_at_ms, actor, act, subject, before, after) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(nowMs, actor, act, subject, json(before), json(after))
}

type Row = {
  id: number
  createdAtMs: number
  actor: string
  act: string
  subject: string
  before: string | null
  after: string | null
}

export type LogFilter = {
  /** Inclusive. */
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
  readonly act?: string | undefined
  /** A part of the actor, such as the id of an account, a key or a person. */
  readonly actor?: string | undefined
  readonly subject?: string | undefined
}

/** Lists operations, newest first by (time, row). */
export function listOperations(
  db: Database,
  { fromMs, toMs, act, actor, subject, limit, before }: ListOptions & LogFilter,
): LoggedOperation[] {
  const start =
    before && before.createdAtMs < toMs ? { ...before, id: Number(before.id) } : { createdAtMs: toMs, id: 0 }
  const conditions = ['created_at_ms >= @fromMs', '(created_at_ms, id) < (@createdAtMs, @id)']
  if (act !== undefined) conditions.push('act = @act')
  if (actor !== undefined) conditions.push('instr(actor, @actor)')
  if (subject !== undefined) conditions.push('subject = @subject')
  const rows = prepare<Record<string, unknown>, Row>(
    db,
    `SELECT id, created_at_ms AS createdAtMs, actor, act, subject, before, after FROM audit_log
     WHERE ${conditions.join(' AND ')} ORDER BY created_at_ms DESC, id DESC LIMIT @limit`,
  ).all({ ...start, fromMs, limit, act, actor, subject })
  const parse = (json: string | null): unknown => (json === null ? null : JSON.parse(json))
  return rows.map((row) => ({ ...row, id: String(row.id), before: parse(row.before), after: parse(row.after) }))
}
