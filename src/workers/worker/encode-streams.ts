/** The open streams of encoded audio of a worker process. */
import type { Encoder } from '../../audio/encode/encoder'
import { createEncoder } from '../../audio/encode/formats'
import type { EncodedChunk, Task } from '../protocol'

export function createEncodeStreams() {
  const encoders = new Map<number, Encoder>()

  async function encoderOf({ stream, format, sampleRate }: Task<'encode'>): Promise<Encoder> {
    const known = encoders.get(stream)
    if (known) return known
    const encoder = await createEncoder(format, sampleRate)
    encoders.set(stream, encoder)
    return encoder
  }

  return {
    /** The next bytes of the stream. Throws the errors of the encoder. */
    async encode(task: Task<'encode'>): Promise<EncodedChunk> {
      const encoder = await encoderOf(task)
      const { headBytes } = encoder
      const body = encoder.append(task.samples)
      if (!task.last) return { bytes: body, headBytes, head: undefined }
      encoders.delete(task.stream)
      const { tail, head } = encoder.finish()
      return { bytes: Buffer.concat([body, tail]), headBytes, head }
    },

    abandon(stream: number): void {
      encoders.get(stream)?.discard()
      encoders.delete(stream)
    },
  }
}
