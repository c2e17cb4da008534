/** Fields read by the rules of the table. The kinds of values have their edges in test/fields.test.ts. */
import { describe, expect, it } from 'bun:test'
import { AppError } from '../../src/errors'
import { readFields } from '../../src/operations/read-fields'
import { line } from '../../src/operations/fields'
import { time } from '../../src/operations/rules'
import { boolean, oneOf, orNull, whole, type Schema } from '../../src/operations/schema'

const entry = <Value>(schema: Schema<Value>) => ({ says: 'a value', schema })
const entries = {
  name: { ...entry(line(5)), isRequired: true },
  units: { ...entry(whole(-9, 9, { not: { const: 0 } })), isRequired: true },
  note: entry(orNull(line(5))),
  cap: entry(orNull(whole(0, 9))),
  expires_at: entry(orNull(time)),
  role: entry(oneOf(['user', 'admin'])),
  provider: entry(orNull(oneOf(['cpu', 'cuda']))),
  active: entry(boolean('Whether it can be used.')),
  group: entry<string>({ ...line(5), not: { pattern: '^[aA]ll$' } }),
  limits: { ...entry({ type: ['object', 'null'] }), fields: { tts: entry(orNull(whole(1, 9))) } },
} as const
const least = { name: 'Ada', units: 1 }

function refusalOf(given: object) {
  try {
    readFields({ ...least, ...given }, entries)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { code: error.code, param: error.param, message: error.message }
  }
  throw new Error('nothing was thrown')
}

describe('fields', () => {
  it('are read by their entries, and others are ignored', () => {
    const given = { name: ' Ada ', units: -3, note: 'n', cap: 0, expires_at: '2026-01-31', active: false, other: {} }
    expect(readFields({ ...given, role: 'user', provider: 'cpu', limits: { tts: 4, x: 1 } }, entries)).toEqual({
      ...{ name: 'Ada', units: -3, note: 'n', cap: 0, expires_at: Date.parse('2026-01-31'), active: false },
      ...{ role: 'user', provider: 'cpu', limits: { tts: 4 }, group: undefined },
    })
  })

  it('are undefined when they are missing', () => {
    const { name, units, ...others } = readFields(least, entries)
    expect([name, units]).toEqual(['Ada', 1])
    expect(Object.values(others).every((value) => value === undefined)).toBe(true)
    expect(readFields({ ...least, limits: {} }, entries).limits).toEqual({ tts: undefined })
  })

  it('are null only where their schema says so', () => {
    const cleared = { note: null, cap: null, expires_at: null, provider: null, limits: null }
    expect(readFields({ ...least, ...cleared }, entries)).toMatchObject(cleared)
    expect(readFields({ ...least, limits: { tts: null } }, entries).limits).toEqual({ tts: null })
    for (const name of ['name', 'units', 'role', 'active', 'group'])
      expect(refusalOf({ [name]: null })).toMatchObject({ code: 'invalid_params', param: name })
  })

  it.each([
    [{ name: undefined }, 'name: found nothing; a string of 1 to 5 characters is required.'],
    [{ units: undefined }, 'units: found nothing; a whole number from -9 to 9 is required.'],
    [{ name: 'abcdef' }, 'name: found "abcdef"; a string of 1 to 5 characters without control characters is required.'],
    [{ units: 10 }, 'units: found 10; a whole number from -9 to 9 is allowed.'],
    [{ units: 0 }, 'units: found 0; any other value is allowed.'],
    [{ group: ' ALL '.toLowerCase() }, 'group: found " all "; any other value is allowed.'],
    [{ expires_at: 'now' }, 'expires_at: found "now"; an ISO 8601 time such as 2026-01-31T12:00:00Z is allowed.'],
    [{ role: 'root' }, 'role: found "root"; user or admin is allowed.'],
    [{ provider: 'gpu' }, 'provider: found "gpu"; cpu or cuda is allowed.'],
    [{ active: 1 }, 'active: found 1; true or false is allowed.'],
    [{ limits: [] }, 'limits: found an array; an object is allowed.'],
  ])('are refused with the value found and those allowed: %j', (given, message) => {
    expect(refusalOf(given)).toEqual({ code: 'invalid_params', param: message.split(':')[0]!, message })
  })

  it('inside of others are refused with both names', () => {
    expect(refusalOf({ limits: { tts: 0 } })).toEqual({
      code: 'invalid_params',
      param: 'limits',
      message: 'limits.tts: found 0; a whole number from 1 to 9 is allowed.',
    })
  })
})
