/** Fields at and beyond their edges. Each refusal names the field, the value found and the values allowed. */
import { describe, expect, it } from 'bun:test'
import { AppError } from '../src/errors'
import {
  describe as name,
  optionalBoolean,
  optionalInstant,
  optionalInteger,
  optionalOneOf,
  optionalText,
  optionalTexts,
  readInteger,
  readText,
  withNumbers,
} from '../src/fields'

function refusalOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect(error.code).toBe('invalid_params')
    expect(error.message.startsWith(`${error.param}: `)).toBe(true)
    return error.message
  }
  throw new Error('nothing was thrown')
}

describe('the value found', () => {
  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [[], 'an array'],
    [{}, 'an object'],
    [true, 'true'],
    [1.5, '1.5'],
    [Number.NaN, 'NaN'],
    ['a"b\n', '"a\\"b\\n"'],
    ['x'.repeat(40), `"${'x'.repeat(40)}"`],
    ['x'.repeat(41), `"${'x'.repeat(40)}…"`],
  ])('%p is named %s', (value, text) => expect(name(value)).toBe(text))
})

describe('text', () => {
  const rules = { charactersMax: 5 }
  const allowed = 'a string of 1 to 5 characters without control characters is required.'

  it.each([
    ['a', 'a'],
    ['  ab \n', 'ab'],
    ['  abcde  ', 'abcde'],
    ['😀😀😀😀😀', '😀😀😀😀😀'],
    ['a b', 'a b'],
  ])('%j is read as %j', (value, text) => expect(readText({ x: value }, 'x', rules)).toBe(text))

  it.each(
    [
      '',
      '   ',
      'abcdef',
      '😀😀😀😀😀😀',
      'a\u0000b',
      'a\nb',
      'a\u2028b',
      'a\u2029b',
      'a\u0085b',
      'a\ud800',
      5,
      null,
      [],
      {},
      true,
    ].map((value) => [value] as const),
  )('%j is refused', (value) =>
    expect(refusalOf(() => readText({ x: value }, 'x', rules))).toBe(`x: found ${name(value)}; ${allowed}`),
  )

  it('may be missing only where the function allows it', () => {
    expect(refusalOf(() => readText({}, 'x', rules))).toBe(
      'x: found nothing; a string of 1 to 5 characters is required.',
    )
    expect(optionalText({}, 'x', rules)).toBeUndefined()
  })
})

describe('a whole number', () => {
  const range = { min: -2, max: 3 }

  it.each([-2, 0, 3])('%p is read', (value) => expect(readInteger({ x: value }, 'x', range)).toBe(value))

  it.each(
    [-3, 4, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, '1', '', true, [1], {}].map((value) => [value] as const),
  )('%p is refused', (value) =>
    expect(refusalOf(() => optionalInteger({ x: value }, 'x', range))).toBe(
      `x: found ${name(value)}; a whole number from -2 to 3 is allowed.`,
    ),
  )

  it('may be missing only where the function allows it', () => {
    expect(refusalOf(() => readInteger({}, 'x', range))).toBe(
      'x: found nothing; a whole number from -2 to 3 is required.',
    )
    expect(optionalInteger({}, 'x', range)).toBeUndefined()
    expect(refusalOf(() => optionalInteger({ x: null }, 'x', range))).toStartWith('x: found null; ')
  })
})

describe('a time', () => {
  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31 12:00:01', '2026-01-31T12:00:01.000Z'],
    ['2026-01-31T12:00:01.5Z', '2026-01-31T12:00:01.500Z'],
    ['2026-01-31T12:00:01.999', '2026-01-31T12:00:01.999Z'],
    ['2026-01-31T12:00:01.123456+00:00', '2026-01-31T12:00:01.123Z'],
    ['2026-01-31T12:00:01.123456789Z', '2026-01-31T12:00:01.123Z'],
    ['2026-01-31T00:30:00+01:00', '2026-01-30T23:30:00.000Z'],
    ['2026-01-31T23:30-05:30', '2026-02-01T05:00:00.000Z'],
    ['0000-01-01', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (value, instant) => expect(new Date(optionalInstant({ x: value }, 'x')!).toISOString()).toBe(instant))

  it.each(
    [
      ...['2026-02-29', '2026-02-30', '2026-02-30T12:00Z', '2026-04-31', '2026-13-01', '2026-00-01', '2026-01-00'],
      ...['2026-1-1', '26-01-01', '2026-01-31T', '2026-01-31T12', '2026-01-31T25:00', '2026-01-31T12:60', '12:00'],
      ...['2026-01-31T12:00:60', '2026-01-31T12:00:00.1234567890', '2026-01-31T12:00z', '2026-01-31T12:00+0100'],
      ...['2026-01-31T12:00+25:00', '2026-01-31Z', ' 2026-01-31', '2026-01-31\n', '+002026-01-31', 'now', ''],
      ...[1769860800000, null, {}, [], true],
    ].map((value) => [value] as const),
  )('%j is refused', (value) =>
    expect(refusalOf(() => optionalInstant({ x: value }, 'x'))).toBe(
      `x: found ${name(value)}; an ISO 8601 time such as 2026-01-31T12:00:00Z is allowed.`,
    ),
  )

  it('may be missing', () => expect(optionalInstant({}, 'x')).toBeUndefined())
})

describe('other kinds', () => {
  it('are true and false, and no other values', () => {
    expect([true, false, undefined].map((x) => optionalBoolean({ x }, 'x'))).toEqual([true, false, undefined])
    for (const x of ['true', 0, 1, null])
      expect(refusalOf(() => optionalBoolean({ x }, 'x'))).toBe(`x: found ${name(x)}; true or false is allowed.`)
  })

  it('are exactly one word of a list', () => {
    const read = (x: unknown) => optionalOneOf({ x }, 'x', ['user', 'admin'])
    expect([read('user'), read(undefined)]).toEqual(['user', undefined])
    for (const x of ['User', ' user', '', null, 0, 'toString', ['user']])
      expect(refusalOf(() => read(x))).toBe(`x: found ${name(x)}; user or admin is allowed.`)
  })

  it('are lists of strings, up to a length', () => {
    const read = (x: unknown) => optionalTexts({ x }, 'x', 2)
    expect([read([]), read(['a', 'b']), read(undefined)]).toEqual([[], ['a', 'b'], undefined])
    for (const x of [['a', 'b', 'c'], ['a', 1], 'a', null, { length: 1 }])
      expect(refusalOf(() => read(x))).toBe(`x: found ${name(x)}; an array of at most 2 strings is allowed.`)
  })
})

describe('queries', () => {
  it('convert the named fields to numbers where they read as whole ones, and leave the others as text', () => {
    const query = {
      limit: '5',
      days: '-3',
      q: '7',
      cursor: '1e3',
      from: ' 1',
      to: '',
      x: '12345678901234567',
      y: '0x10',
    }
    const names = Object.keys(query).filter((field) => field !== 'q')
    expect(withNumbers(query, names)).toEqual({ ...query, limit: 5, days: -3 } as never)
    expect(withNumbers({}, ['limit'])).toEqual({})
    expect(withNumbers({ limit: ['5'] }, ['limit'])).toEqual({ limit: ['5'] })
  })
})
