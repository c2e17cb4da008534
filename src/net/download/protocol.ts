/**
 * The messages between the main process and a downloader process. The main process decides which addresses a download
 * may reach; only the downloader reads data of foreign servers.
 */

/** Limits for one answer of a foreign server. */
export type AnswerLimits = {
  /** Longest time without a byte of head or body. */
  readonly idleMs: number
  /** Size of status line and headers together, and of the trailers of a chunked body. */
  readonly headBytesMax: number
  /** Number of informational answers, such as `100 Continue` and `103 Early Hints`. */
  readonly informationalMax: number
  /** Number of body pieces as they arrive: a chunk of the chunked encoding, or the part of it in one read. */
  readonly chunksMax: number
  /** Average rate since the first byte of the body, checked after `slowStartMs`. */
  readonly bytesPerSecondMin: number
  readonly slowStartMs: number
}

/** One request to one server. The answer may redirect to another server. */
export type Hop = {
  readonly url: string
  /** The only addresses to connect to. */
  readonly addresses: readonly string[]
  /** Path of an empty file that receives the body. */
  readonly path: string
  readonly sizeBytesMax: number
  readonly limits: AnswerLimits
}

export type FailureReason =
  | 'unreachable'
  | 'not_http'
  | 'bad_certificate'
  | 'wrong_status'
  | 'compressed'
  | 'too_large'
  | 'broken_off'
  | 'idle'
  | 'slow'
  | 'informational'
  | 'chunks'
  | 'not_stored'

export type HopResult =
  /** `location` as the server sent it. */
  | { readonly type: 'redirect'; readonly location: string }
  /** The complete file is at `path`; `sha256` in lower-case hexadecimal. */
  | { readonly type: 'received'; readonly sizeBytes: number; readonly sha256: string }
  /** `detail`: for the log only. */
  | { readonly type: 'failed'; readonly reason: FailureReason; readonly status?: number; readonly detail?: string }

export type FromDownloader = { readonly type: 'ready' } | HopResult
