/** Times of written words from times of spoken ones. */
import { describe, expect, it } from 'bun:test'
import { timeWords } from '../../../src/speech/phonemes/words'

/** One second each. */
const sounds = (...phonemes: string[]) =>
  phonemes.map((phoneme, index) => ({ phonemes: phoneme, startSeconds: index, endSeconds: index + 1 }))
const read = (text: string, ...phonemes: string[]) =>
  timeWords(text, sounds(...phonemes)).map((word) => [word.text, word.startSeconds, word.endSeconds])

describe('the words of a text', () => {
  it('are timed as they are spoken, without their marks', () => {
    expect(read(' “Hello,” there!', 'həlˈoʊ', 'ðˈɛɹ')).toEqual([
      ['Hello', 0, 1],
      ['there', 1, 2],
    ])
  })

  it('are merged if they are spoken as one', () => {
    expect(read('the end of the day', 'ðɪ', 'ˈɛnd', 'ʌvðə', 'dˈeɪ')).toEqual([
      ['the', 0, 1],
      ['end', 1, 2],
      ['of the', 2, 3],
      ['day', 3, 4],
    ])
  })

  it('last as long as all of their sounds', () => {
    expect(read('my iPhone is', 'maɪ', 'ˈaɪ', 'fˈoʊn', 'ɪz')).toEqual([
      ['my', 0, 1],
      ['iPhone', 1, 3],
      ['is', 3, 4],
    ])
  })

  it('are characters in Chinese', () => {
    expect(read('你好，Bob。', 'ni2', 'χˈɑu2', 'bˈɒb')).toEqual([
      ['你', 0, 1],
      ['好', 1, 2],
      ['Bob', 2, 3],
    ])
  })

  it('are empty without words or without sounds', () => {
    expect(read('—!', 'ə')).toEqual([])
    expect(read('word')).toEqual([])
    expect(read('')).toEqual([])
  })
})
