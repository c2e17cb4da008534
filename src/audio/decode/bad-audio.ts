/** The one error of decoding. Its message is for the caller who sent the file: what was found, and what is allowed. */

export type BadAudioCode =
  /** No bytes at all. */
  | 'empty'
  /** None of the formats that are read. */
  | 'unknown'
  /** One of them, but damaged beyond use, or without a sample of sound. */
  | 'corrupt'
  /** One of their containers with a codec that is not read, such as ALAC or ADPCM. */
  | 'unsupported'
  | 'too_long'
  | 'too_many_channels'
  | 'timeout'

export class BadAudio extends Error {
  override readonly name = 'BadAudio'

  constructor(
    readonly code: BadAudioCode,
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options)
  }
}
