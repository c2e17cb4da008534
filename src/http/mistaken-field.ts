/**
 * Refuses an unknown field that is plainly meant for a known one. Otherwise a request with `voice` would be spoken, and
 * charged, with the default voice. Other unknown fields are ignored.
 */
import { AppError } from '../errors'
import { isGiven, type Fields } from '../fields'

export type FieldNames = {
  readonly known: readonly string[]
  /** Names that other clients use for a known field. */
  readonly synonyms: Readonly<Record<string, string>>
  /** Unknown fields that are not misspellings. */
  readonly exempt: readonly string[]
}

/** Throws `invalid_params` for the first mistaken field. */
export function refuseMistakenFields(fields: Fields, names: FieldNames): void {
  const mistake = findMistakenField(fields, names)
  if (!mistake) return
  const { found, meant } = mistake
  throw new AppError('invalid_params', `${found}: there is no such field; did you mean ${meant}?`, { param: found })
}

/**
 * The first unknown field that is a synonym of a known one, differs from one only in case, hyphens and underscores, or
 * is one edit away from one. Two cases are allowed: a synonym with the same value as its known field (for a client of
 * several services), and a similar name beside the known field (`test` beside `text`).
 */
export function findMistakenField(
  fields: Fields,
  { known, synonyms, exempt }: FieldNames,
): { found: string; meant: string } | undefined {
  const lengthMax = Math.max(...[...known, ...Object.keys(synonyms)].map((name) => name.length)) + 2
  for (const found in fields) {
    if (found.length > lengthMax || known.includes(found) || exempt.includes(found)) continue
    const plain = withoutStyle(found)
    const synonym = Object.keys(synonyms).find((name) => withoutStyle(name) === plain)
    const same = synonym === undefined ? undefined : synonyms[synonym]!
    if (same !== undefined && fields[same] !== fields[found]) return { found, meant: same }
    const similar = known.find((name) => withoutStyle(name) === plain || isOneEditAway(name, found))
    if (similar !== undefined && !isGiven(fields[similar])) return { found, meant: similar }
  }
  return undefined
}

function withoutStyle(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '')
}

/** One character inserted, deleted or replaced, or two neighbours swapped. Equal names are not one edit away. */
export function isOneEditAway(one: string, other: string): boolean {
  if (one === other) return false
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const [a, b] = [one.slice(start, one.length - end), other.slice(start, other.length - end)]
  if (a.length <= 1 && b.length <= 1) return true
  return a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0]
}
