/** The statement of an account: its movements in the form of the public interface, each with the balance after it. */
import type { Database } from '../db/database'
import type { Fields } from '../fields'
import { cursorBehind, instant, readPage, refuseCursor, type Page } from '../paging'
import { listMovements, type Movement } from './ledger/movements'

/** Returns one page, newest first. Throws `invalid_params`. */
export function listStatement(db: Database, fields: Fields, accountId: string) {
  const page = readPage(fields)
  const start = readStart(fields, page)
  const movements = listMovements(db, accountId, { limit: page.limit, before: start?.before })
  let balance = start?.balance ?? movements[0]?.settled ?? 0
  const items = movements.map((movement) => {
    const item = describe(movement, balance)
    balance -= movement.units
    return item
  })
  const positions = movements.map(({ createdAtMs, id }) => ({ createdAtMs, id: `${balance}_${id}` }))
  return { items, next_cursor: cursorBehind(positions, page.limit) }
}

/**
 * The cursor carries the balance at its place, because the sum of all later movements would take long to compute. It
 * comes from the answer of the page before it.
 */
function readStart(fields: Fields, { before }: Page) {
  if (!before) return undefined
  const [, balance, id] = /^(-?\d{1,13})_(.+)$/.exec(before.id) ?? []
  if (id === undefined) throw refuseCursor(fields)
  return { balance: Number(balance), before: { createdAtMs: before.createdAtMs, id } }
}

const kinds = { code: 'code', adjustment: 'adjustment', speech: 'speech', clones: 'clone' } as const

function describe({ id, createdAtMs, units, kind, reason, requestId, purpose }: Movement, balance: number) {
  const shownKind = kinds[kind === 'capture' ? purpose! : kind]
  return {
    // The number of a hold would show how many requests the installation has had.
    id: requestId ?? id,
    created_at: instant(createdAtMs),
    kind: shownKind,
    units,
    balance_after: balance,
    reason: reason ?? shownKind,
    request_id: requestId,
  }
}
