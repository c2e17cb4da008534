/** The one error of decoding. Its message tells the sender of the file what was found and what is allowed. */

export type BadAudioCode =
  /** The file has no bytes. */
  | 'empty'
  /** No known format. */
  | 'unknown'
  /** A known format, damaged beyond use or without sound. */
  | 'corrupt'
  /** A known container with an unsupported codec, such as ALAC or ADPCM. */
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
