/** Activation codes while they are typed. */
import { describe, expect, it } from 'bun:test'
import { caretAfter, formatCode, lengthOf } from '../../src/console/pages/balance/code'

describe('an activation code', () => {
  it.each([
    ['', ''],
    ['abcd', 'ABCD'],
    ['abcde', 'ABCD-E'],
    [' abcd efgh-jkmn_pqrs\n', 'ABCD-EFGH-JKMN-PQRS'],
    ['ABCD-EFGH-JKMN-PQRST', 'ABCD-EFGH-JKMN-PQRS-T'],
    ['你好abcd😀', 'ABCD'],
  ])('%p is shown as %p', (typed, shown) => {
    expect(formatCode(typed)).toBe(shown)
    expect(formatCode(shown)).toBe(shown)
    expect(lengthOf(shown)).toBe(lengthOf(typed))
  })

  it('keeps the caret behind the same letter wherever one types', () => {
    for (const typed of ['abcdefgh', 'ABCD-EFGH-J', 'AB-CD--EF', 'abcd efgh'])
      for (let caret = 0; caret <= typed.length; caret++) {
        const after = caretAfter(typed, caret)
        expect(formatCode(formatCode(typed).slice(0, after))).toBe(formatCode(typed.slice(0, caret)))
      }
  })
})
