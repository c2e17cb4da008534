/**
 * Conditional and range requests for a stored file (RFC 9110, sections 13 and 14). Pure: reads headers, no file.
 * Written here because `range-parser` 1.3.0 calls a suffix longer than the file, and a range that ends before its
 * start, unsatisfiable, and `fresh` 2.0.0 supports neither `If-Match` nor `If-Unmodified-Since`.
 */
import { parseHttpDate } from './http-date'

export type Selected = {
  /** A strong entity tag, with its quotes. */
  readonly etag: string
  /** A multiple of 1000. */
  readonly modifiedAtMs: number
  readonly sizeBytes: number
}

export type Outcome =
  | { readonly status: 200 | 304 | 416 }
  /** `end` is the last byte. */
  | { readonly status: 206; readonly start: number; readonly end: number }
  /** `failed`: the header with the false condition. */
  | { readonly status: 412; readonly failed: 'If-Match' | 'If-Unmodified-Since' }

/** The status of a GET or HEAD, in the order of section 13.2.2. Malformed dates and ranges are ignored. */
export function evaluateConditions(
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  selected: Selected,
  nowMs: number,
): Outcome {
  const { etag, modifiedAtMs } = selected
  const dateIn = (name: string) => parseHttpDate(headers.get(name) ?? '', nowMs)

  const ifMatch = headers.get('if-match')
  if (ifMatch !== null) {
    if (!includes(ifMatch, etag, 'strong')) return { status: 412, failed: 'If-Match' }
  } else if (modifiedAtMs > (dateIn('if-unmodified-since') ?? Infinity)) {
    return { status: 412, failed: 'If-Unmodified-Since' }
  }

  const ifNoneMatch = headers.get('if-none-match')
  if (ifNoneMatch !== null) {
    if (includes(ifNoneMatch, etag, 'weak')) return { status: 304 }
  } else if (modifiedAtMs <= (dateIn('if-modified-since') ?? -Infinity)) {
    return { status: 304 }
  }

  const range = headers.get('range')
  if (range === null || method !== 'GET' || !rangeApplies(headers.get('if-range'), selected, nowMs))
    return { status: 200 }
  return evaluateRange(range, selected.sizeBytes)
}

/** Whether the list of entity tags contains `etag`. `*` matches any tag. */
function includes(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true
  const tags = [...list.matchAll(/(W\/)?("[^"]*")/g)]
  return tags.some(([, weak, tag]) => tag === etag && (comparison === 'weak' || !weak))
}

/**
 * Whether the validator matches the file. A stored file never changes, so its date is as strong a validator as its
 * entity tag (section 8.8.2.2). Any other value matches nothing.
 */
function rangeApplies(ifRange: string | null, { etag, modifiedAtMs }: Selected, nowMs: number): boolean {
  return ifRange === null || ifRange.trim() === etag || parseHttpDate(ifRange.trim(), nowMs) === modifiedAtMs
}

/** Answers several ranges with the whole file, as section 14.2 allows; ranges beyond its end do not count. */
function evaluateRange(header: string, sizeBytes: number): Outcome {
  const whole = { status: 200 } as const
  const specs = /^bytes=(.*)$/i.exec(header.trim())?.[1]!.split(',') ?? []
  const given = specs.map((spec) => spec.trim()).filter((spec) => spec !== '')
  const ranges = given.map((spec) => readRange(spec, sizeBytes))
  if (ranges.length === 0 || ranges.includes(undefined) || sizeBytes === 0) return whole
  const [first, ...more] = ranges.filter((range) => range!.start <= range!.end)
  if (!first) return { status: 416 }
  return more.length > 0 ? whole : { status: 206, ...first }
}

/**
 * A range cut to the file; a range beyond its end, or of the last 0 bytes, ends before its start. undefined: invalid.
 */
function readRange(spec: string, sizeBytes: number): { start: number; end: number } | undefined {
  const [, first, last] = /^(\d*)-(\d*)$/.exec(spec) ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined
  const lastByte = sizeBytes - 1
  if (first === '') return { start: Math.max(0, sizeBytes - Number(last)), end: lastByte }
  if (last === '') return { start: Number(first), end: lastByte }
  if (Number(last) < Number(first)) return undefined
  return { start: Number(first), end: Math.min(Number(last), lastByte) }
}
