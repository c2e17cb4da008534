/**
 * The interface of every output format. PCM goes in as it is made, bytes come out as they are ready. The head of the
 * file needs the totals and comes last.
 */
export interface Encoder {
  /** Length of the head in bytes, known from the start so that the body can be written behind it. */
  readonly headBytes: number
  /**
   * Appends mono PCM at the encoder's sample rate, in chunks of any size. Returns the ready body bytes, possibly none.
   */
  append(samples: Int16Array): Uint8Array
  /** Ends the stream: returns the last body bytes and the head (exactly `headBytes` long). No call may follow. */
  finish(): { tail: Uint8Array; head: Uint8Array }
}

export type AudioFormat = 'mp3' | 'wav'
