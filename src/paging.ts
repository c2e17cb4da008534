/** Lists in pages: the page size and the opaque cursor of the next page. */
import { limits } from './config'
import type { AppError } from './errors'
import { optionalInteger, refuse, type Fields } from './fields'

export type Position = { readonly createdAtMs: number; readonly id: string }
export type Page = { readonly limit: number; readonly before: Position | undefined }

/** Reads the fields `limit` and `cursor`. Throws `invalid_params`. */
export function readPage(fields: Fields): Page {
  const limit = optionalInteger(fields, 'limit', { min: 1, max: limits.pageItemsMax }) ?? limits.pageItems
  const { cursor } = fields
  if (cursor === undefined) return { limit, before: undefined }
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : ''
  const match = /^(\d{1,16})\.([\w-]{1,64})$/.exec(text)
  if (!match) throw refuseCursor(fields)
  return { limit, before: { createdAtMs: Number(match[1]), id: match[2]! } }
}

export function refuseCursor({ cursor }: Fields): AppError {
  return refuse('cursor', cursor, 'the next_cursor of an earlier page is allowed')
}

/** Returns the cursor of the page after `items`, or null when `items` do not fill a page. */
export function cursorBehind(items: readonly Position[], limit: number): string | null {
  const last = items.at(-1)
  return last && items.length >= limit ? cursorAt(last) : null
}

/** Returns the cursor of the page that begins behind the item at `position`. */
export function cursorAt({ createdAtMs, id }: Position): string {
  return Buffer.from(`${createdAtMs}.${id}`).toString('base64url')
}

/** Formats a time as ISO 8601, UTC, with milliseconds. */
export function instant(timeMs: number): string
export function instant(timeMs: number | null): string | null
export function instant(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString()
}
