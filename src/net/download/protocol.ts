/**
 * What the main process and a downloader process say to each other. The main process decides where a download may go;
 * the downloader alone reads what foreign servers send.
 */

/** What a downloader holds its server to. Every figure is for one answer. */
export type AnswerLimits = {
  /** Nothing of the head or the body arrives for so long. */
  readonly idleMs: number
  /** Status line and headers together, and the trailers of a chunked body. */
  readonly headBytesMax: number
  /** Answers before the answer, such as `100 Continue` and `103 Early Hints`. */
  readonly informationalMax: number
  /** Pieces of the body as they arrive: a chunk of the chunked encoding, or what one read brings of it. */
  readonly chunksMax: number
  /** Average since the first byte of the body, once `slowStartMs` have passed. */
  readonly bytesPerSecondMin: number
  readonly slowStartMs: number
}

/** One request to one server; the answer may send the download on to another one. */
export type Hop = {
  readonly url: string
  /** The only addresses to connect to. */
  readonly addresses: readonly string[]
  /** An empty file, which the body is written to. */
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
  /** `location` as the server wrote it. */
  | { readonly type: 'redirect'; readonly location: string }
  /** The whole file lies at `path`; `sha256` in lower-case hexadecimal. */
  | { readonly type: 'received'; readonly sizeBytes: number; readonly sha256: string }
  /** `detail`: for the log only. */
  | { readonly type: 'failed'; readonly reason: FailureReason; readonly status?: number; readonly detail?: string }

export type FromDownloader = { readonly type: 'ready' } | HopResult
