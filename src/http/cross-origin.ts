/** Headers that let pages of every origin use the stored audio (Fetch, CORS protocol). */

/** Scripts may read these headers besides the safelisted ones. */
export const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Accept-Ranges, Content-Length, Content-Range, ETag, Last-Modified, Retry-After, X-Request-Id',
}

/** The answer to a preflight. */
export const preflight = {
  allow: 'GET, HEAD, OPTIONS',
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers':
    'Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range, Cache-Control',
  'access-control-max-age': '86400',
}
