/** Page sizes and cursors at their edges, and the format of times. */
import { describe, expect, it } from 'bun:test'
import type { AppError } from '../src/errors'
import { cursorBehind, instant, readPage } from '../src/paging'

const encode = (text: string) => Buffer.from(text).toString('base64url')
const errorOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return error as AppError
  }
  throw new Error('nothing was thrown')
}

describe('limit', () => {
  it('is from 1 to 200, and 50 by default', () => {
    expect(readPage({})).toEqual({ limit: 50, before: undefined })
    expect([1, 200].map((limit) => readPage({ limit }).limit)).toEqual([1, 200])
  })

  it.each([0, 201, -1, 1.5, '10', null, []].map((value) => [value] as const))('is not %j', (limit) => {
    const { code, message, param } = errorOf(() => readPage({ limit }))
    expect({ code, param }).toEqual({ code: 'invalid_params', param: 'limit' })
    expect(message).toMatch(/^limit: found .+; a whole number from 1 to 200 is allowed\.$/)
  })
})

describe('a cursor', () => {
  it('holds the position at which its page ended', () => {
    const items = ['7', Bun.randomUUIDv7(), 'x'.repeat(64)].map((id) => ({ createdAtMs: Date.now(), id }))
    for (const item of items) {
      const cursor = cursorBehind([{ createdAtMs: 1, id: 'a' }, item], 2)!
      expect(cursor).toMatch(/^[\w-]+$/)
      expect(readPage({ cursor }).before).toEqual(item)
    }
  })

  it('is present after a full page and null after any other', () => {
    const items = [{ createdAtMs: 1, id: 'a' }]
    expect(cursorBehind(items, 1)).toBe(encode('1.a'))
    expect(cursorBehind(items, 2)).toBeNull()
    expect(cursorBehind([], 1)).toBeNull()
  })

  it.each(
    [
      ...['', 'x', '%%%', encode(''), encode('1'), encode('1.'), encode('.a'), encode('-1.a'), encode('1.a b')],
      ...[
        encode('1.a\n'),
        encode('12345678901234567.a'),
        encode(`1.${'x'.repeat(65)}`),
        encode("1.'; --"),
        encode('1.5.a'),
      ],
      ...[null, 5, [], {}],
    ].map((value) => [value] as const),
  )('is not %j', (cursor) => {
    const { code, message, param } = errorOf(() => readPage({ cursor }))
    expect({ code, param }).toEqual({ code: 'invalid_params', param: 'cursor' })
    expect(message).toMatch(/^cursor: found .+; the next_cursor of an earlier page is allowed\.$/)
  })
})

it('writes times as ISO 8601, UTC, with milliseconds', () => {
  expect(instant(0)).toBe('1970-01-01T00:00:00.000Z')
  expect(instant(Date.UTC(2026, 0, 31, 12, 0, 0, 5))).toBe('2026-01-31T12:00:00.005Z')
  expect(instant(null)).toBeNull()
})
