import { describe, expect, it } from 'bun:test'
import { cleanText } from '../../../src/speech/text/clean'

describe('cleanText', () => {
  it('composes letters and drops invisible characters', () => {
    expect(cleanText('cafe\u0301 a\u200Bb\u00ADc\uFEFF\u202Ed\0')).toBe('café abcd')
  })
  it('drops lone surrogates and keeps pairs', () => {
    expect(cleanText('a\uD800b😀\uDC00')).toBe('ab😀')
  })
  it('keeps the joiners inside an emoji and in Persian, and drops the others', () => {
    expect(cleanText('👨‍👩‍👧 می‌خواهم a\u200Db')).toBe('👨‍👩‍👧 می‌خواهم ab')
  })
  it('folds full-width, circled, mathematical and foreign digits and letters', () => {
    expect(cleanText('ＡＢＣ１２３ ① 𝓯𝓪𝓷 ٣ ५')).toBe('ABC123 1 fan 3 5')
  })
  it('keeps the full-width yen sign, which is another currency', () => {
    expect(cleanText('￥5 ¥5')).toBe('￥5 ¥5')
  })
  it('keeps paragraphs and turns exotic spaces into one space', () => {
    expect(cleanText('a\u3000\u00A0b\r\n\r\n\r\n\r\nc\u2028d')).toBe('a b\n\nc\nd')
  })
  it('reduces a mixed run of marks to the strongest', () => {
    expect(cleanText(`What?!?!?! ${'!?.,;:'.repeat(300)} Well!! No.`)).toBe('What? Well! No.')
  })
  it('leaves the marks after an abbreviation alone', () => {
    expect(cleanText('apples, etc., and pears (e.g., these).')).toBe('apples, etc., and pears (e.g., these).')
  })
  it('cuts runs of one symbol or emoji to three', () => {
    expect(cleanText('😀'.repeat(50))).toBe('😀😀😀')
    expect(cleanText("'".repeat(50))).toBe("'''")
  })
  it('turns a decorative line into a dash and dots into one ellipsis', () => {
    expect(cleanText('a ========== b ------- c')).toBe('a — b — c')
    expect(cleanText('so..... well . . . yes……')).toBe('so… well … yes…')
  })
  it('cuts endless words but neither endless digits nor Chinese', () => {
    expect(
      cleanText('a'.repeat(130))
        .split(' ')
        .map((word) => word.length),
    ).toEqual([60, 60, 10])
    expect(cleanText('1'.repeat(130))).toBe('1'.repeat(130))
    expect(cleanText('好'.repeat(130))).toBe('好'.repeat(130))
  })
  it('thins out piles of combining marks', () => {
    expect(cleanText(`b${'\u0301\u0302\u0303'.repeat(100)}c`).length).toBeLessThan(6)
  })
  it('keeps every word of markup and the operators between operands', () => {
    expect(cleanText('<b>hi</b> 3 < 5 and x<5 or a > b')).toBe('b, hi, b, 3 < 5 and x<5 or a > b')
  })
  it('removes Markdown marks and keeps the words', () => {
    expect(cleanText('# Title\n- **bold** and *thin* and `code`\n1. __init__')).toBe(
      'Title\nbold and thin and code\n1. init',
    )
  })
  it('keeps a multiplication', () => {
    expect(cleanText('2*3 and 2 * 3')).toBe('2*3 and 2 * 3')
  })
  it('turns double brackets, which are commands to some engines, into single ones', () => {
    expect(cleanText('[[hello]]')).toBe('[hello]')
  })
})
