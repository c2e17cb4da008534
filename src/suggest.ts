/** "Did you mean": the nearest of the words that there are. */
import { distance } from 'fastest-levenshtein'

const suggestionsMax = 3
/** Largest distance, as a share of the longer word's letters. */
const wrongShareMax = 0.4

/** The likely intended `words` for a mistyped `given`, nearest first; empty when none is near. */
export function nearest(given: string, words: Iterable<string>): string[] {
  const wanted = given.toLowerCase().slice(0, 64)
  const near = [...words].flatMap((word) => {
    const edits = editsBetween(wanted, word.toLowerCase())
    return edits <= Math.ceil(wrongShareMax * Math.max(wanted.length, word.length)) ? [{ word, edits }] : []
  })
  near.sort((a, b) => a.edits - b.edits)
  return near
    .filter(({ edits }) => edits <= near[0]!.edits + 1)
    .slice(0, suggestionsMax)
    .map(({ word }) => word)
}

/** The beginning of a word is as good as one wrong letter, and so are two letters that changed places. */
function editsBetween(given: string, word: string): number {
  if (given.length >= 2 && word.startsWith(given)) return Math.min(1, word.length - given.length)
  const edits = distance(given, word)
  const sorted = (text: string) => [...text].sort().join('')
  return edits === 2 && given.length === word.length && sorted(given) === sorted(word) ? 1 : edits
}

/** `; did you mean "a" or "b"?`, or nothing. */
export function didYouMean(given: string, words: Iterable<string>, { prefix = '' } = {}): string {
  const found = nearest(given, words).map((word) => `"${prefix}${word}"`)
  return found.length === 0 ? '' : `; did you mean ${found.join(' or ')}?`
}
