/** Administrative operations on activation codes. */
import { nullableInstant, nullableText, optionalInteger, readInteger, refuse, type Fields } from '../fields'
import {
  createCode,
  findCode,
  listCodes as readCodes,
  voidCode as makeVoid,
  type ActivationCode,
} from '../billing/ledger/codes'
import { cursorBehind, instant, readPage } from '../paging'
import { found, runOperation, type Administration } from './administration'

const codesMax = 1000
const codeUnitsMax = 1_000_000_000

/** Creates codes. Only this answer contains them whole. `code` is a code chosen by the operator. */
export function createCodes(administration: Administration, fields: Fields, code?: string) {
  const { db, nowMs } = administration
  const units = readInteger(fields, 'units', { min: 1, max: codeUnitsMax })
  const count = optionalInteger(fields, 'count', { min: 1, max: codesMax }) ?? 1
  const note = nullableText(fields, 'note', { charactersMax: 500 }) ?? null
  const expiresAtMs = nullableInstant(fields, 'expires_at') ?? null
  if (expiresAtMs !== null && expiresAtMs <= nowMs())
    throw refuse('expires_at', fields.expires_at, 'a time in the future is required')
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
