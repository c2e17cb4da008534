/** The unit of billing. */

/** Unicode code points of `text`: what is billed and limited. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
