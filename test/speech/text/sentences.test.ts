import { describe, expect, it } from 'bun:test'
import { splitSentences } from '../../../src/speech/text/sentences'

const texts = (text: string) => splitSentences(text).map((sentence) => sentence.text)

describe('splitSentences', () => {
  it.each([
    'Dr. Smith and Mrs. Jones met J. R. R. Tolkien.',
    'Version 3.1.2 costs 3.50 at 10.30 p.m. on example.com.',
    'See fig. 3, No. 5 and vol. 2, e.g. this one.',
    'The U.S. Army vs. St. Mary, approx. 5 m.',
    '"Stop!" he said.',
    'Am 3. Oktober kam Hr. Müller, z.B. hierher.',
    'M. Durand et Mme. Dupont sont là.',
    'El Sr. López y la Dra. Ruiz.',
    'Wait… what?',
    'See https://example.com/a?b=1 or www.example.org/x?y=z now.',
    'J. Smith (b. 1952) has ext. 42.',
  ])('keeps %p whole', (text) => expect(texts(text)).toEqual([text]))

  it('ends a sentence after an abbreviation if a new sentence clearly begins', () => {
    expect(texts('He lives in the U.S. Then he left. We had tea, etc. Nobody came.')).toEqual([
      'He lives in the U.S.',
      'Then he left.',
      'We had tea, etc.',
      'Nobody came.',
    ])
  })
  it('distinguishes the answer "No." from "No. 5"', () => {
    expect(texts('No. I said no. No. 5 is here.')).toEqual(['No.', 'I said no.', 'No. 5 is here.'])
  })
  it('keeps closing quotes and brackets with the sentence', () => {
    expect(texts('He said “Yes.” (Really?) Fine.')).toEqual(['He said “Yes.”', '(Really?)', 'Fine.'])
  })
  it('splits Chinese without spaces, with its quotes', () => {
    expect(splitSentences('他说：“你好。”然后走了！是；好……完')).toEqual([
      { text: '他说：“你好。”', end: 'sentence' },
      { text: '然后走了！', end: 'sentence' },
      { text: '是；', end: 'semicolon' },
      { text: '好……', end: 'ellipsis' },
      { text: '完', end: 'none' },
    ])
  })
  it('keeps newlines and paragraphs as ends, with or without a full stop before them', () => {
    expect(splitSentences('One\nTwo.\n\nThree').map(({ end }) => end)).toEqual(['newline', 'paragraph', 'none'])
  })
  it('joins lines that were broken at a fixed width', () => {
    expect(texts('This line was broken by some mail program right in the\nmiddle of its sentence.')).toHaveLength(1)
  })
  it('keeps the number of a list item with the item', () => {
    expect(texts('1. Milk\n2. Bread')).toEqual(['1. Milk', '2. Bread'])
  })
  it('gives marks without words to the sentence before', () => {
    expect(texts('Hello. ... ! World')).toEqual(['Hello....!', 'World'])
  })
})
