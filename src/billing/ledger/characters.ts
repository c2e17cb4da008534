/** The unit of billing. */

/** Counts the Unicode code points of `text`, the unit of bills and limits. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
