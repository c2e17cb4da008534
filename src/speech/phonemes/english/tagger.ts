/**
 * Part-of-speech tags (Penn Treebank) from an averaged perceptron. A word that has one tag only is looked up; all
 * others sum the weights of features of the word, its neighbours and the two tags before it.
 */
import type { TaggerData } from './data'

const before = ['-START2-', '-START-'] as const
const behind = ['-END-', '-END2-'] as const
/** The tag of a word without any known feature. */
const unknownTag = 'NN'

/** One tag per token. */
export function tagTokens(tokens: readonly string[], data: TaggerData): string[] {
  const context = [...before, ...tokens.map((token) => contextName(token, data)), ...behind]
  const sums = new Float64Array(data.tags.length)
  const tags: string[] = []
  for (const [at, token] of tokens.entries()) {
    const certain = data.certainTag(token)
    if (certain !== undefined) {
      tags.push(certain)
      continue
    }
    const previous = tags[at - 1] ?? before[1]
    const beforePrevious = tags[at - 2] ?? before[at === 0 ? 0 : 1]
    sums.fill(0)
    let isKnown = false
    for (const feature of featuresOf(token, context, at, previous, beforePrevious))
      if (data.addWeights(feature, sums)) isKnown = true
    tags.push(isKnown ? data.tags[indexOfMaximum(sums)]! : unknownTag)
  }
  return tags
}

/** Returns the last of equal maxima. */
function indexOfMaximum(sums: Float64Array): number {
  let best = 0
  for (let at = 1; at < sums.length; at++) if (sums[at]! >= sums[best]!) best = at
  return best
}

/** `context`: names of all words with two entries at both ends. The order of features fixes the rounding of sums. */
function featuresOf(
  token: string,
  context: readonly string[],
  at: number,
  previous: string,
  beforePrevious: string,
): string[] {
  const [word, left, farLeft, right, farRight] = [2, 1, 0, 3, 4].map((offset) => context[at + offset]!) as [
    string,
    string,
    string,
    string,
    string,
  ]
  return [
    'b',
    `s3=${lastThree(token)}`,
    `p1=${String.fromCodePoint(token.codePointAt(0)!)}`,
    `w=${word}`,
    `sh=${shapeOf(token)}`,
    at === 0 ? 'i0' : 'i+',
    `t-1=${previous}`,
    `t-2=${beforePrevious}`,
    `t-12=${previous},${beforePrevious}`,
    `w-1=${left}`,
    `s3-1=${lastThree(left)}`,
    `w-2=${farLeft}`,
    `w+1=${right}`,
    `s3+1=${lastThree(right)}`,
    `w+2=${farRight}`,
  ]
}

function lastThree(text: string): string {
  return text.length <= 3 ? text : [...text.slice(-6)].slice(-3).join('')
}

/** The word in lower case, a class of words, or the shape of a rare word. */
function contextName(token: string, data: TaggerData): string {
  const name = normalName(token)
  return data.isFrequent(name) ? name : `<${shapeOf(token)}>`
}

function normalName(token: string): string {
  if (token.indexOf('-') > 0) return '!HYPHEN'
  if (/^\p{Nd}{4}$/u.test(token)) return '!YEAR'
  return /^\p{Nd}/u.test(token) ? '!DIGITS' : token.toLowerCase()
}

function shapeOf(token: string): string {
  if (/^\p{L}+$/u.test(token)) {
    if (/^\p{Ll}+$/u.test(token)) return 'x'
    if (/^\p{Lu}+$/u.test(token)) return token.length > 1 ? 'XX' : 'X1'
    return /^\p{Lu}\p{Ll}*$/u.test(token) ? 'Xx' : 'xX'
  }
  if (/^\p{Nd}+$/u.test(token)) return 'd'
  return [...token]
    .slice(0, 4)
    .map((character) => (/\p{Nd}/u.test(character) ? 'd' : /\p{L}/u.test(character) ? 'x' : character))
    .join('')
}
