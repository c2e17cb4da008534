import { describe, expect, it } from 'bun:test'
import { toPinyinIds } from '../../../src/speech/phonemes/piper-pinyin'
import { toSyllables } from '../../../src/speech/phonemes/pinyin'
import { pinyinIds } from './pinyin-ids'

/** Symbols of the ids; all short pauses share one id, whose last symbol is the space. */
async function symbolsOf(text: string): Promise<string[]> {
  const names = new Map([...pinyinIds].map(([symbol, [id]]) => [id!, symbol]))
  const sentences = await toPinyinIds(text, pinyinIds)
  return sentences.map((ids) => ids.map((id) => names.get(id)!).join(' '))
}

describe('toPinyinIds', () => {
  // The expected ids of piper1-gpl's tests (tests/test_chinese_phonemizer.py), except 拥: its network gives Taiwan's
  // reading, yong3.
  it('gives the ids of Piper', async () => {
    const sentences = '卡尔普陪外孙玩滑梯。 假语村言别再拥抱我。'
    expect((await toPinyinIds(sentences, pinyinIds))[0]).toEqual([
      1, 0, 13, 27, 66, 0, 3, 62, 66, 0, 5, 49, 66, 0, 5, 31, 65, 0, 26, 30, 67, 0, 24, 55, 64, 0, 26, 34, 65, 0, 14,
      50, 65, 0, 9, 39, 64, 0, 69, 0, 2,
    ])
    expect((await symbolsOf(sentences))[1]).toBe(
      '^ _ j ia 3 _ y u 3 _ c un 1 _ y an 2 _ b ie 2 _ z ai 4 _ y ong 1 _ b ao 4 _ w o 3 _ 。 _ $',
    )
  })

  it('writes finals as in pinyin', async () => {
    expect(await symbolsOf('女略月圆局学全军有围文五六贵轮语')).toEqual([
      '^ _ n v 3 _ l ve 4 _ y ue 4 _ y uan 2 _ j u 2 _ x ue 2 _ q uan 2 _ j un 1 _ y ou 3 _ w ei 2 _ w en 2 _ w u 3 _ ' +
        'l iu 4 _ g ui 4 _ l un 2 _ y u 3 _ $',
    ])
  })

  it('keeps third tones, changes 一 and 不, and pads marks as groups', async () => {
    expect(await symbolsOf('你好，不是一个！')).toEqual([
      '^ _ n i 3 _ h ao 3 _   _ b u 2 _ sh i 4 _ y i 2 _ g e 4 _ ！ _ $',
    ])
  })

  it('uses the ids of the voice and skips syllables without one', async () => {
    const ids = new Map(Object.entries({ _: [9], '^': [8], $: [7], h: [1], ao: [2], 3: [3] }))
    expect(await toPinyinIds('好你好。', ids)).toEqual([[8, 9, 1, 2, 3, 9, 1, 2, 3, 9, 7]])
  })

  it('returns nothing for a sentence without a syllable', async () => {
    expect(await toPinyinIds('OK! ……', pinyinIds)).toEqual([])
    expect(await toPinyinIds('OK! 好。', pinyinIds)).toHaveLength(1)
  })

  it('has ids for every syllable except hummed ones', async () => {
    const missing = new Set<string>()
    for (let code = 0x4e00; code < 0xa000; code++) {
      const hanzi = String.fromCharCode(code)
      const [syllable] = toSyllables(hanzi)
      if (!syllable || 'other' in syllable || (await toPinyinIds(hanzi, pinyinIds)).length > 0) continue
      missing.add(syllable.initial + syllable.final)
    }
    expect([...missing].filter((pinyin) => !/^(?:h?m|h?ng|n|ê|io)$/.test(pinyin))).toEqual([])
  })
})
