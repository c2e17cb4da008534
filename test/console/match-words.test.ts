/** The searches of the console. */
import { expect, it } from 'bun:test'
import { matchWords } from '../../src/console/parts/match-words'

it('finds every word in any of the texts, in any case and order', () => {
  const matches = matchWords('  fast ENGLISH ')
  expect(matches('An English voice', null, 'Fast')).toBe(true)
  expect(matches('An English voice', undefined, 'Slow')).toBe(false)
  expect(matches()).toBe(false)
  expect(matchWords(' ')('anything')).toBe(true)
})
