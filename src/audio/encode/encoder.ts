/**
 * What every audio format offers the pipeline: PCM goes in as it is made, bytes come out as they are ready, and the
 * head of the file, which needs the totals, is known last.
 */
export interface Encoder {
  /** Length of the head in bytes, known from the start so that the body can be written behind it. */
  readonly headBytes: number
  /** Mono PCM at the encoder's sample rate, in any portion. Returns the body bytes that are ready, possibly none. */
  append(samples: Int16Array): Uint8Array
  /** Ends the stream: the last body bytes, and the head (exactly `headBytes` long). No call may follow. */
  finish(): { tail: Uint8Array; head: Uint8Array }
}

export type AudioFormat = 'mp3' | 'wav'
