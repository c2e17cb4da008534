/** Suggestions of the nearest words ("Did you mean …?"). */
import { describe, expect, it } from 'bun:test'
import { didYouMean, nearest } from '../src/suggest'

const verbs = ['serve', 'say', 'voices', 'account', 'key', 'code', 'clone', 'audit', 'audit-log', 'version', 'help']

describe('the nearest words', () => {
  it.each([
    ['serv', 'serve'],
    ['vioces', 'voices'],
    ['acount', 'account'],
    ['SAY', 'say'],
    ['sya', 'say'],
    ['auditlog', 'audit-log'],
    ['acc', 'account'],
  ])('of %s begin with %s', (given, meant) => {
    expect(nearest(given, verbs)[0]).toBe(meant)
  })

  it('are none for a word that resembles none', () => {
    for (const given of ['sing', 'xyzzy', '', '你好', 'a'.repeat(100_000)]) expect(nearest(given, verbs)).toEqual([])
  })

  it('are three at most', () => {
    expect(nearest('en-a', ['en-b', 'en-c', 'en-d', 'en-e'])).toHaveLength(3)
  })
})

it('is a question, or nothing', () => {
  expect(didYouMean('voive', ['voice', 'speed'], { prefix: '--' })).toBe('; did you mean "--voice"?')
  expect(didYouMean('xyzzy', ['voice'])).toBe('')
})
