/** Long texts, planned block by block. */
import { describe, expect, it } from 'bun:test'
import { blockCharactersMax, planBlocks } from '../../../src/speech/text/blocks'
import { planUtterances } from '../../../src/speech/text/plan'
import type { ReadingVoice } from '../../../src/speech/text/reading-voice'

const english: ReadingVoice = { id: 'en', language: 'en-US', charactersMax: 300 }
const plan = (text: string) => [...planBlocks(text, english, () => english)]
const whole = (text: string) => planUtterances(text, english, () => english)

describe('planBlocks', () => {
  it('plans a text of one block like planUtterances', () => {
    for (const text of ['', '  ', 'Hello.', '…', 'One. Two!\n\nThree?', 'a'.repeat(3000)])
      expect(plan(text).map(({ utterance }) => utterance)).toEqual(whole(text))
  })

  it('cuts longer texts at sentences, with the same readings and pauses as planUtterances', () => {
    const texts = [
      'Mr. Smith paid $5.50 for it. Then he left! '.repeat(900),
      'A first paragraph of the text.\n\nAnother one; it goes on.\n\n'.repeat(700),
      '今天天气很好。我们去公园吧！'.repeat(2000),
    ]
    for (const text of texts) expect(plan(text).map(({ utterance }) => utterance)).toEqual(whole(text))
  })

  it('loses nothing in texts without sentences, without spaces, or with marks only', () => {
    const heard = (text: string) =>
      plan(text)
        .map(({ utterance }) => utterance.text.replace(/\s/g, ''))
        .join('')
    const words = 'word '.repeat(5000)
    expect(heard(words)).toBe(words.replaceAll(' ', ''))
    expect(heard('好'.repeat(20_000))).toBe('好'.repeat(20_000))
    expect(heard('𠀀'.repeat(20_000))).toBe('𠀀'.repeat(20_000))
    expect(plan('\n'.repeat(blockCharactersMax * 3)).map(({ utterance }) => utterance.text)).toEqual([''])
  })

  it('reports the share of the text that is done, up to 1', () => {
    const shares = plan('One sentence after the other. '.repeat(2000)).map(({ share }) => share)
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
    expect(shares[0]).toBeGreaterThan(0)
    expect(shares.at(-1)).toBe(1)
  })

  it('plans lazily', () => {
    let looked = 0
    const text = 'Привет. '.repeat(100_000)
    const planned = planBlocks(text, english, () => {
      looked++
      return english
    })
    planned.next()
    expect(looked).toBeLessThan(5000)
  })
})
