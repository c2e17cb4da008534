/** JSON from outside: what is parsed, and how deeply it may be nested. */
import { describe, expect, it } from 'bun:test'
import { BadJson, parseJson } from '../src/json'

const nested = (levels: number, inner = '') => '['.repeat(levels) + inner + ']'.repeat(levels)

function refusalOf(text: string, depthMax?: number): string {
  try {
    parseJson(text, depthMax)
  } catch (error) {
    if (error instanceof BadJson) return error.message
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('parsing JSON', () => {
  it('gives the value', () => {
    expect(parseJson('{"a":[1,"b",null]}')).toEqual({ a: [1, 'b', null] })
  })

  it('refuses other texts and keeps the parser’s reason', () => {
    for (const text of ['', '{', '[1,]', '{"a":1}}', 'nul', '\\"[[['])
      expect([text, refusalOf(text)]).toEqual([text, 'is not valid JSON'])
    expect(() => parseJson('{"a":')).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) }))
  })

  it('allows as many levels as it says and no more', () => {
    expect(parseJson(nested(3), 3)).toEqual([[[]]])
    expect(refusalOf(nested(4), 3)).toBe('is nested more than 3 levels deep')
    expect(refusalOf('{"a":{"b":[{}]}}', 3)).toBe('is nested more than 3 levels deep')
    expect(parseJson(nested(64))).toBeDefined()
    expect(refusalOf(nested(65))).toBe('is nested more than 64 levels deep')
  })

  it('counts no brackets in strings, behind escaped quotes neither', () => {
    const text = String.raw`["[[[[", "\"[[[[", "\\", {"]]]{{{": "\\\"[["}]`
    expect(parseJson(text, 2)).toEqual(JSON.parse(text))
  })

  it('counts depth, not the number of brackets', () => {
    expect(parseJson(`[${Array.from({ length: 1000 }, () => '[]').join()}]`, 2)).toHaveLength(1000)
  })

  it('refuses a million brackets without parsing them', () => {
    expect(refusalOf('['.repeat(1 << 20))).toBe('is nested more than 64 levels deep')
    expect(refusalOf('{"a":'.repeat(1 << 18))).toBe('is nested more than 64 levels deep')
  })
})
