/** The path of a request, without its query. */

/** Without `new URL`, which throws on an invalid Host header, and on its absence in HTTP/1.0. */
export function pathOf(request: Request): string {
  return /^(?:\w+:\/\/[^/]*)?([^?]*)/.exec(request.url)![1]!
}
