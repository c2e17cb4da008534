/**
 * The interface of every output format. PCM goes in as it is made, bytes come out as they are ready. The head of the
 * file may need the totals and comes last.
 */
export interface Encoder {
  /**
   * Length of the head in bytes, known from the start so that the body can be written behind it; 0 where the format needs
   * no totals.
   */
  readonly headBytes: number
  /**
   * Appends mono PCM at the encoder's sample rate, in chunks of any size. Returns the ready body bytes, possibly none.
   */
  append(samples: Int16Array): Uint8Array
  /** Ends the stream: returns the last body bytes and the head (exactly `headBytes` long). No call may follow. */
  finish(): { tail: Uint8Array; head: Uint8Array }
  /** Frees the encoder of a stream that is not finished. No call may follow. */
  discard(): void
}

export const audioFormats = ['mp3', 'wav', 'opus', 'flac', 'aac'] as const

/** `opus` is Opus in Ogg, `aac` is AAC-LC in ADTS. */
export type AudioFormat = (typeof audioFormats)[number]

/** Formats that take processor time to encode. */
export type CodedFormat = Exclude<AudioFormat, 'wav'>
