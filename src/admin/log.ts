/** The audit log in the form of the public interface. */
import { listOperations } from '../account/audit-log'
import { optionalInstant, type Fields } from '../fields'
import { cursorBehind, instant, readPage, refuseCursor } from '../paging'
import type { Administration } from './administration'

/** Returns one page, newest first. `from` is inclusive, `to` exclusive. */
export function listLog({ db }: Administration, fields: Fields) {
  const { limit, before } = readPage(fields)
  if (before && !/^\d+$/.test(before.id)) throw refuseCursor(fields)
  const fromMs = optionalInstant(fields, 'from') ?? 0
  const toMs = optionalInstant(fields, 'to') ?? Number.MAX_SAFE_INTEGER
  const operations = listOperations(db, { fromMs, toMs, limit, before })
  const items = operations.map(({ createdAtMs, ...operation }) => ({ ...operation, created_at: instant(createdAtMs) }))
  return { items, next_cursor: cursorBehind(operations, limit) }
}
