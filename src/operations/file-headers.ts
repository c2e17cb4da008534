/** Headers of requests for a file (RFC 9110). */
import type { Field, Fields } from './operation'

const header = (says: string): Field => ({ says, schema: { type: 'string' } })
export const conditions: Fields = {
  'If-None-Match': header('one or more `ETag`s'),
  'If-Modified-Since': header('a date'),
  'If-Match': header('one or more `ETag`s'),
  'If-Unmodified-Since': header('a date'),
}
export const ranges: Fields = {
  Range: header('one range of bytes; several at once are answered with the whole file'),
  'If-Range': header('an `ETag` or a `Last-Modified`: the range counts only if it is that of the file'),
}
