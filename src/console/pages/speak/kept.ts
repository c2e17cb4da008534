/**
 * Keeps the text and the takes of a person in this tab: they survive a refresh and end with the tab or with signing out. It
 * is the person's own text and no secret, so the session storage of the browser may have it; other tabs do not see it.
 */

const nameOf = (what: string, personId: string) => `sonant-${what}-${personId}`

/** Returns undefined when nothing (readable) is kept. */
export function readKept<Value>(what: string, personId: string): Value | undefined {
  try {
    const text = sessionStorage.getItem(nameOf(what, personId))
    return text === null ? undefined : (JSON.parse(text) as Value)
  } catch {
    return undefined
  }
}

/** Returns whether the browser has room for it. */
export function keep(what: string, personId: string, value: unknown): boolean {
  try {
    sessionStorage.setItem(nameOf(what, personId), JSON.stringify(value))
    return true
  } catch {
    return false
  }
}
