/**
 * Cuts long texts into parts that the service takes: at the end of a paragraph, else of a sentence, else at a space,
 * else between two characters as readers see them. White space at the cuts is neither sent nor charged.
 */

/** Most characters of one request. */
export const partCharactersMax = 2000
/** Most characters of one text in the playground: about two hours of speech. */
export const textCharactersMax = 100_000

/** Unicode code points, which the service counts and charges. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** At least one part; every part has at most {@link partCharactersMax} characters and is more than white space. */
export function cutText(text: string): string[] {
  const parts: string[] = []
  // A lone half of a character cannot be sent.
  let rest = text.toWellFormed()
  while (countWithin(rest, partCharactersMax) < rest.length) {
    const at = cutPosition(rest)
    const part = rest.slice(0, at).trim()
    if (part !== '') parts.push(part)
    rest = rest.slice(at).trimStart()
  }
  // A text that fits is sent as it was written.
  if (parts.length === 0) return [rest]
  if (rest.trim() !== '') parts.push(rest.trim())
  return parts
}

/** UTF-16 units of the first `characters` code points. */
function countWithin(text: string, characters: number): number {
  let units = 0
  for (const character of text) {
    if (characters-- === 0) break
    units += character.length
  }
  return units
}

/** Where the first part of a text that is too long ends, in UTF-16 units. */
function cutPosition(text: string): number {
  const end = countWithin(text, partCharactersMax)
  // A boundary at the very end is only seen together with what follows.
  const seen = text.slice(0, end + 200)
  return (
    lastBefore(end, paragraphEnds(seen)) ??
    lastBefore(end, boundaries(seen, 'sentence')) ??
    lastBefore(end, spaces(seen)) ??
    // One character as readers see it may itself be too long.
    lastBefore(end, boundaries(seen, 'grapheme'), 1) ??
    end
  )
}

/** The last position up to `end` that leaves no small part. */
function lastBefore(end: number, positions: Iterable<number>, least = end / 2): number | undefined {
  let last: number | undefined
  for (const position of positions) {
    if (position > end) break
    if (position >= least) last = position
  }
  return last
}

function* paragraphEnds(text: string): Generator<number> {
  for (const { index } of text.matchAll(/\n\s*\n/g)) yield index
}

function* spaces(text: string): Generator<number> {
  for (const { index } of text.matchAll(/\s+/g)) yield index
}

function* boundaries(text: string, granularity: 'sentence' | 'grapheme'): Generator<number> {
  for (const { index } of new Intl.Segmenter(undefined, { granularity }).segment(text)) yield index
}
