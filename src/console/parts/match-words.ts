/** The searches of the console: every word of the search occurs, in any case. */

/** Returns a function that says whether every word of `search` occurs in one of the texts. */
export function matchWords(search: string): (...texts: readonly (string | null | undefined)[]) => boolean {
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean)
  return (...texts) => {
    if (wanted.length === 0) return true
    const all = texts.join(' ').toLowerCase()
    return wanted.every((word) => all.includes(word))
  }
}
