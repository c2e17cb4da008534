/** The path of a request, without its query. */

/** Not by `new URL`, which throws on a Host header that is none, and on the missing one of HTTP/1.0. */
export function pathOf(request: Request): string {
  return /^(?:\w+:\/\/[^/]*)?([^?]*)/.exec(request.url)![1]!
}
