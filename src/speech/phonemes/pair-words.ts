/**
 * Aligns the words of a text with those of a phonemizer. There may be fewer ("of the" is merged) or more ("3:30").
 * Consonants decide, as far as letters and IPA share them, else lengths.
 */

export type WordPair = {
  /** One word of the text, or several separated by spaces. */
  readonly text: string
  /** Words of the phonemizer; one for several words of the text. */
  readonly sounds: readonly string[]
}

/** Maximum number of words that align with one word. */
const wordsPerPairMax = 5
/** Cost of an additional word in a pair. */
const wordCost = 0.5
/** Maximum deviation from one-to-one alignment in words, beyond the difference of the counts. */
const strayMax = 3
/** Weight of a difference in length relative to one in consonants. */
const lengthCost = 0.2

/** Pairs all words of both sides in order, with the least total difference. */
export function pairWords(words: readonly string[], sounds: readonly string[]): WordPair[] {
  if (words.length === sounds.length) return words.map((text, i) => ({ text, sounds: [sounds[i]!] }))
  if (sounds.length === 0) return []
  const weights = words.map(weigh)
  const lengths = sounds.map(weigh)
  const ratio = sum(lengths) / Math.max(1, sum(weights))
  const skeletons = { words: words.map(consonants), sounds: sounds.map(consonants) }
  const best = new Map<number, { cost: number; n: number; m: number }>()
  const key = (i: number, j: number) => i * (sounds.length + 1) + j
  best.set(0, { cost: 0, n: 0, m: 0 })
  const more = words.length - sounds.length
  for (let i = 1; i <= words.length; i++)
    for (
      let j = Math.max(1, i - Math.max(0, more) - strayMax);
      j <= Math.min(sounds.length, i - Math.min(0, more) + strayMax);
      j++
    ) {
      let least = Infinity
      for (const [n, m] of stepSizes) {
        const before = i >= n && j >= m ? best.get(key(i - n, j - m)) : undefined
        if (!before) continue
        const apart = Math.abs(sum(lengths.slice(j - m, j)) - ratio * sum(weights.slice(i - n, i)))
        const costWithout = before.cost + lengthCost * apart + wordCost * (n + m - 2)
        if (costWithout >= least) continue
        const letters = skeletons.words.slice(i - n, i).join('')
        const cost = costWithout + distance(letters, skeletons.sounds.slice(j - m, j).join(''))
        if (cost >= least) continue
        least = cost
        best.set(key(i, j), { cost, n, m })
      }
    }
  if (!best.has(key(words.length, sounds.length))) return [{ text: words.join(' '), sounds }]
  const pairs: WordPair[] = []
  for (let i = words.length, j = sounds.length; i > 0;) {
    const { n, m } = best.get(key(i, j))!
    pairs.push({ text: words.slice(i - n, i).join(' '), sounds: sounds.slice(j - m, j) })
    i -= n
    j -= m
  }
  return pairs.reverse()
}

/** Numbers of words of the text and of the phonemizer in one pair. */
const stepSizes: readonly (readonly [number, number])[] = [
  [1, 1],
  ...Array.from({ length: wordsPerPairMax - 1 }, (_, more): [number, number] => [more + 2, 1]),
  ...Array.from({ length: wordsPerPairMax - 1 }, (_, more): [number, number] => [1, more + 2]),
]

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Length in letters; a digit counts as a word. */
function weigh(word: string): number {
  return word.replace(/[ˈˌ\p{P}]/gu, '').replace(/\d/g, 'four').length
}

/** Folds letters and IPA to a common rough alphabet of similar sounds. */
const folded: readonly (readonly [RegExp, string])[] = [
  [/x/g, 'ks'],
  [/tʃ|ʧ|sch|[tc]h|[ðθ]/g, 't'],
  [/dʒ|[ʤʒ]/g, 'g'],
  [/sh|[ʃzʂɕ]/g, 's'],
  [/ph|[vβ]/g, 'f'],
  [/[cq]/g, 'k'],
  [/[ɹɾʁrl]/g, 'r'],
  [/[ŋɲ]/g, 'n'],
  [/[ɡj]/g, 'g'],
]

function consonants(word: string): string {
  const plain = word.toLowerCase().normalize('NFD')
  const same = folded.reduce((text, [from, to]) => text.replace(from, to), plain)
  return same.replace(/[^bdfgkmnprst]/g, '').replace(/(.)\1+/g, '$1')
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
