/** Conditional and range requests, by the sections of RFC 9110. */
import { describe, expect, it } from 'bun:test'
import { evaluateConditions } from '../../src/http/conditions'
import { formatHttpDate, parseHttpDate } from '../../src/http/http-date'

const etag = '"abc-1"'
const nowMs = Date.UTC(2026, 10, 22, 12)
const modifiedAtMs = Date.UTC(2026, 10, 21, 8, 49, 37)
const before = formatHttpDate(modifiedAtMs - 1000)
const same = formatHttpDate(modifiedAtMs)
const after = formatHttpDate(modifiedAtMs + 1000)
const malformed = ['', 'yesterday', '2026-11-21', '1795250977', `${same}, ${same}`, same.replace('GMT', 'UTC')]

const outcome = (headers: Record<string, string>, { method = 'GET', sizeBytes = 1000 } = {}) =>
  evaluateConditions({ method, headers: new Headers(headers) }, { etag, modifiedAtMs, sizeBytes }, nowMs)
const statusOf = (headers: Record<string, string>, options?: { method?: string; sizeBytes?: number }): number =>
  outcome(headers, options).status

describe('Range (14.1.2, 14.2)', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-499', 0, 499],
    ['bytes=500-', 500, 999],
    ['bytes=999-', 999, 999],
    ['bytes=-1', 999, 999],
    ['bytes=-1000', 0, 999],
    ['bytes=-1001', 0, 999],
    [`bytes=-${'9'.repeat(400)}`, 0, 999],
    [`bytes=0-${'9'.repeat(400)}`, 0, 999],
    ['BYTES=1-2', 1, 2],
    ['bytes= 1-2 ', 1, 2],
    ['bytes=,1-2,', 1, 2],
    ['bytes=1-2, 5000-', 1, 2],
    ['bytes=-0,1-2', 1, 2],
  ])('%s is the bytes from %i to %i', (range, start, end) => {
    expect(outcome({ range })).toEqual({ status: 206, start, end })
  })

  it.each(['bytes=1000-', 'bytes=1000-2000', 'bytes=-0', 'bytes=5000-,-0', `bytes=${'9'.repeat(400)}-`])(
    '%s is unsatisfiable',
    (range) => expect(outcome({ range })).toEqual({ status: 416 }),
  )

  it.each([
    ...['', 'bytes', 'bytes=', 'bytes=-', 'bytes=,', 'bytes=a-b', 'bytes=1', 'bytes=2-1', 'bytes=1-2-3', 'bytes=+1-2'],
    ...['bytes=0x1-2', 'bytes=1.5-2', 'bytes=1-2,x', 'lines=1-2', 'bytes 1-2', 'bytes=0-1,5-6', 'bytes=-1,0-0'],
  ])('%s is answered with the whole file', (range) => expect(outcome({ range })).toEqual({ status: 200 }))

  it('is ignored on HEAD and for an empty file', () => {
    for (const range of ['bytes=0-1', 'bytes=5000-']) {
      expect(statusOf({ range }, { method: 'HEAD' })).toBe(200)
      expect(statusOf({ range }, { sizeBytes: 0 })).toBe(200)
    }
  })
})

describe('If-Match (13.1.1)', () => {
  it('compares strongly, and * matches any file', () => {
    for (const list of [etag, '*', ` ${etag}`, `"x", ${etag}`, `"a,b",${etag},"c"`])
      expect(statusOf({ 'if-match': list })).toBe(200)
    for (const list of ['"x"', `W/${etag}`, 'abc-1', '', '"*"', '"x", "y"'])
      expect(outcome({ 'if-match': list })).toEqual({ status: 412, failed: 'If-Match' })
  })
})

describe('If-Unmodified-Since (13.1.4)', () => {
  it('is true from the date of the file on', () => {
    expect(outcome({ 'if-unmodified-since': before })).toEqual({ status: 412, failed: 'If-Unmodified-Since' })
    for (const date of [same, after, ...malformed]) expect(statusOf({ 'if-unmodified-since': date })).toBe(200)
  })
})

describe('If-None-Match (13.1.2)', () => {
  it('compares weakly, and * matches any file', () => {
    for (const list of [etag, `W/${etag}`, '*', `"x", W/${etag}`])
      for (const method of ['GET', 'HEAD']) expect(statusOf({ 'if-none-match': list }, { method })).toBe(304)
    for (const list of ['"x"', 'abc-1', '', 'W/"x"']) expect(statusOf({ 'if-none-match': list })).toBe(200)
  })
})

