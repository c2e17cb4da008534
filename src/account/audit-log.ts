/**
 * The log of administrative operations: actor, operation, state before and after. Append-only; the database refuses
 * deletions, and every change but the erasure of names.
 */
import type { Database } from '../db/database'
import { prepare } from '../db/statements'

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

export type LoggedOperation = Operation & { readonly id: number; readonly createdAtMs: number }

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

type Place = { readonly createdAtMs: number; readonly id: number }

type Range = { readonly limit: number; readonly before: Place | undefined; readonly last?: Place | undefined }

/**
 * Lists operations, newest first by (time, row), down to and including `last`. A filter by operation or actor reads all
 * other rows of the range.
 */
export function listOperations(db: Database, { limit, ...filter }: LogFilter & Range): LoggedOperation[] {
  const rows = prepare<Record<string, unknown>, Row>(
    db,
    `SELECT id, created_at_ms AS createdAtMs, actor, act, subject, before, after FROM ${matching(filter)}
     ORDER BY created_at_ms DESC, id DESC LIMIT @limit`,
  ).all({ ...valuesOf(filter), limit })
  const parse = (json: string | null): unknown => (json === null ? null : JSON.parse(json))
  return rows.map((row) => ({ ...row, before: parse(row.before), after: parse(row.after) }))
}

/** The place of the operation that is `rows` operations behind `before`, whatever the operation and its actor. */
export function findOperationPlace(
  db: Database,
  { fromMs, toMs, subject, before }: LogFilter & Pick<Range, 'before'>,
  rows: number,
): Place | undefined {
  const wide = { fromMs, toMs, subject, before }
  return prepare<Record<string, unknown>, Place>(
    db,
    `SELECT created_at_ms AS createdAtMs, id FROM ${matching(wide)}
     ORDER BY created_at_ms DESC, id DESC LIMIT 1 OFFSET @rows - 1`,
  ).get({ ...valuesOf(wide), rows })
}

type Selection = LogFilter & Omit<Range, 'limit'>

function matching({ act, actor, subject, last }: Selection): string {
  const index = subject === undefined ? 'audit_log_by_age' : 'audit_log_by_subject'
  const conditions = [
    subject !== undefined && 'subject = @subject',
    'created_at_ms >= @fromMs',
    '(created_at_ms, id) < (@startMs, @startId)',
    last && '(created_at_ms, id) >= (@lastMs, @lastId)',
    act !== undefined && 'act = @act',
    actor !== undefined && 'instr(actor, @actor)',
  ]
  return `audit_log INDEXED BY ${index} WHERE ${conditions.filter(Boolean).join(' AND ')}`
}

function valuesOf({ fromMs, toMs, act, actor, subject, before, last }: Selection): Record<string, unknown> {
  const start = before && before.createdAtMs < toMs ? before : { createdAtMs: toMs, id: 0 }
  const places = { startMs: start.createdAtMs, startId: start.id, lastMs: last?.createdAtMs, lastId: last?.id }
  // SQLite uses one condition as the end of the range in the index.
  return { act, actor, subject, fromMs: last?.createdAtMs ?? fromMs, ...places }
}
