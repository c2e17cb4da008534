/**
 * Tone sandhi of Mandarin. Rules: Y. R. Chao, "A Grammar of Spoken Chinese" (1968), 1.3 for 一, 不 and the third tone; S.
 * Duanmu, "The Phonology of Standard Chinese" (2007), chapter 11 for the domain of third-tone sandhi. A third tone
 * becomes the second before another third tone: first inside a foot of two syllables, then between the feet of a word,
 * then between words of at most three syllables in total. PaddleSpeech's frontend, with which Mandarin models are
 * commonly trained, does the same. Words of one syllable are paired before that.
 */
import type { HanSyllable, Tone } from './syllable'

type Changing = { -readonly [Key in keyof HanSyllable]: HanSyllable[Key] }

/** Applies sandhi to one uninterrupted phrase. `isWord`: whether the dictionary has a word. */
export function applySandhi(phrase: readonly HanSyllable[], isWord: (text: string) => boolean): HanSyllable[] {
  const said = phrase.map((syllable): Changing => ({ ...syllable }))
  said.forEach((syllable, i) => {
    if (syllable.hanzi === '一') syllable.tone = toneOfOne(said, i, isWord)
    else if (syllable.hanzi === '不' && syllable.tone === 4) syllable.tone = toneOfNot(said, i)
    else if (isRepeatedVerb(said, i)) syllable.tone = 5
  })
  changeThirdTones(said, isWord)
  return said
}

const digits = '零〇一二三四五六七八九十'

/**
 * Counting and ordering keep the first tone. Before the fourth tone it becomes the second, before others the fourth.
 */
function toneOfOne(said: readonly HanSyllable[], i: number, isWord: (text: string) => boolean): Tone {
  const before = said[i - 1]
  const next = said[i + 1]
  if (!next) return 1
  const start = said.findLastIndex(({ wordStart }, at) => at <= i && wordStart)
  if (next.wordStart && start < i && isWord(textOf(said.slice(start, i + 1)))) return 1
  if (before?.hanzi === next.hanzi && verbs.includes(next.hanzi)) return 5
  if (before && `${digits}第`.includes(before.hanzi)) return 1
  if (before && '周期拜'.includes(before.hanzi) && next.wordStart) return 1
  if (`${digits}月号`.includes(next.hanzi) || (before?.hanzi === '月' && next.hanzi === '日')) return 1
  return next.citationTone === 4 || next.hanzi === '个' ? 2 : 4
}

function toneOfNot(said: readonly HanSyllable[], i: number): Tone {
  const next = said[i + 1]
  if (next && (said[i - 1]?.hanzi === next.hanzi || (i > 0 && next.hanzi === '了'))) return 5
  return next?.citationTone === 4 ? 2 : 4
}

/** One-syllable verbs whose repetition means "a little"; the second syllable is neutral (看看). */
const verbs =
  '看说试想听走问坐谈聊等尝读写玩找学查算猜练笑动歇逛转唱跳吃喝洗擦扫讲教帮改拍敲摸闻揉瞧躺站跑管劝收修补背画挑选量估搜翻数'

function isRepeatedVerb(said: readonly HanSyllable[], i: number): boolean {
  const { hanzi, wordStart } = said[i]!
  if (!verbs.includes(hanzi) || said[i - 1]?.hanzi !== hanzi || said[i - 2]?.hanzi === hanzi) return false
  const next = said[i + 1]
  return !wordStart || !next || next.wordStart
}

type Syllables = Changing[]

function textOf(syllables: readonly HanSyllable[]): string {
  return syllables.map(({ hanzi }) => hanzi).join('')
}

function changeThirdTones(said: readonly Changing[], isWord: (text: string) => boolean): void {
  const words: Syllables[] = []
  for (const syllable of said) {
    if (syllable.rhotic) continue
    const isParticle = syllable.tone === 5 && words.length > 0
    if ((syllable.wordStart && !isParticle) || words.length === 0) words.push([])
    words.at(-1)!.push(syllable)
  }
  for (const word of words) changeBetween(toFeet(word, isWord).map(changeInside))
  pairSingleSyllables(words).forEach(([first, second]) => change(first, second))
  changeBetween(words, isOneFoot)
}

/** At most three syllables: one before one or two (很·好吃), or only third tones (可以·走). */
function isOneFoot(first: Syllables, second: Syllables): boolean {
  if (toned(first) + toned(second) > 3) return false
  return toned(first) === 1 || [...first, ...second].every(({ tone, citationTone }) => citationTone === 3 || tone === 5)
}

function toned(word: Syllables): number {
  return word.filter(({ tone }) => tone !== 5).length
}

/** Pairs from the left; three syllables as the dictionary divides them: 展览·馆, 纸·老虎. */
function toFeet(word: Syllables, isWord: (text: string) => boolean): Syllables[] {
  if (word.length === 3 && !isWord(textOf(word.slice(0, 2))) && isWord(textOf(word.slice(1))))
    return [word.slice(0, 1), word.slice(1)]
  return Array.from({ length: Math.ceil(word.length / 2) }, (_, i) => word.slice(2 * i, 2 * i + 2))
}

/** Pairs from the right, so that a subject stays separate: 我·想买, 我也·很好. A particle belongs to the preceding word. */
function pairSingleSyllables(words: readonly Syllables[]): [Changing, Changing][] {
  const pairs: [Changing, Changing][] = []
  for (let at = words.length - 1; at > 0; at--) {
    const [second, first] = [words[at]!, words[at - 1]!]
    if (toned(second) !== 1 || toned(first) !== 1 || first.length > 1) continue
    pairs.unshift([first[0]!, second[0]!])
    at--
  }
  return pairs
}

function changeInside(syllables: Syllables): Syllables {
  syllables.slice(1).forEach((second, i) => change(syllables[i]!, second))
  return syllables
}

function changeBetween(groups: readonly Syllables[], reaches = (_first: Syllables, _second: Syllables) => true): void {
  groups.slice(1).forEach((second, i) => {
    const first = groups[i]!
    if (reaches(first, second)) change(first.at(-1)!, second[0]!)
  })
}

function change(first: Changing, second: Changing): void {
  // In 想想 the second syllable lost its tone after it had changed the first. In 姐姐 it never had one.
  const lostIt = second.tone === 5 && second.citationTone === 3 && first.hanzi === second.hanzi
  if (first.tone === 3 && (second.tone === 3 || lostIt)) first.tone = 2
}
