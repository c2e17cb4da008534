/** Administrative operations on activation codes. */
import type { Fields } from '../fields'
import {
  createCode,
  findCode,
  listCodes as readCodes,
  voidCode as makeVoid,
  type ActivationCode,
} from '../billing/ledger/codes'
import { newCodes } from '../operations/fields'
import { readFields } from '../operations/read-fields'
import { cursorBehind, instant, readPage } from '../paging'
import { checkExpiry, found, runOperation, type Administration } from './administration'

/** Creates codes. Only this answer contains them whole. `code` is a code chosen by the operator. */
export function createCodes(administration: Administration, fields: Fields, code?: string) {
  const { db, nowMs } = administration
  const { units, count = 1, note = null, expires_at: expiresAtMs = null } = readFields(fields, newCodes)
  checkExpiry(fields, expiresAtMs, nowMs())
  return runOperation(administration, 'code create', (now) => {
    const created = Array.from({ length: count }, () => createCode(db, { units, expiresAtMs, note, nowMs: now }, code))
    const after = { count, units, note, expires_at: instant(expiresAtMs), ids: created.map(({ id }) => id) }
    const items = created.map((made) => ({ ...describeCode(made), code: made.code }))
    return { subject: created[0]!.id, before: null, after, result: { items, next_cursor: null } }
  })
}

export function listCodes({ db }: Administration, fields: Fields) {
  const page = readPage(fields)
  const codes = readCodes(db, page)
  return { items: codes.map(describeCode), next_cursor: cursorBehind(codes, page.limit) }
}

/** Voids an unused code. Throws `conflict` when it is used or void already. */
export function voidCode(administration: Administration, id: string) {
  const { db } = administration
  return runOperation(administration, 'code void', () => {
    const before = describeCode(found(findCode(db, id), 'code', id))
    makeVoid(db, id)
    const result = describeCode(findCode(db, id)!)
    return { subject: id, before, after: result, result }
  })
}

function describeCode(code: ActivationCode) {
  return {
    id: code.id,
    code: `****-****-****-${code.suffix}`,
    units: code.units,
    status: code.status,
    note: code.note,
    created_at: instant(code.createdAtMs),
    expires_at: instant(code.expiresAtMs),
    used_at: instant(code.usedAtMs),
    used_by: code.usedBy,
  }
}
