import { describe, expect, it } from 'bun:test'
import { splitPinyin, toSyllables } from '../../../src/speech/phonemes/pinyin'
import { cpuSeconds } from '../../cpu-seconds'

/** Pinyin as in `mandarin-readings.txt`: `r` for a 儿 that only colors the preceding syllable. */
function say(text: string): string[] {
  return toSyllables(text).map((syllable) => {
    if ('other' in syllable) return syllable.other
    return syllable.rhotic ? 'r' : `${syllable.initial}${syllable.final}${syllable.tone}`
  })
}

/** `jie2/jie3` accepts both readings. */
function isSaid(text: string, pinyin: string): boolean {
  const said = say(text)
  const wanted = pinyin.split(' ').map((syllable) => syllable.split('/').map(write))
  return said.length === wanted.length && wanted.every((either, i) => either.includes(said[i]!))
}

function write(syllable: string): string {
  if (syllable === 'r') return syllable
  const { initial, final } = splitPinyin(syllable.slice(0, -1))
  return `${initial}${final}${syllable.at(-1)}`
}

/** The text with a `·` at each word start. */
function divide(text: string): string {
  return toSyllables(text)
    .map((syllable) => ('other' in syllable ? syllable.other : `${syllable.wordStart ? '·' : ''}${syllable.hanzi}`))
    .join('')
}

const readings = (await Bun.file(`${import.meta.dir}/mandarin-readings.txt`).text()).trim().split('\n')

describe('toSyllables', () => {
  it('reads at least 99 % of the known sentences correctly, including polyphones and sandhi', () => {
    const wrong = readings.filter((line) => {
      const [text, pinyin] = line.split('\t') as [string, string]
      return !isSaid(text, pinyin)
    })
    expect(readings.length).toBeGreaterThan(220)
    expect(wrong.length / readings.length, wrong.join('\n')).toBeLessThan(0.01)
  })

  it('distinguishes the spoken tone from the citation tone', () => {
    const tones = toSyllables('你好，一个不是').flatMap((syllable) =>
      'other' in syllable ? [] : [[syllable.tone, syllable.citationTone]],
    )
    expect(tones).toEqual([
      [2, 3],
      [3, 3],
      [2, 1],
      [4, 4],
      [2, 4],
      [4, 4],
    ])
  })

  it('divides into words', () => {
    expect(divide('我们可以去北京大学学习人工智能。')).toBe('·我们·可以·去·北京·大学·学习·人工智能。')
    expect(divide('一会儿玩儿')).toBe('·一会儿·玩儿')
  })

  it('reads traditional characters like simplified ones', () => {
    const simplified = say('银行行长觉得头发很长，台湾著名的图书馆')
    expect(say('銀行行長覺得頭髮很長，臺灣著名的圖書館')).toEqual(simplified)
  })

  it('passes on marks, spaces, and words in other letters', () => {
    expect(say('卡拉OK，iPhone 15 好！')).toEqual(['ka3', 'la1', 'OK', '，', 'iPhone', ' ', '15', ' ', 'hao3', '！'])
  })

  it('passes on characters without a reading, also outside of the first plane', () => {
    expect(say('𠮷野家㐀')).toEqual(['𠮷', 'ie3', 'jia1', '㐀'])
    expect(toSyllables('')).toEqual([])
  })

  it('loses no character of any text', () => {
    const characters = [...'银行一不儿得地长还了，。A1 \u{20bb7}々〇ー\u3000好好'].sort()
    for (let seed = 1; seed < 300; seed++) {
      let state = seed
      const text = Array.from({ length: 12 }, () => {
        state = (state * 48271) % 2147483647
        return characters[state % characters.length]!
      }).join('')
      const back = toSyllables(text).map((syllable) => ('other' in syllable ? syllable.other : syllable.hanzi))
      expect(back.join('').replace(/\s/g, ' ')).toBe(text.replace(/\s+/g, ' '))
    }
  })

  it('takes milliseconds of CPU time for 100 characters', async () => {
    const text = '银行行长在长大，我们可以去北京大学学习人工智能。'.repeat(4)
    toSyllables(text)
    const run = () => {
      for (let i = 0; i < 20; i++) toSyllables(text)
    }
    expect(await cpuSeconds(run)).toBeLessThan(20 * 0.02)
  })
})

describe('splitPinyin', () => {
  it('expands the abbreviated finals of pinyin', () => {
    const split = (pinyin: string) => Object.values(splitPinyin(pinyin)).join(' ')
    expect(['liu', 'gui', 'lun', 'you', 'wei', 'wen', 'weng', 'wo'].map(split)).toEqual([
      'l iou',
      'g uei',
      'l uen',
      ' iou',
      ' uei',
      ' uen',
      ' ueng',
      ' uo',
    ])
    expect(['ju', 'quan', 'xue', 'yun', 'yuan', 'nv', 'lve', 'yi', 'ying', 'zhi', 'er', 'ng'].map(split)).toEqual([
      'j v',
      'q van',
      'x ve',
      ' vn',
      ' van',
      'n v',
      'l ve',
      ' i',
      ' ing',
      'zh i',
      ' er',
      ' ng',
    ])
  })
})