describe('If-Modified-Since (13.1.3)', () => {
  it('is false from the date of the file on', () => {
    for (const date of [same, after])
      for (const method of ['GET', 'HEAD']) expect(statusOf({ 'if-modified-since': date }, { method })).toBe(304)
    for (const date of [before, ...malformed]) expect(statusOf({ 'if-modified-since': date })).toBe(200)
  })
})

describe('If-Range (13.1.5)', () => {
  const range = 'bytes=0-1'
  it('applies the range only for exactly the same validator', () => {
    for (const validator of [etag, same]) expect(statusOf({ range, 'if-range': validator })).toBe(206)
    for (const validator of [`W/${etag}`, '"x"', '*', before, after, ...malformed])
      expect(statusOf({ range, 'if-range': validator })).toBe(200)
    expect(statusOf({ range: 'bytes=5000-', 'if-range': '"x"' })).toBe(200)
    expect(statusOf({ range: 'bytes=5000-', 'if-range': etag })).toBe(416)
  })

  it('has no effect without a range', () => expect(statusOf({ 'if-range': '"x"' })).toBe(200))
})

describe('the order of conditions (13.2.2)', () => {
  it.each<[sentence: string, headers: Record<string, string>, status: number]>([
    [
      'If-Match counts, If-Unmodified-Since beside it does not',
      { 'if-match': etag, 'if-unmodified-since': before },
      200,
    ],
    ['a false If-Match is 412 whatever the date', { 'if-match': '"x"', 'if-unmodified-since': after }, 412],
    [
      'If-None-Match counts, If-Modified-Since beside it does not',
      { 'if-none-match': '"x"', 'if-modified-since': after },
      200,
    ],
    ['a false If-None-Match is 304 whatever the date', { 'if-none-match': etag, 'if-modified-since': before }, 304],
    ['412 comes before 304', { 'if-match': '"x"', 'if-none-match': etag }, 412],
    ['412 by date comes before 304', { 'if-unmodified-since': before, 'if-none-match': etag }, 412],
    ['304 follows a true If-Match', { 'if-match': etag, 'if-none-match': etag }, 304],
    ['304 by date follows a true If-Match', { 'if-match': etag, 'if-modified-since': same }, 304],
    ['412 comes before a range', { 'if-match': '"x"', range: 'bytes=0-1' }, 412],
    ['304 comes before a range', { 'if-none-match': etag, range: 'bytes=0-1' }, 304],
    ['304 comes before an unsatisfiable range', { 'if-modified-since': same, range: 'bytes=5000-' }, 304],
    ['a range follows true conditions', { 'if-match': etag, 'if-none-match': '"x"', range: 'bytes=0-1' }, 206],
  ])('%s', (_sentence, headers, status) => expect(statusOf(headers)).toBe(status))
})

describe('a date (5.6.7)', () => {
  it('parses in three forms', () => {
    const time = Date.UTC(1994, 10, 6, 8, 49, 37)
    for (const text of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])
      expect(parseHttpDate(text, nowMs)).toBe(time)
  })

  it('with a year of two digits is at most 50 years ahead', () => {
    expect(parseHttpDate('Sunday, 06-Nov-76 08:49:37 GMT', nowMs)).toBe(Date.UTC(2076, 10, 6, 8, 49, 37))
    expect(parseHttpDate('Sunday, 06-Nov-77 08:49:37 GMT', nowMs)).toBe(Date.UTC(1977, 10, 6, 8, 49, 37))
  })

  it('is rejected with a day or a time that does not exist, or in another form', () => {
    for (const text of [
      'Mon, 30 Feb 2026 08:49:37 GMT',
      'Mon, 00 Jan 2026 08:49:37 GMT',
      'Sun, 06 Nov 1994 24:00:00 GMT',
      'Sun, 06 Nov 1994 08:60:00 GMT',
      'Sun, 06 Nov 1994 08:49:61 GMT',
      'sun, 06 nov 1994 08:49:37 gmt',
      'Sun, 6 Nov 1994 08:49:37 GMT',
      'Sun, 06 Nov 1994 08:49:37 +0000',
      ...malformed,
    ])
      expect(parseHttpDate(text, nowMs)).toBeUndefined()
  })

  it('parses after formatting to the same time', () => {
    for (let timeMs = 0; timeMs < 4e12; timeMs += 98_765_432_000)
      expect(parseHttpDate(formatHttpDate(timeMs), nowMs)).toBe(timeMs)
  })
})
